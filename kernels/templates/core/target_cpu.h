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
PG_FN float to_float(f16 x) { return static_cast<float>(x); }
PG_FN float bits_to_float(u32 bits) { return __builtin_bit_cast(float, bits); }
PG_FN float sqrt(float x) { return __builtin_elementwise_sqrt(x); }
PG_FN f32x16 sqrt(f32x16 x) { return __builtin_elementwise_sqrt(x); }

// Asks for a record of a stream of weights that is `ahead` bytes away, 0: not
// at all. It may lie behind the stream's end.
template <int Bytes>
PG_FN void prefetch_record(const u8 *record, i64 ahead) {
  if (ahead == 0)
    return;
#pragma clang loop unroll(full)
  for (int line = 0; line < Bytes; line += 64)
    __builtin_prefetch(record + ahead + line, 0, 2);
}

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
// The same with `other` where the row has no element.
PG_FN f32x16 load_or(const float *p, At at, float) { return load(p, at); }
PG_FN f32x16 load_or(const float *p, AtTail at, float other) {
  f32x16 v = splat(other);
  for (int i = 0; i < at.count; ++i)
    v[i] = p[at.index + i];
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
// Elements p[(at + i) * stride].
template <class T>
PG_FN void scatter(T *p, At at, int stride, f32x16 v) {
  for (int i = 0; i < 16; ++i)
    p[(at.index + i) * stride] = static_cast<T>(v[i]);
}
template <class T>
PG_FN void scatter(T *p, AtTail at, int stride, f32x16 v) {
  for (int i = 0; i < at.count; ++i)
    p[(at.index + i) * stride] = static_cast<T>(v[i]);
}
// Pairs of neighbours: elements 2 (at + i) and 2 (at + i) + 1.
PG_FN void load_pairs(const float *p, At at, f32x16 &first, f32x16 &second) {
  f32x16 low = load(p, At{2 * at.index}), high = load(p, At{2 * at.index + 16});
  first = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                  20, 22, 24, 26, 28, 30);
  second = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
                                   21, 23, 25, 27, 29, 31);
}
PG_FN void load_pairs(const float *p, AtTail at, f32x16 &first,
                      f32x16 &second) {
  first = second = f32x16{};
  for (int i = 0; i < at.count; ++i) {
    first[i] = p[2 * (at.index + i)];
    second[i] = p[2 * (at.index + i) + 1];
  }
}
PG_FN void store_pairs(float *p, At at, f32x16 first, f32x16 second) {
  store(p, At{2 * at.index},
        __builtin_shufflevector(first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4,
                                20, 5, 21, 6, 22, 7, 23));
  store(p, At{2 * at.index + 16},
        __builtin_shufflevector(first, second, 8, 24, 9, 25, 10, 26, 11, 27, 12,
                                28, 13, 29, 14, 30, 15, 31));
}
PG_FN void store_pairs(float *p, AtTail at, f32x16 first, f32x16 second) {
  for (int i = 0; i < at.count; ++i) {
    p[2 * (at.index + i)] = first[i];
    p[2 * (at.index + i) + 1] = second[i];
  }
}
// value(i) for each element i.
template <class Value>
PG_FN f32x16 gather(At at, Value value) {
  f32x16 v;
  for (int i = 0; i < 16; ++i)
    v[i] = value(at.index + i);
  return v;
}
template <class Value>
PG_FN f32x16 gather(AtTail at, Value value) {
  f32x16 v{};
  for (int i = 0; i < at.count; ++i)
    v[i] = value(at.index + i);
  return v;
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
// The builtin would spend most of its time on NaNs.
PG_FN float reduce_max(f32x16 v) {
  v = max(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1,
                                     2, 3, 4, 5, 6, 7));
  v = max(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14,
                                     15, 8, 9, 10, 11));
  v = max(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9,
                                     14, 15, 12, 13));
  v = max(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10,
                                     13, 12, 15, 14));
  return v[0];
}

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

  // The lowest of the N elements for which test(at) holds; N for none. A test
  // answers for the whole lane, also where a row has no element.
  template <int N, class Test>
  PG_FN static int first(Test test) {
    auto in = [](i32x16 mask) {
      int lane = 0;
      while (lane < 16 && !mask[lane])
        ++lane;
      return lane;
    };
    for (int i = 0; i + 16 <= N; i += 16)
      if (i32x16 mask = test(At{i}); __builtin_reduce_or(mask))
        return i + in(mask);
    if constexpr (N % 16 != 0) {
      int lane = in(test(AtTail{N / 16 * 16, N % 16}));
      return lane < N % 16 ? N / 16 * 16 + lane : N;
    }
    return N;
  }
  // What all lanes know, once.
  PG_FN static void store_one(i32 *p, i32 value) { *p = value; }

  // Memory of the lanes together, and the point from which all of them see
  // what any of them wrote to it.
  template <class T, int N>
  struct Shared {
    T data[N];
    PG_FN void settle() {}
  };
};

// Quantises values 32 g … 32 g + 31 of a row, given as value(at): writes their
// codes, their scale, the sum of all codes and those of each 16.
template <class Value>
PG_FN void quantize_group(int g, Value value, i8 *codes, float *scales,
                          float *sums, i16 *half_sums) {
  f32x16 parts[2] = {value(At{g * 32}), value(At{g * 32 + 16})};
  float top = reduce_max(max(abs(parts[0]), abs(parts[1])));
  float inverse = top > 0.0f ? 127.0f / top : 0.0f;
  scales[g] = top / 127.0f;
  i32 sum[2];
  for (int half = 0; half < 2; ++half) {
    typedef i8 i8x16 __attribute__((vector_size(16), aligned(1), may_alias));
    i32x16 rounded = to_int(round_even(parts[half] * inverse));
    *reinterpret_cast<i8x16 *>(codes + g * 32 + half * 16) =
        __builtin_convertvector(rounded, i8x16);
    sum[half] = __builtin_reduce_add(rounded);
    half_sums[g * 2 + half] = static_cast<i16>(sum[half]);
  }
  sums[g] = static_cast<float>(sum[0] + sum[1]);
}

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
      ".long " #name "_tiles, " #name "_run, " #name                           \
      "_scratch, " PAGODA_STRING(PAGODA_KERNEL_ABI) "\n"                       \
                                                    ".popsection\n")
#define PAGODA_STRING(x) PAGODA_STRING_IMPL(x)
#define PAGODA_STRING_IMPL(x) #x

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_TARGET_CPU_H
