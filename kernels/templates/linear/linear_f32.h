// Linears on float32 activations with weights of any format, decoded in
// registers. Exact mode.
//
// Order of sums, the same for one row or a thousand and for any vector length:
// output n of a row starts at 0. For each group of inputs in order, a partial
// sum starts at 0 and takes t = fma(code[n, k], x[k], t) for each k in order;
// then sum = fma(scale, t, sum) (sum + t for floats) and, for formats with
// minimums, sum = fma(minimum, s, sum), with s the sum of the group's inputs
// by `group_sum`.
//
// Config: kInput, kK, Segments (linear/tiles.h). A linear: Format,
// kWeight (its argument).

#ifndef PAGODA_KERNELS_LINEAR_LINEAR_F32_H
#define PAGODA_KERNELS_LINEAR_LINEAR_F32_H

#include "linear/tiles.h"

namespace pagoda {

// Rows computed at once: bounded by vector registers.
#if defined(__AVX512F__)
inline constexpr int kRowsAtOnce = 6;
#else
inline constexpr int kRowsAtOnce = 2;
#endif

// The sum of 32 or 16 inputs: vectors of 16 added, then a tree over lanes.
template <int Group>
PG_FN float group_sum(const float *x) {
  f32x16 v = load(x, At{0});
  if constexpr (Group == 32)
    v = v + load(x, At{16});
  return reduce_sum(v);
}

// sums[r][v] for R rows of inputs x (row stride kK) and one tile of weights,
// whose records are asked for `ahead` bytes before.
template <class Format, int K, int R>
PG_FN void multiply_tile(const u8 *tile, const float *x, i64 ahead,
                         f32x16 (&sums)[R][2]) {
  for (int r = 0; r < R; ++r)
    sums[r][0] = sums[r][1] = f32x16{};
  for (int k0 = 0; k0 < K; k0 += Format::kGroup) {
    const u8 *record = tile + i64(k0 / Format::kBlock) * Format::kRecordBytes;
    int group = k0 % Format::kBlock / Format::kGroup;
    int count = K - k0 < Format::kGroup ? K - k0 : Format::kGroup;
    if (group == 0)
      prefetch_record<Format::kRecordBytes>(record, ahead);
    f32x16 partial[R][2] = {};
#pragma clang loop unroll_count(4)
    for (int k = 0; k < count; ++k) {
      f32x16 w0 = Vectors<Format>::code(record, k0 % Format::kBlock + k, 0);
      f32x16 w1 = Vectors<Format>::code(record, k0 % Format::kBlock + k, 1);
      for (int r = 0; r < R; ++r) {
        f32x16 input = splat(x[i64(r) * K + k0 + k]);
        partial[r][0] = fma(w0, input, partial[r][0]);
        partial[r][1] = fma(w1, input, partial[r][1]);
      }
    }
    for (int v = 0; v < 2; ++v) {
      if constexpr (Vectors<Format>::kScaled) {
        f32x16 scale = Vectors<Format>::scale(record, group, v);
        for (int r = 0; r < R; ++r)
          sums[r][v] = fma(scale, partial[r][v], sums[r][v]);
      } else {
        for (int r = 0; r < R; ++r)
          sums[r][v] = sums[r][v] + partial[r][v];
      }
      if constexpr (Vectors<Format>::kMinimum) {
        f32x16 minimum = Vectors<Format>::minimum(record, group, v);
        for (int r = 0; r < R; ++r) {
          float sum = group_sum<Format::kGroup>(x + i64(r) * K + k0);
          sums[r][v] = fma(minimum, splat(sum), sums[r][v]);
        }
      }
    }
  }
}

template <class Config>
struct LinearF32 {
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) {
    return output_units<1>(typename Config::Segments{}) * row_blocks(launch);
  }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    i64 rows = launch.rows, blocks = row_blocks(launch);
    for (i64 tile = first; tile < last; ++tile)
      at_unit<1>(typename Config::Segments{}, tile / blocks,
                 [&](auto segment, auto, i64 n) {
                   i64 row = tile % blocks * kRowsPerTile;
                   run_rows<decltype(segment)>(
                       launch, n, row, smaller(row + kRowsPerTile, rows));
                 });
  }

private:
  PG_FN static i64 row_blocks(const PagodaLaunch &launch) {
    return ceil_div(launch.rows, kRowsPerTile);
  }

  template <class Segment>
  static void run_rows(const PagodaLaunch &launch, i64 n, i64 row, i64 last) {
    for (; row + kRowsAtOnce <= last; row += kRowsAtOnce)
      run_some<Segment, kRowsAtOnce>(launch, n, row,
                                     typename Segment::Linears{});
    for (; row < last; ++row)
      run_some<Segment, 1>(launch, n, row, typename Segment::Linears{});
  }

  template <class Segment, int R, class... Linear>
  static void run_some(const PagodaLaunch &launch, i64 n, i64 row,
                       Types<Linear...>) {
    constexpr int kCount = sizeof...(Linear);
    const float *x =
        argument_row<const float>(launch, Config::kInput, row, Config::kK);
    f32x16 sums[kCount][R][2];
    int i = 0;
    (multiply_tile<typename Linear::Format, Config::kK, R>(
         argument<const u8>(launch, Linear::kWeight) +
             n * kTileBytes<typename Linear::Format, Config::kK>,
         x, launch.prefetch, sums[i++]),
     ...);
    finish_rows<Segment, R>(launch, row, n,
                            [&](int i, int v, int r) { return sums[i][r][v]; });
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_LINEAR_F32_H
