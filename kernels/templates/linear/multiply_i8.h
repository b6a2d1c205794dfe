// Rows of activations in 8 bits times tiles of weights with integer codes.
//
// Order of sums, the same for one row or a thousand and for any vector length:
// output n of a row starts at 0. For each group of weights in order, the codes'
// products are summed exactly in integers, less the offset of the format; then
//   t   = float(sum) * scale[n]                 the weight's scale
//   t   = fma(minimum[n], float(codes' sum), t) formats with minimums
//   sum = fma(t, activation scale, sum)

#ifndef PAGODA_KERNELS_LINEAR_MULTIPLY_I8_H
#define PAGODA_KERNELS_LINEAR_MULTIPLY_I8_H

#include "core/dot.h"
#include "core/format_vectors.h"
#include "core/quantized_row.h"

namespace pagoda {

// Rows and tiles that are multiplied at once. Their integer sums fill the
// vector registers; what they are added to lies in memory.
#if defined(__AVX512F__)
inline constexpr int kIntegerRows = 6;
inline constexpr int kIntegerTiles = 2;
#else
inline constexpr int kIntegerRows = 2;
inline constexpr int kIntegerTiles = 1;
#endif

// Sums start at an integer that reads as the float 1.5 * 2^23, where floats
// count in ones: the final bits read as that plus the sum, |sum| < 2^22. So
// float(sum) * scale is fma(bits, scale, -1.5 * 2^23 * scale) with one
// rounding, because scales have at most 17 significant bits and the last
// product is exact.
inline constexpr i32 kFloatBase = 0x4b400000;
inline constexpr float kFloatBaseValue = 12582912.0f;

// A tile of weights: its records, and where many rows go through it, its codes
// spread to bytes: one half of the outputs after the other, each a linear
// stream, 8 vectors for 32 inputs.
struct TileCodes {
  const u8 *records;
  const u8 *spread;
};

// Codes of inputs k0 + 16 h + 4 s … + 3 of half v of the outputs.
template <class Format, int K, bool kSpread>
PG_FN u32x16 load_codes(const TileCodes &tile, int k0, int h, int s, int v) {
  if constexpr (kSpread)
    return load_words(tile.spread + v * K * 16 + k0 * 16 + h * 256 + s * 64);
  const u8 *record =
      tile.records + i64(k0 / Format::kBlock) * Format::kRecordBytes;
  CodePair pair = Vectors<Format>::pair(record, k0 % Format::kBlock / 32, s, v);
  return h == 0 ? pair.low : pair.high;
}

template <class Format, int K>
PG_FN void spread_tile(const u8 *tile, i64 ahead, u8 *out) {
  constexpr int kParts = Format::kBlock / 32;
  for (int k = 0; k < K; k += Format::kBlock, tile += Format::kRecordBytes) {
    prefetch_record<Format::kRecordBytes>(tile, ahead);
    for (int part = 0; part < kParts; ++part, out += 512)
#pragma clang loop unroll(full)
      for (int i = 0; i < 8; ++i) {
        CodePair pair = Vectors<Format>::pair(tile, part, i / 2, i % 2);
        u8 *to = out + i % 2 * K * 16 + i / 2 * 64;
        *reinterpret_cast<u32x16_any *>(to) = pair.low;
        *reinterpret_cast<u32x16_any *>(to + 256) = pair.high;
      }
  }
}

// Where the integer sums of a row begin in group g (of the whole row): what
// undoes the offset of the codes is the same for all outputs.
template <class Format, int K>
PG_FN i32x16 integer_start(const u8 *row, int g) {
  constexpr int kUndo = kDotBias<Format::kBits> - Format::kOffset;
  using Row = QuantizedRow<K>;
  if constexpr (kUndo == 0)
    return splat(kFloatBase);
  else if constexpr (Format::kGroup == 32) // exact, as floats of that size are
    return (i32x16)fma(splat(static_cast<float>(kUndo)),
                       splat(Row::sums(row)[g]), splat(kFloatBaseValue));
  else
    return splat(kFloatBase + kUndo * Row::half_sums(row)[g]);
}

// total[2 t + v][r] += the products of R rows (byte stride Row::kBytes) with
// half v of the outputs of tile t. Where records are streamed, they are asked
// for `ahead` bytes before. Not inlined: segments and kernels share it.
template <class Format, int K, int R, int Tiles, bool kSpread>
[[gnu::noinline]] void multiply_tiles(const TileCodes (&tiles)[Tiles],
                                      const u8 *rows, i64 ahead,
                                      f32x16 (&total)[2 * Tiles][R]) {
  using Row = QuantizedRow<K>;
  using Codes = Vectors<Format>;
  constexpr int kGroup = Format::kGroup;
  for (int k0 = 0; k0 < K; k0 += 32) {
    i64 at = i64(k0 / Format::kBlock) * Format::kRecordBytes;
    int part = k0 % Format::kBlock / 32;
    if (!kSpread && part == 0)
      for (int t = 0; t < Tiles; ++t)
        prefetch_record<Format::kRecordBytes>(tiles[t].records + at, ahead);
    for (int g = 0; g < 32 / kGroup; ++g) {
      int group = k0 / kGroup + g;
      i32x16 products[2 * Tiles][R];
      for (int r = 0; r < R; ++r) {
        i32x16 start = integer_start<Format, K>(rows + r * Row::kBytes, group);
        for (int i = 0; i < 2 * Tiles; ++i)
          products[i][r] = start;
      }
      // Halves of 32 inputs: both, or the one that is this group.
      constexpr int kHalves = kGroup / 16;
#pragma clang loop unroll(full)
      for (int s = 0; s < 4; ++s)
#pragma clang loop unroll(full)
        for (int h = g; h < g + kHalves; ++h) {
          u32x16 codes[2 * Tiles];
          for (int i = 0; i < 2 * Tiles; ++i)
            codes[i] =
                load_codes<Format, K, kSpread>(tiles[i / 2], k0, h, s, i % 2);
          for (int r = 0; r < R; ++r) {
            u32 four = load_four(Row::codes(rows + r * Row::kBytes) + k0 +
                                 h * 16 + s * 4);
            for (int i = 0; i < 2 * Tiles; ++i)
              products[i][r] =
                  dot<Format::kBits>(products[i][r], codes[i], four);
          }
        }
      // First what needs a tile's scales only, then what needs each row's: so
      // little is in registers beside the products at any time.
      f32x16 sums[2 * Tiles][R];
      int scales = part * (32 / kGroup) + g;
      for (int i = 0; i < 2 * Tiles; ++i) {
        f32x16 scale = Codes::scale(tiles[i / 2].records + at, scales, i % 2);
        f32x16 base = scale * -kFloatBaseValue;
        for (int r = 0; r < R; ++r)
          sums[i][r] = fma(as_float(products[i][r]), scale, base);
      }
      for (int t = 0; t < Tiles; ++t) {
        const u8 *record = tiles[t].records + at;
        f32x16 minimum[2] = {Codes::minimum(record, scales, 0),
                             Codes::minimum(record, scales, 1)};
        for (int r = 0; r < R; ++r) {
          const u8 *row = rows + r * Row::kBytes;
          f32x16 activation = splat(Row::scales(row)[k0 / kActivationGroup]);
          for (int v = 0; v < 2; ++v) {
            f32x16 sum = sums[2 * t + v][r];
            if constexpr (Format::kMinimum)
              sum = fma(minimum[v], splat(Row::sums(row)[group]), sum);
            f32x16 &to = total[2 * t + v][r];
            to = fma(sum, activation, to);
          }
        }
      }
      // Keeps the totals out of registers, which the products need.
      if constexpr (R > 1)
        asm volatile("" : : "r"(&total) : "memory");
    }
  }
}

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_MULTIPLY_I8_H
