// The formats of core/formats.h as CPU kernels stream them: the 32 outputs of a
// record are two vectors v of 16 lanes, lane l of vector v is output 16 v + l.
//
//   code(r, k, v)         the codes (or floats) of input k, as floats
//   kScaled               whether scale() and minimum() mean anything
//   scale(r, g, v)        the scales of group g of the record
//   minimum(r, g, v)      what is added to scale * code
// and for formats with integer codes
//   pair(r, part, s, v)   of 32 inputs (part counts them in a record), the
//                         stored codes of inputs 4 s … 4 s + 3 and of those 16
//                         behind them, one a byte; s = 0 … 3

#ifndef PAGODA_KERNELS_CORE_FORMAT_VECTORS_H
#define PAGODA_KERNELS_CORE_FORMAT_VECTORS_H

#include "core/formats.h"

namespace pagoda {

template <class Format>
struct Vectors;

PG_FN u32x16 load_words(const u8 *p) {
  return *reinterpret_cast<const u32x16_any *>(p);
}
PG_FN f32x16 load_halves(const u8 *p) {
  return __builtin_convertvector(*reinterpret_cast<const f16x16_any *>(p),
                                 f32x16);
}
// The bytes p[0..15], one a lane.
PG_FN i32x16 load_bytes(const u8 *p) {
  typedef u8 u8x16 __attribute__((vector_size(16), aligned(1), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const u8x16 *>(p), i32x16);
}
PG_FN i32x16 load_signed_bytes(const u8 *p) {
  typedef i8 i8x16 __attribute__((vector_size(16), aligned(1), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const i8x16 *>(p), i32x16);
}

// What the float formats share: no scales.
struct FloatVectors {
  static constexpr bool kScaled = false, kMinimum = false;
  PG_FN static f32x16 scale(const u8 *, int, int) { return splat(1.0f); }
  PG_FN static f32x16 minimum(const u8 *, int, int) { return f32x16{}; }
};

template <>
struct Vectors<F32> : FloatVectors {
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return *reinterpret_cast<const f32x16_any *>(r + k * 128 + v * 64);
  }
};

template <>
struct Vectors<F16> : FloatVectors {
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return load_halves(r + k * 64 + v * 32);
  }
};

template <>
struct Vectors<BF16> : FloatVectors {
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    u32x16 pair = load_words(r + k / 2 * 128 + v * 64);
    return (f32x16)(k % 2 ? pair & 0xffff0000u : pair << 16);
  }
};

// Codes in bytes, four inputs a word.
struct CodePair {
  u32x16 low, high;
};

// Planes of codes for 32 inputs: one input a lane, or four inputs a word.
template <class Plane>
struct PlaneVectors;

template <>
struct PlaneVectors<Nibbles> {
  PG_FN static i32x16 lanes(const u8 *r, int k, int v) {
    u32x16 words = load_words(r + k % 16 / 4 * 128 + v * 64);
    return (i32x16)((words >> (k % 4 * 8 + k / 16 * 4)) & 15u);
  }
  PG_FN static CodePair pair(const u8 *r, int s, int v) {
    u32x16 words = load_words(r + s * 128 + v * 64);
    return {words & 0x0f0f0f0fu, words >> 4 & 0x0f0f0f0fu};
  }
};

template <>
struct PlaneVectors<Bytes> {
  PG_FN static i32x16 lanes(const u8 *r, int k, int v) {
    u32x16 words = load_words(r + k / 4 * 128 + v * 64);
    return (i32x16)((words >> (k % 4 * 8)) & 255u);
  }
  PG_FN static CodePair pair(const u8 *r, int s, int v) {
    return {load_words(r + s * 128 + v * 64),
            load_words(r + (s + 4) * 128 + v * 64)};
  }
};

template <>
struct PlaneVectors<Pairs> {
  PG_FN static i32x16 lanes(const u8 *r, int k, int v) {
    u32x16 words = load_words(r + k % 8 / 4 * 128 + v * 64);
    return (i32x16)((words >> (k % 4 * 8 + k / 8 * 2)) & 3u);
  }
  PG_FN static CodePair pair(const u8 *r, int s, int v) {
    u32x16 words = load_words(r + s % 2 * 128 + v * 64) >> (s / 2 * 2);
    return {words & 0x03030303u, words >> 4 & 0x03030303u};
  }
};

template <class Codes, int Bits, int Offset, bool Minimum>
struct Vectors<HalfScaled<Codes, Bits, Offset, Minimum>> {
  static constexpr bool kScaled = true, kMinimum = Minimum;
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return to_float(PlaneVectors<Codes>::lanes(r, k, v) - Offset);
  }
  PG_FN static CodePair pair(const u8 *r, int, int s, int v) {
    return PlaneVectors<Codes>::pair(r, s, v);
  }
  PG_FN static f32x16 scale(const u8 *r, int, int v) {
    return load_halves(r + Codes::kBytes + v * 32);
  }
  PG_FN static f32x16 minimum(const u8 *r, int, int v) {
    return load_halves(r + Codes::kBytes + 64 + v * 32);
  }
};

template <>
struct Vectors<Q4_K> {
  static constexpr bool kScaled = true, kMinimum = true;
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return to_float(
        PlaneVectors<Nibbles>::lanes(Q4_K::part(r, k / 32), k % 32, v));
  }
  PG_FN static CodePair pair(const u8 *r, int part, int s, int v) {
    return PlaneVectors<Nibbles>::pair(Q4_K::part(r, part), s, v);
  }
  PG_FN static f32x16 scale(const u8 *r, int g, int v) {
    const u8 *scales = Q4_K::part(r, g) + Nibbles::kBytes + v * 16;
    return load_halves(r + v * 32) * to_float(load_bytes(scales));
  }
  PG_FN static f32x16 minimum(const u8 *r, int g, int v) {
    const u8 *minimums = Q4_K::part(r, g) + Nibbles::kBytes + 32 + v * 16;
    return load_halves(r + 64 + v * 32) * to_float(load_bytes(minimums)) *
           -1.0f;
  }
};

template <>
struct Vectors<Q6_K> {
  static constexpr bool kScaled = true, kMinimum = false;
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    const u8 *p = Q6_K::part(r, k / 32);
    i32x16 low = PlaneVectors<Nibbles>::lanes(p, k % 32, v);
    i32x16 high = PlaneVectors<Pairs>::lanes(p + Nibbles::kBytes, k % 32, v);
    return to_float((low | high << 4) - Q6_K::kOffset);
  }
  PG_FN static CodePair pair(const u8 *r, int part, int s, int v) {
    const u8 *p = Q6_K::part(r, part);
    CodePair low = PlaneVectors<Nibbles>::pair(p, s, v);
    CodePair high = PlaneVectors<Pairs>::pair(p + Nibbles::kBytes, s, v);
    return {low.low | high.low << 4, low.high | high.high << 4};
  }
  PG_FN static f32x16 scale(const u8 *r, int g, int v) {
    const u8 *scales =
        Q6_K::part(r, g / 2) + Q6_K::kScales + g % 2 * 32 + v * 16;
    return load_halves(r + v * 32) * to_float(load_signed_bytes(scales));
  }
  PG_FN static f32x16 minimum(const u8 *, int, int) { return f32x16{}; }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_FORMAT_VECTORS_H
