// Weights in the layout `tile32` (docs/packing.md): a matrix [N, K] is cut into
// tiles of 32 outputs, a tile into records of kBlock inputs, records follow
// each other in one linear stream. In a record the 32 outputs are two vectors
// of 16 lanes; lane l of vector v is output 16 v + l.
//
// Each format says how a record decodes:
//   kBlock, kRecordBytes     inputs and bytes of a record
//   kGroup                   inputs that share a scale
//   code(r, k, v)            the codes (or floats) of input k, as floats
//   kScaled, scale(r, g, v)  the scales of group g of the record
//   kMinimum, minimum(…)     what is added to scale * code
//   kBits, kOffset           of the formats with integer codes: bits of a
//                            stored code, and what stands for 0
//   word(r, s, v)            their codes of inputs 4 s … 4 s + 3, in bytes
//   element(tile, k, n)      one number of a tile, for gathering rows

#ifndef PAGODA_KERNELS_CORE_FORMATS_H
#define PAGODA_KERNELS_CORE_FORMATS_H

#include "core/target_cpu.h"

namespace pagoda {

inline constexpr int kTile = 32;

PG_FN u32x16 load_words(const u8 *p) {
  return *reinterpret_cast<const u32x16_any *>(p);
}
PG_FN f32x16 load_halves(const u8 *p) {
  return __builtin_convertvector(*reinterpret_cast<const f16x16_any *>(p),
                                 f32x16);
}
PG_FN float load_half(const u8 *p) {
  return static_cast<float>(*reinterpret_cast<const f16 *>(p));
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
struct FloatFormat {
  static constexpr int kBlock = 32, kGroup = 32;
  static constexpr bool kScaled = false, kMinimum = false;
  PG_FN static f32x16 scale(const u8 *, int, int) { return splat(1.0f); }
  PG_FN static f32x16 minimum(const u8 *, int, int) { return f32x16{}; }
};

// [32 inputs][32 outputs] of f32.
struct F32 : FloatFormat {
  static constexpr int kRecordBytes = 4096;
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return *reinterpret_cast<const f32x16_any *>(r + k * 128 + v * 64);
  }
  PG_FN static float element(const u8 *tile, int k, int n) {
    return reinterpret_cast<const float *>(tile)[k * kTile + n];
  }
};

// [32 inputs][32 outputs] of f16.
struct F16 : FloatFormat {
  static constexpr int kRecordBytes = 2048;
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return load_halves(r + k * 64 + v * 32);
  }
  PG_FN static float element(const u8 *tile, int k, int n) {
    return load_half(tile + (k * kTile + n) * 2);
  }
};

// [16 pairs of inputs][32 outputs][2] of bf16, as dot products of pairs read.
struct BF16 : FloatFormat {
  static constexpr int kRecordBytes = 2048;
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    u32x16 pair = load_words(r + k / 2 * 128 + v * 64);
    return (f32x16)(k % 2 ? pair & 0xffff0000u : pair << 16);
  }
  PG_FN static float element(const u8 *tile, int k, int n) {
    const u8 *p = tile + k / 2 * 128 + n * 4 + k % 2 * 2;
    u32 bits = *reinterpret_cast<const u16 *>(p);
    return __builtin_bit_cast(float, bits << 16);
  }
};

// Codes of 4 bits: word s * 32 + 16 v + l holds, for s = 0 … 3, inputs
// 4 s … 4 s + 3 in the low nibbles of its bytes and 16 more in the high ones.
struct Nibbles {
  static constexpr int kBytes = 512;
  PG_FN static i32x16 lanes(const u8 *r, int k, int v) {
    u32x16 words = load_words(r + k % 16 / 4 * 128 + v * 64);
    return (i32x16)((words >> (k % 4 * 8 + k / 16 * 4)) & 15u);
  }
  PG_FN static int one(const u8 *r, int k, int n) {
    return r[k % 16 / 4 * 128 + n * 4 + k % 4] >> (k / 16 * 4) & 15;
  }
  PG_FN static u32x16 word(const u8 *r, int s, int v) {
    return load_words(r + s % 4 * 128 + v * 64) >> (s / 4 * 4) & 0x0f0f0f0fu;
  }
};

// Codes of 8 bits: word s * 32 + 16 v + l holds inputs 4 s … 4 s + 3.
struct Bytes {
  static constexpr int kBytes = 1024;
  PG_FN static i32x16 lanes(const u8 *r, int k, int v) {
    u32x16 words = load_words(r + k / 4 * 128 + v * 64);
    return (i32x16)((words >> (k % 4 * 8)) & 255u);
  }
  PG_FN static int one(const u8 *r, int k, int n) {
    return r[k / 4 * 128 + n * 4 + k % 4];
  }
  PG_FN static u32x16 word(const u8 *r, int s, int v) {
    return load_words(r + s * 128 + v * 64);
  }
};

// The upper 2 of 6 bits: word s * 32 + 16 v + l holds, for s = 0, 1, the bits
// of inputs 4 s … 4 s + 3 of each quarter of the record, lowest quarter lowest.
struct Pairs {
  static constexpr int kBytes = 256;
  PG_FN static i32x16 lanes(const u8 *r, int k, int v) {
    u32x16 words = load_words(r + k % 8 / 4 * 128 + v * 64);
    return (i32x16)((words >> (k % 4 * 8 + k / 8 * 2)) & 3u);
  }
  PG_FN static int one(const u8 *r, int k, int n) {
    return r[k % 8 / 4 * 128 + n * 4 + k % 4] >> (k / 8 * 2) & 3;
  }
  PG_FN static u32x16 word(const u8 *r, int s, int v) {
    return load_words(r + s % 2 * 128 + v * 64) >> (s / 2 * 2) & 0x03030303u;
  }
};

// Codes, then 32 scales of f16 (and 32 minimums).
template <class Codes, int Bits, int Offset, bool Minimum>
struct HalfScaled {
  static constexpr int kBlock = 32, kGroup = 32;
  static constexpr int kBits = Bits, kOffset = Offset;
  static constexpr bool kScaled = true, kMinimum = Minimum;
  static constexpr int kRecordBytes = Codes::kBytes + (Minimum ? 128 : 64);
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return to_float(Codes::lanes(r, k, v) - Offset);
  }
  PG_FN static u32x16 word(const u8 *r, int s, int v) {
    return Codes::word(r, s, v);
  }
  PG_FN static f32x16 scale(const u8 *r, int, int v) {
    return load_halves(r + Codes::kBytes + v * 32);
  }
  PG_FN static f32x16 minimum(const u8 *r, int, int v) {
    return load_halves(r + Codes::kBytes + 64 + v * 32);
  }
  PG_FN static float element(const u8 *tile, int k, int n) {
    const u8 *r = tile + k / kBlock * kRecordBytes;
    float code = static_cast<float>(Codes::one(r, k % kBlock, n) - Offset);
    float scale = load_half(r + Codes::kBytes + n * 2);
    if constexpr (Minimum)
      return fma(scale, code, load_half(r + Codes::kBytes + 64 + n * 2));
    return scale * code;
  }
};
using Q4_0 = HalfScaled<Nibbles, 4, 8, false>;
using Q4_1 = HalfScaled<Nibbles, 4, 0, true>;
using Q8_0 = HalfScaled<Bytes, 8, 128, false>; // stored with 128 added

// 256 inputs: 32 f16 scales and 32 f16 minimums for all, then 8 times 32
// inputs: nibbles, 32 scales and 32 minimums of 6 bits in bytes.
struct Q4_K {
  static constexpr int kBlock = 256, kGroup = 32;
  static constexpr int kBits = 4, kOffset = 0;
  static constexpr bool kScaled = true, kMinimum = true;
  static constexpr int kPartBytes = Nibbles::kBytes + 64;
  static constexpr int kRecordBytes = 128 + 8 * kPartBytes;
  PG_FN static const u8 *part(const u8 *r, int g) {
    return r + 128 + g * kPartBytes;
  }
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    return to_float(Nibbles::lanes(part(r, k / 32), k % 32, v));
  }
  PG_FN static u32x16 word(const u8 *r, int s, int v) {
    return Nibbles::word(part(r, s / 8), s % 8, v);
  }
  PG_FN static f32x16 scale(const u8 *r, int g, int v) {
    return load_halves(r + v * 32) *
           to_float(load_bytes(part(r, g) + Nibbles::kBytes + v * 16));
  }
  PG_FN static f32x16 minimum(const u8 *r, int g, int v) {
    return load_halves(r + 64 + v * 32) *
           to_float(load_bytes(part(r, g) + Nibbles::kBytes + 32 + v * 16)) *
           -1.0f;
  }
  PG_FN static float element(const u8 *tile, int k, int n) {
    const u8 *r = tile + k / kBlock * kRecordBytes;
    const u8 *p = part(r, k % kBlock / 32);
    float code = static_cast<float>(Nibbles::one(p, k % 32, n));
    float scale = load_half(r + n * 2) * p[Nibbles::kBytes + n];
    float minimum = load_half(r + 64 + n * 2) * p[Nibbles::kBytes + 32 + n];
    return fma(scale, code, -minimum);
  }
};

// 256 inputs: 32 f16 scales for all, then 8 times 32 inputs: nibbles, pairs of
// upper bits, and for each half of the inputs 32 signed scales in bytes.
struct Q6_K {
  static constexpr int kBlock = 256, kGroup = 16;
  static constexpr int kBits = 6, kOffset = 32;
  static constexpr bool kScaled = true, kMinimum = false;
  static constexpr int kScales = Nibbles::kBytes + Pairs::kBytes;
  static constexpr int kPartBytes = kScales + 64;
  static constexpr int kRecordBytes = 64 + 8 * kPartBytes;
  PG_FN static const u8 *part(const u8 *r, int g) {
    return r + 64 + g * kPartBytes;
  }
  PG_FN static f32x16 code(const u8 *r, int k, int v) {
    const u8 *p = part(r, k / 32);
    i32x16 low = Nibbles::lanes(p, k % 32, v);
    i32x16 high = Pairs::lanes(p + Nibbles::kBytes, k % 32, v);
    return to_float((low | high << 4) - 32);
  }
  PG_FN static u32x16 word(const u8 *r, int s, int v) {
    const u8 *p = part(r, s / 8);
    return Nibbles::word(p, s % 8, v) |
           Pairs::word(p + Nibbles::kBytes, s % 8, v) << 4;
  }
  PG_FN static f32x16 scale(const u8 *r, int g, int v) {
    const u8 *scales = part(r, g / 2) + kScales + g % 2 * 32 + v * 16;
    return load_halves(r + v * 32) * to_float(load_signed_bytes(scales));
  }
  PG_FN static f32x16 minimum(const u8 *, int, int) { return f32x16{}; }
  PG_FN static float element(const u8 *tile, int k, int n) {
    const u8 *r = tile + k / kBlock * kRecordBytes;
    const u8 *p = part(r, k % kBlock / 32);
    int low = Nibbles::one(p, k % 32, n);
    int high = Pairs::one(p + Nibbles::kBytes, k % 32, n);
    i8 scale = static_cast<i8>(p[kScales + k % 32 / 16 * 32 + n]);
    return load_half(r + n * 2) * scale *
           static_cast<float>((low | high << 4) - 32);
  }
};

// Bytes of one tile of 32 outputs and K inputs.
template <class Format, int K>
inline constexpr i64 kTileBytes =
    i64((K + Format::kBlock - 1) / Format::kBlock) * Format::kRecordBytes;

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_FORMATS_H
