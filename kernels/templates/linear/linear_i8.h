// Linears on activations in 8 bits with weights of integer codes. Fast mode.
//
// Order of sums, the same for one row or a thousand and for any vector length:
// output n of a row starts at 0. For each group of weights in order, the codes'
// products are summed exactly in integers, less the offset of the format; then
//   t   = float(sum) * scale[n]                 the weight's scale
//   t   = fma(minimum[n], float(codes' sum), t) formats with minimums
//   sum = fma(t, activation scale, sum)
//
// Config as in linear_f32.h; the input holds rows of core/quantized_row.h.

#ifndef PAGODA_KERNELS_LINEAR_LINEAR_I8_H
#define PAGODA_KERNELS_LINEAR_LINEAR_I8_H

#include "core/dot.h"
#include "core/quantized_row.h"
#include "linear/tiles.h"

namespace pagoda {

// Rows computed at once, for 16 outputs: bounded by vector registers. Groups of
// 16 need two sets of accumulators.
template <class Format>
inline constexpr int kIntegerRows =
#if defined(__AVX512F__)
    Format::kGroup == 16 ? 3 : 6;
#else
    Format::kGroup == 16 ? 1 : 2;
#endif
// From this many rows on, a tile's codes are spread to bytes once for all.
inline constexpr int kRowsWorthSpreading = 4;

// Sums start at an integer that reads as the float 1.5 * 2^23, where floats
// count in ones: the final bits read as that plus the sum, |sum| < 2^22. So
// float(sum) * scale is fma(bits, scale, -1.5 * 2^23 * scale) with one
// rounding, because scales have at most 17 significant bits and the last
// product is exact.
inline constexpr i32 kFloatBase = 0x4b400000;
inline constexpr float kFloatBaseValue = 12582912.0f;

// The codes of a tile spread to bytes, in its scratch copy: one half of the
// outputs after the other, each a linear stream, 8 vectors for 32 inputs.
template <int K>
PG_FN CodePair spread_pair(const u8 *spread, int k0, int s, int v) {
  const u8 *from = spread + v * K * 16 + k0 * 16 + s * 64;
  return {load_words(from), load_words(from + 256)};
}

template <class Format, int K>
PG_FN void spread_tile(const u8 *tile, u8 *out) {
  constexpr int kParts = Format::kBlock / 32;
  for (int k = 0; k < K; k += Format::kBlock, tile += Format::kRecordBytes)
    for (int part = 0; part < kParts; ++part, out += 512)
#pragma clang loop unroll(full)
      for (int i = 0; i < 8; ++i) {
        CodePair pair = Vectors<Format>::pair(tile, part, i / 2, i % 2);
        u8 *to = out + i % 2 * K * 16 + i / 2 * 64;
        *reinterpret_cast<u32x16_any *>(to) = pair.low;
        *reinterpret_cast<u32x16_any *>(to + 256) = pair.high;
      }
}

// What a row's sums of codes contribute in each group of a format: where its
// integer sums start, and the sum as a float for minimums.
template <class Format, int K>
struct RowSums {
  static constexpr int kCount = K / Format::kGroup;
  static constexpr int kUndo = kDotBias<Format::kBits> - Format::kOffset;
  i32 start[kCount];
  float sum[kCount];

  PG_FN void compute(const u8 *row) {
    const i16 *halves = QuantizedRow<K>::sums(row);
#pragma clang loop vectorize(enable)
    for (int g = 0; g < kCount; ++g) {
      i32 codes = Format::kGroup == 32 ? halves[2 * g] + halves[2 * g + 1]
                                       : halves[g];
      start[g] = kFloatBase + kUndo * codes;
      if constexpr (Format::kMinimum)
        sum[g] = static_cast<float>(codes);
    }
  }
};

// sums[i][r], the outputs of halves v … v + V - 1 of a tile for R rows (byte
// stride Row::kBytes); with kSpread its codes come from `spread`.
template <class Format, int K, int R, int V, bool kSpread>
PG_FN void multiply_tile_i8(const u8 *tile, const u8 *spread, const u8 *rows,
                            const RowSums<Format, K> (&rowSums)[R], int v,
                            f32x16 (*sums)[R]) {
  using Row = QuantizedRow<K>;
  using Codes = Vectors<Format>;
  constexpr int kGroups = 32 / Format::kGroup; // in 32 inputs
  f32x16 total[V][R] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    const u8 *record = tile + i64(k0 / Format::kBlock) * Format::kRecordBytes;
    int part = k0 % Format::kBlock / 32;
    i32x16 products[kGroups][V][R];
    for (int g = 0; g < kGroups; ++g)
      for (int i = 0; i < V; ++i)
        for (int r = 0; r < R; ++r)
          products[g][i][r] =
              splat(RowSums<Format, K>::kUndo == 0
                        ? kFloatBase
                        : rowSums[r].start[k0 / Format::kGroup + g]);
#pragma clang loop unroll(full)
    for (int s = 0; s < 4; ++s)
      for (int i = 0; i < V; ++i) {
        CodePair w = kSpread ? spread_pair<K>(spread, k0, s, v + i)
                             : Codes::pair(record, part, s, v + i);
        for (int r = 0; r < R; ++r) {
          const i8 *x = Row::codes(rows + r * Row::kBytes) + k0 + s * 4;
          i32x16 &low = products[0][i][r];
          i32x16 &high = products[kGroups - 1][i][r];
          low = dot<Format::kBits>(low, w.low, load_four(x));
          high = dot<Format::kBits>(high, w.high, load_four(x + 16));
        }
      }
    for (int g = 0; g < kGroups; ++g)
      for (int i = 0; i < V; ++i) {
        int group = k0 / Format::kGroup + g;
        f32x16 scale = Codes::scale(record, part * kGroups + g, v + i);
        f32x16 base = scale * -kFloatBaseValue;
        f32x16 minimum = Codes::minimum(record, part * kGroups + g, v + i);
        for (int r = 0; r < R; ++r) {
          f32x16 t = fma(as_float(products[g][i][r]), scale, base);
          if constexpr (Format::kMinimum)
            t = fma(minimum, splat(rowSums[r].sum[group]), t);
          float activation =
              Row::scales(rows + r * Row::kBytes)[k0 / kActivationGroup];
          total[i][r] = fma(t, splat(activation), total[i][r]);
        }
      }
  }
  for (int i = 0; i < V; ++i)
    for (int r = 0; r < R; ++r)
      sums[i][r] = total[i][r];
}

// The fewest rows at once that all linears of a segment can do.
template <class... Linear>
PG_FN constexpr int rows_at_once(Types<Linear...>) {
  int rows = 12;
  ((rows = kIntegerRows<typename Linear::Format> < rows
               ? kIntegerRows<typename Linear::Format>
               : rows),
   ...);
  return rows;
}

template <class Config>
struct LinearI8 {
  using Row = QuantizedRow<Config::kK>;
  // The spread copy of one tile of each linear of a segment.
  static constexpr int kMostLinears = most_linears(typename Config::Segments{});
  static constexpr unsigned kSpreadBytes = Config::kK * kTile;
  static constexpr unsigned kScratchBytes = kSpreadBytes * kMostLinears;

  static i64 tiles(const PagodaLaunch &launch) {
    return output_tiles(typename Config::Segments{}) * row_blocks(launch);
  }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    i64 blocks = row_blocks(launch), spreadTile = -1;
    for (i64 tile = first; tile < last; ++tile) {
      bool isNew = spreadTile != tile / blocks;
      spreadTile = tile / blocks;
      at_segment(typename Config::Segments{}, tile / blocks,
                 [&](auto segment, i64 n) {
                   i64 row = tile % blocks * kRowsPerTile;
                   run_rows<decltype(segment)>(
                       launch, n, row,
                       smaller(row + kRowsPerTile, launch.rows), isNew);
                 });
    }
  }

private:
  PG_FN static i64 row_blocks(const PagodaLaunch &launch) {
    return ceil_div(launch.rows, kRowsPerTile);
  }

  template <class Segment>
  static void run_rows(const PagodaLaunch &launch, i64 n, i64 row, i64 last,
                       bool isNew) {
    using Linears = typename Segment::Linears;
    if (launch.rows >= kRowsWorthSpreading) {
      if (isNew)
        spread(launch, n, Linears{});
      constexpr int kRows = rows_at_once(Linears{});
      for (; row + kRows <= last; row += kRows)
        run_some<Segment, kRows, true>(launch, n, row, Linears{});
      if constexpr (kRows > 4)
        for (; row + 4 <= last; row += 4)
          run_some<Segment, 4, true>(launch, n, row, Linears{});
      for (; row < last; ++row)
        run_some<Segment, 1, true>(launch, n, row, Linears{});
      return;
    }
    for (; row < last; ++row)
      run_some<Segment, 1, false>(launch, n, row, Linears{});
  }

  template <class Linear>
  PG_FN static const u8 *tile_of(const PagodaLaunch &launch, i64 n) {
    return argument<const u8>(launch, Linear::kWeight) +
           n * kTileBytes<typename Linear::Format, Config::kK>;
  }

  template <class... Linear>
  static void spread(const PagodaLaunch &launch, i64 n, Types<Linear...>) {
    u8 *out = static_cast<u8 *>(launch.scratch);
    ((spread_tile<typename Linear::Format, Config::kK>(
          tile_of<Linear>(launch, n), out),
      out += kSpreadBytes),
     ...);
  }

  template <class Segment, int R, bool kSpread, class... Linear>
  static void run_some(const PagodaLaunch &launch, i64 n, i64 row,
                       Types<Linear...>) {
    constexpr int kCount = sizeof...(Linear);
    f32x16 sums[kCount][2][R];
    int i = 0;
    ((run_linear<Linear, R, kSpread>(launch, n, row, i, sums[i]), ++i), ...);
    for (int r = 0; r < R; ++r) {
      f32x16 linear[kCount][2];
      for (int j = 0; j < kCount; ++j)
        for (int v = 0; v < 2; ++v)
          linear[j][v] = sums[j][v][r];
      finish_row<Segment>(launch, row + r, n, linear);
    }
  }

  template <class Linear, int R, bool kSpread>
  PG_FN static void run_linear(const PagodaLaunch &launch, i64 n, i64 row,
                               int index, f32x16 (&sums)[2][R]) {
    using Format = typename Linear::Format;
    const u8 *rows =
        argument_row<const u8>(launch, Config::kInput, row, Row::kBytes);
    const u8 *spread =
        static_cast<const u8 *>(launch.scratch) + index * kSpreadBytes;
    RowSums<Format, Config::kK> rowSums[R];
    for (int r = 0; r < R; ++r)
      rowSums[r].compute(rows + r * Row::kBytes);
    const u8 *tile = tile_of<Linear>(launch, n);
    if constexpr (R <= 6) {
      multiply_tile_i8<Format, Config::kK, R, 2, kSpread>(tile, spread, rows,
                                                          rowSums, 0, sums);
    } else {
      for (int v = 0; v < 2; ++v)
        multiply_tile_i8<Format, Config::kK, R, 1, kSpread>(
            tile, spread, rows, rowSums, v, sums + v);
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_LINEAR_I8_H
