// The first of the largest elements of each row, which is the token that greedy
// sampling takes; -1 where an element is NaN or +inf.
//
// Config: kInput, kOutput and kK.

#ifndef PAGODA_KERNELS_SAMPLE_ARGMAX_H
#define PAGODA_KERNELS_SAMPLE_ARGMAX_H

#include "core/launch.h"
#include "core/math.h"

namespace pagoda {

template <class Config>
struct Argmax {
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) { return launch.rows; }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    constexpr int kK = Config::kK;
    const float infinity = bits_to_float(0x7f800000u);
    i32 *out = argument<i32>(launch, Config::kOutput);
    for (i64 row = first; row < last; ++row) {
      const float *x =
          argument_row<const float>(launch, Config::kInput, row, kK);
      F largest = splat(-infinity), broken = splat(0.0f);
      Lanes::each<kK>([&](auto at) {
        F v = load_or(x, at, -infinity);
        largest = max(v, largest);
        // False for NaN, too.
        broken = select(v < splat(infinity), broken, splat(1.0f));
      });
      if (Lanes::max(broken) != 0.0f) {
        Lanes::store_one(out + row, -1);
        continue;
      }
      F maximum = splat(Lanes::max(largest));
      Lanes::store_one(out + row, Lanes::first<kK>([&](auto at) {
                         return load_or(x, at, -infinity) == maximum;
                       }));
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_SAMPLE_ARGMAX_H
