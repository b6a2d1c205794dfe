// The CPU half of target.h: one thread works on a row with vectors of 16
// lanes. Clang splits them where registers are shorter, which changes no bit:
// lane i is always element i modulo 16, and sums over lanes go in one order.

#ifndef PAGODA_KERNELS_CORE_TARGET_CPU_H
#define PAGODA_KERNELS_CORE_TARGET_CPU_H

#include "core/abi.h"
#include "core/types.h"

#define PG_FN [[gnu::always_inline]] inline

namespace pagoda {

typedef float f32x16 __attribute__((vector_size(64)));
typedef i32 i32x16 __attribute__((vector_size(64)));
typedef u32 u32x16 __attribute__((vector_size(64)));
typedef _Float16 f16;
typedef f16 f16x16 __attribute__((vector_size(32)));

// The same vectors at any address, and free to alias what they are read from.
typedef f32x16 f32x16_any __attribute__((aligned(4), may_alias));
typedef u32x16 u32x16_any __attribute__((aligned(4), may_alias));
typedef f16x16 f16x16_any __attribute__((aligned(2), may_alias));

PG_FN float fma(float a, float b, float c) {
  return __builtin_elementwise_fma(a, b, c);
}
PG_FN f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
  return __builtin_elementwise_fma(a, b, c);
}
PG_FN f32x16 splat(float x) { return x - f32x16{}; }
PG_FN i32x16 splat(i32 x) { return x - i32x16{}; }
PG_FN f32x16 round_even(f32x16 x) { return __builtin_elementwise_roundeven(x); }
PG_FN f32x16 min(f32x16 a, f32x16 b) { return a < b ? a : b; }
PG_FN f32x16 max(f32x16 a, f32x16 b) { return a > b ? a : b; }
PG_FN f32x16 abs(f32x16 x) { return __builtin_elementwise_abs(x); }
PG_FN f32x16 select(i32x16 mask, f32x16 a, f32x16 b) { return mask ? a : b; }
PG_FN i32x16 to_int(f32x16 x) { return __builtin_convertvector(x, i32x16); }
PG_FN f32x16 to_float(i32x16 x) { return __builtin_convertvector(x, f32x16); }
PG_FN f32x16 as_float(i32x16 x) { return (f32x16)x; }
PG_FN float sqrt(float x) { return __builtin_elementwise_sqrt(x); }
PG_FN f32x16 sqrt(f32x16 x) { return __builtin_elementwise_sqrt(x); }

// Which 16 elements of a row: all of them, or the first `count` only.
struct At {
  int index;
};
struct AtTail {
  int index;
  int count;
};

PG_FN f32x16 load(const float *p, At at) {
  return *reinterpret_cast<const f32x16_any *>(p + at.index);
}
PG_FN f32x16 load(const f16 *p, At at) {
  return __builtin_convertvector(
      *reinterpret_cast<const f16x16_any *>(p + at.index), f32x16);
}
template <class T>
PG_FN f32x16 load(const T *p, AtTail at) {
  f32x16 v{};
  for (int i = 0; i < at.count; ++i)
    v[i] = static_cast<float>(p[at.index + i]);
  return v;
}
PG_FN void store(float *p, At at, f32x16 v) {
  *reinterpret_cast<f32x16_any *>(p + at.index) = v;
}
PG_FN void store(f16 *p, At at, f32x16 v) {
  *reinterpret_cast<f16x16_any *>(p + at.index) =
      __builtin_convertvector(v, f16x16);
}
template <class T>
PG_FN void store(T *p, AtTail at, f32x16 v) {
  for (int i = 0; i < at.count; ++i)
    p[at.index + i] = static_cast<T>(v[i]);
}

PG_FN float reduce_sum(f32x16 v) {
  typedef float f32x8 __attribute__((vector_size(32)));
  typedef float f32x4 __attribute__((vector_size(16)));
  f32x8 a = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
            __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  f32x4 b = __builtin_shufflevector(a, a, 0, 1, 2, 3) +
            __builtin_shufflevector(a, a, 4, 5, 6, 7);
  return (b[0] + b[2]) + (b[1] + b[3]);
}
PG_FN float reduce_max(f32x16 v) { return __builtin_reduce_max(v); }

struct Lanes {
  using F = f32x16;
  using I = i32x16;

  template <int N, class Body>
  PG_FN static void each(Body body) {
    for (int i = 0; i + 16 <= N; i += 16)
      body(At{i});
    if constexpr (N % 16 != 0)
      body(AtTail{N / 16 * 16, N % 16});
  }
  PG_FN static float sum(F v) { return reduce_sum(v); }
  PG_FN static float max(F v) { return reduce_max(v); }
};

// A unit calls this for its kernel: the functions that the executor calls, and
// a row of the image's table of entries. The image is linked at address 0, so
// addresses are offsets and no relocation remains.
#define PAGODA_ENTRY(name, ...)                                                \
  extern "C" long long name##_tiles(const PagodaLaunch *launch) {              \
    return __VA_ARGS__::tiles(*launch);                                        \
  }                                                                            \
  extern "C" void name##_run(const PagodaLaunch *launch, long long first,      \
                             long long last) {                                 \
    __VA_ARGS__::run(*launch, first, last);                                    \
  }                                                                            \
  extern "C" const unsigned name##_scratch = __VA_ARGS__::kScratchBytes;       \
  asm(".pushsection .pagoda.entries, \"a\", @progbits\n"                       \
      ".long " #name "_tiles, " #name "_run, " #name "_scratch, "              \
      PAGODA_STRING(PAGODA_KERNEL_ABI) "\n"                                    \
      ".popsection\n")
#define PAGODA_STRING(x) PAGODA_STRING_IMPL(x)
#define PAGODA_STRING_IMPL(x) #x

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_TARGET_CPU_H
