// Weights in the layout `tile32` (docs/packing.md): a matrix [N, K] is cut into
// tiles of 32 outputs, a tile into records of kBlock inputs, records follow
// each other in one linear stream.
//
// Each format says
//   kBlock, kRecordBytes   inputs and bytes of a record
//   kGroup                 inputs that share a scale
//   element(tile, k, n)    one number of a tile, for gathering rows
// What CPU kernels stream is in core/format_vectors.h.

#ifndef PAGODA_KERNELS_CORE_FORMATS_H
#define PAGODA_KERNELS_CORE_FORMATS_H

#include "core/target.h"

namespace pagoda {

inline constexpr int kTile = 32;

PG_FN float load_half(const u8 *p) {
  return to_float(*reinterpret_cast<const f16 *>(p));
}

// [32 inputs][32 outputs] of f32.
struct F32 {
  static constexpr int kBlock = 32, kGroup = 32, kRecordBytes = 4096;
  PG_FN static float element(const u8 *tile, int k, int n) {
    return reinterpret_cast<const float *>(tile)[k * kTile + n];
  }
};

// [32 inputs][32 outputs] of f16.
struct F16 {
  static constexpr int kBlock = 32, kGroup = 32, kRecordBytes = 2048;
  PG_FN static float element(const u8 *tile, int k, int n) {
    return load_half(tile + (k * kTile + n) * 2);
  }
};

// [16 pairs of inputs][32 outputs][2] of bf16, as dot products of pairs read.
struct BF16 {
  static constexpr int kBlock = 32, kGroup = 32, kRecordBytes = 2048;
  PG_FN static float element(const u8 *tile, int k, int n) {
    u32 bits =
        *reinterpret_cast<const u16 *>(tile + k / 2 * 128 + n * 4 + k % 2 * 2);
    return bits_to_float(bits << 16);
  }
};

// Codes of 4 bits: word 32 s + n holds, for s = 0 … 3, inputs 4 s … 4 s + 3 in
// the low nibbles of its bytes and 16 more in the high ones.
struct Nibbles {
  static constexpr int kBytes = 512;
  PG_FN static int one(const u8 *r, int k, int n) {
    return r[k % 16 / 4 * 128 + n * 4 + k % 4] >> (k / 16 * 4) & 15;
  }
};

// Codes of 8 bits: word 32 s + n holds inputs 4 s … 4 s + 3.
struct Bytes {
  static constexpr int kBytes = 1024;
  PG_FN static int one(const u8 *r, int k, int n) {
    return r[k / 4 * 128 + n * 4 + k % 4];
  }
};

// The upper 2 of 6 bits: word 32 s + n holds, for s = 0, 1, the bits of inputs
// 4 s … 4 s + 3 of each quarter of the record, lowest quarter lowest.
struct Pairs {
  static constexpr int kBytes = 256;
  PG_FN static int one(const u8 *r, int k, int n) {
    return r[k % 8 / 4 * 128 + n * 4 + k % 4] >> (k / 8 * 2) & 3;
  }
};

// Codes, then 32 scales of f16 (and 32 minimums). A stored code stands for
// code - Offset.
template <class CodePlane, int Bits, int Offset, bool Minimum>
struct HalfScaled {
  using Codes = CodePlane;
  static constexpr int kBlock = 32, kGroup = 32;
  static constexpr int kBits = Bits, kOffset = Offset;
  static constexpr bool kMinimum = Minimum;
  static constexpr int kRecordBytes = Codes::kBytes + (Minimum ? 128 : 64);
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
using Q8_0 = HalfScaled<Bytes, 8, 128, false>;

// 256 inputs: 32 f16 scales and 32 f16 minimums for all, then 8 times 32
// inputs: nibbles, 32 scales and 32 minimums of 6 bits in bytes.
struct Q4_K {
  static constexpr int kBlock = 256, kGroup = 32;
  static constexpr int kBits = 4, kOffset = 0;
  static constexpr bool kMinimum = true;
  static constexpr int kPartBytes = Nibbles::kBytes + 64;
  static constexpr int kRecordBytes = 128 + 8 * kPartBytes;
  PG_FN static const u8 *part(const u8 *r, int g) {
    return r + 128 + g * kPartBytes;
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
  static constexpr bool kMinimum = false;
  static constexpr int kScales = Nibbles::kBytes + Pairs::kBytes;
  static constexpr int kPartBytes = kScales + 64;
  static constexpr int kRecordBytes = 64 + 8 * kPartBytes;
  PG_FN static const u8 *part(const u8 *r, int g) {
    return r + 64 + g * kPartBytes;
  }
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
