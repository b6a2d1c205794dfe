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

// Rows computed at once: bounded by vector registers.
#if defined(__AVX512F__)
inline constexpr int kIntegerRows = 6;
#else
inline constexpr int kIntegerRows = 2;
#endif
// From this many rows on, a tile's codes are spread to bytes once for all.
inline constexpr int kRowsWorthSpreading = 16;

// A tile with one code a byte, as its scratch copy has it; scales stay where
// they are. Layout: word s * 32 + 16 v + l, as Bytes.
struct Spread {
  const u8 *bytes;
  PG_FN u32x16 word(int s, int v) const {
    return load_words(bytes + s * 128 + v * 64);
  }
};

template <class Format, int K>
PG_FN void spread_tile(const u8 *tile, u8 *out) {
  constexpr int kSteps = Format::kBlock / 4;
  for (int k = 0; k < K; k += Format::kBlock, tile += Format::kRecordBytes)
#pragma clang loop unroll_count(4)
    for (int s = 0; s < kSteps; ++s)
      for (int v = 0; v < 2; ++v, out += 64)
        *reinterpret_cast<u32x16_any *>(out) = Vectors<Format>::word(tile, s, v);
}

// sums[r][v] for R rows (byte stride Row::kBytes) and one tile of weights;
// with kSpread its codes come from `spread`.
template <class Format, int K, int R, bool kSpread>
PG_FN void multiply_tile_i8(const u8 *tile, const u8 *spread, const u8 *rows,
                            f32x16 (&sums)[R][2]) {
  using Row = QuantizedRow<K>;
  constexpr int kGroup = Format::kGroup, kSteps = kGroup / 4;
  // What each unit of the activations' sum adds to undo code offsets.
  constexpr int kUndo = kDotBias<Format::kBits> - Format::kOffset;
  for (int r = 0; r < R; ++r)
    sums[r][0] = sums[r][1] = f32x16{};
  for (int k0 = 0; k0 < K; k0 += kGroup) {
    const u8 *record = tile + i64(k0 / Format::kBlock) * Format::kRecordBytes;
    int group = k0 % Format::kBlock / kGroup;
    int codeSums[R];
    i32x16 products[R][2];
    for (int r = 0; r < R; ++r) {
      const i16 *parts = Row::sums(rows + r * Row::kBytes) + k0 / 16;
      codeSums[r] = kGroup == 32 ? parts[0] + parts[1] : parts[0];
      products[r][0] = products[r][1] = splat(i32(kUndo * codeSums[r]));
    }
#pragma clang loop unroll_count(4)
    for (int s = 0; s < kSteps; ++s) {
      u32x16 w[2];
      for (int v = 0; v < 2; ++v)
        if constexpr (kSpread)
          w[v] = Spread{spread}.word(k0 / 4 + s, v);
        else
          w[v] = Vectors<Format>::word(record, k0 % Format::kBlock / 4 + s, v);
      for (int r = 0; r < R; ++r) {
        u32 four = load_four(Row::codes(rows + r * Row::kBytes) + k0 + s * 4);
        products[r][0] = dot<Format::kBits>(products[r][0], w[0], four);
        products[r][1] = dot<Format::kBits>(products[r][1], w[1], four);
      }
    }
    for (int v = 0; v < 2; ++v) {
      f32x16 scale = Vectors<Format>::scale(record, group, v);
      f32x16 minimum = Vectors<Format>::minimum(record, group, v);
      for (int r = 0; r < R; ++r) {
        f32x16 t = to_float(products[r][v]) * scale;
        if constexpr (Format::kMinimum)
          t = fma(minimum, splat(static_cast<float>(codeSums[r])), t);
        float activation =
            Row::scales(rows + r * Row::kBytes)[k0 / kActivationGroup];
        sums[r][v] = fma(t, splat(activation), sums[r][v]);
      }
    }
  }
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
      for (; row + kIntegerRows <= last; row += kIntegerRows)
        run_some<Segment, kIntegerRows, true>(launch, n, row, Linears{});
      for (; row < last; ++row)
        run_some<Segment, 1, true>(launch, n, row, Linears{});
      return;
    }
    for (; row + kIntegerRows <= last; row += kIntegerRows)
      run_some<Segment, kIntegerRows, false>(launch, n, row, Linears{});
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
    const u8 *rows = argument_row<const u8>(launch, Config::kInput, row,
                                            Row::kBytes);
    const u8 *spread = static_cast<const u8 *>(launch.scratch);
    f32x16 sums[kCount][R][2];
    int i = 0;
    ((multiply_tile_i8<typename Linear::Format, Config::kK, R, kSpread>(
          tile_of<Linear>(launch, n), spread + i * kSpreadBytes, rows,
          sums[i]),
      ++i),
     ...);
    for (int r = 0; r < R; ++r) {
      f32x16 linear[kCount][2];
      for (int j = 0; j < kCount; ++j)
        for (int v = 0; v < 2; ++v)
          linear[j][v] = sums[j][r][v];
      finish_row<Segment>(launch, row + r, n, linear);
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_LINEAR_I8_H
