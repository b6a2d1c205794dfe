// The CUDA half of target.h: the 32 threads of a warp work on a row, one
// element each. All inline PTX of the shared templates stands here. No header:
// NVRTC has none of its own.
//
// Rules for templates (they hold for the CPU too): collectives only where the
// whole warp comes; what all lanes write through Shared is read after settle().

#ifndef PAGODA_KERNELS_CORE_TARGET_CUDA_H
#define PAGODA_KERNELS_CORE_TARGET_CUDA_H

#include "core/abi.h"
#include "core/types.h"

#define PG_FN __device__ __forceinline__

namespace pagoda {

// Storage only: conversions go through cvt.
struct f16 {
  u16 bits;
};

PG_FN float to_float(f16 x) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
  return value;
}
PG_FN f16 to_half(float x) {
  f16 value;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value.bits) : "f"(x));
  return value;
}
template <class T>
PG_FN T store_as(float x);
template <>
PG_FN float store_as<float>(float x) {
  return x;
}
template <>
PG_FN f16 store_as<f16>(float x) {
  return to_half(x);
}
PG_FN float load_from(float x) { return x; }
PG_FN float load_from(f16 x) { return to_float(x); }

PG_FN float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
PG_FN float splat(float x) { return x; }
PG_FN float round_even(float x) { return rintf(x); }
PG_FN float min(float a, float b) { return a < b ? a : b; }
PG_FN float max(float a, float b) { return a > b ? a : b; }
PG_FN float abs(float x) { return fabsf(x); }
PG_FN float select(bool mask, float a, float b) { return mask ? a : b; }
PG_FN i32 to_int(float x) { return static_cast<i32>(x); }
PG_FN float as_float(i32 x) { return __int_as_float(x); }
PG_FN float bits_to_float(u32 bits) {
  return __int_as_float(static_cast<i32>(bits));
}
PG_FN float sqrt(float x) { return __fsqrt_rn(x); }

PG_FN int lane() { return static_cast<int>(threadIdx.x) & 31; }

// The element of this lane.
struct At {
  int index;
};

template <class T>
PG_FN float load(const T *p, At at) {
  return load_from(p[at.index]);
}
PG_FN float load_or(const float *p, At at, float) { return p[at.index]; }
template <class T>
PG_FN void store(T *p, At at, float v) {
  p[at.index] = store_as<T>(v);
}
template <class T>
PG_FN void scatter(T *p, At at, int stride, float v) {
  p[at.index * stride] = store_as<T>(v);
}
PG_FN void load_pairs(const float *p, At at, float &first, float &second) {
  first = p[2 * at.index];
  second = p[2 * at.index + 1];
}
PG_FN void store_pairs(float *p, At at, float first, float second) {
  p[2 * at.index] = first;
  p[2 * at.index + 1] = second;
}
template <class Value>
PG_FN float gather(At at, Value value) {
  return value(at.index);
}

struct Lanes {
  using F = float;
  using I = i32;

  template <int N, class Body>
  PG_FN static void each(Body body) {
    for (int i = lane(); i < N; i += 32)
      body(At{i});
  }
  // Halves towards lane 0, then from there: one order on every warp.
  PG_FN static float sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2)
      v += __shfl_down_sync(0xffffffffu, v, offset);
    return __shfl_sync(0xffffffffu, v, 0);
  }
  PG_FN static float max(float v) {
    for (int offset = 16; offset > 0; offset /= 2)
      v = pagoda::max(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
  }

  template <int N, class Test>
  PG_FN static int first(Test test) {
    for (int start = 0; start < N; start += 32) {
      int i = start + lane();
      u32 hits = __ballot_sync(0xffffffffu, i < N && test(At{i}));
      if (hits)
        return start + __ffs(static_cast<i32>(hits)) - 1;
    }
    return N;
  }
  PG_FN static void store_one(i32 *p, i32 value) {
    if (lane() == 0)
      *p = value;
  }

  // A slice of the block's dynamic shared memory for each warp.
  template <class T, int N>
  struct Shared {
    T *data;
    PG_FN Shared() {
      extern __shared__ u8 pagoda_shared[];
      data = reinterpret_cast<T *>(pagoda_shared) + threadIdx.x / 32 * N;
    }
    PG_FN void settle() { __syncwarp(); }
  };
};

template <class Value>
PG_FN void quantize_group(int g, Value value, i8 *codes, float *scales,
                          float *sums, i16 *half_sums) {
  At at{g * 32 + lane()};
  float x = value(at);
  float top = Lanes::max(abs(x));
  float inverse = top > 0.0f ? 127.0f / top : 0.0f;
  i32 code = to_int(round_even(x * inverse));
  codes[at.index] = static_cast<i8>(code);
  // Sums within each half of the warp.
  i32 sum = code;
  for (int offset = 8; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  i32 both = sum + __shfl_xor_sync(0xffffffffu, sum, 16);
  if (lane() == 0) {
    scales[g] = top / 127.0f;
    sums[g] = static_cast<float>(both);
  }
  if (lane() % 16 == 0)
    half_sums[g * 2 + lane() / 16] = static_cast<i16>(sum);
}

// One warp a tile; a block holds several warps, the grid any number of blocks.
#define PAGODA_ENTRY(name, ...)                                                \
  extern "C" __global__ void __launch_bounds__(256, 1)                         \
      name##_run(const __grid_constant__ PagodaLaunch launch) {                \
    long long warps = static_cast<long long>(gridDim.x) * (blockDim.x / 32);   \
    long long tiles = __VA_ARGS__::tiles(launch);                              \
    for (long long tile =                                                      \
             static_cast<long long>(blockIdx.x) * (blockDim.x / 32) +          \
             threadIdx.x / 32;                                                 \
         tile < tiles; tile += warps)                                          \
      __VA_ARGS__::run(launch, tile, tile + 1);                                \
  }                                                                            \
  static_assert(true, "")

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_TARGET_CUDA_H
