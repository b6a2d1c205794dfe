// Reading the arguments of a launch, and lists of types for configurations.

#ifndef PAGODA_KERNELS_CORE_LAUNCH_H
#define PAGODA_KERNELS_CORE_LAUNCH_H

#include "core/abi.h"
#include "core/target.h"

namespace pagoda {

template <class T>
PG_FN T *argument(const PagodaLaunch &launch, int index) {
  return static_cast<T *>(launch.arguments[index]);
}

// Row `row` of an argument whose rows hold `width` elements.
template <class T>
PG_FN T *argument_row(const PagodaLaunch &launch, int index, i64 row,
                      i64 width) {
  return argument<T>(launch, index) + row * width;
}

template <class... T>
struct Types {
  static constexpr int kCount = sizeof...(T);
};

template <class T, class...>
struct First {
  using Type = T;
};

PG_FN constexpr i64 ceil_div(i64 a, i64 b) { return (a + b - 1) / b; }
PG_FN i64 smaller(i64 a, i64 b) { return a < b ? a : b; }

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_LAUNCH_H
