// Linears on activations in 8 bits with weights of integer codes. Fast mode.
//
// The order of sums stands in linear/multiply_i8.h.
//
// Config as in linear_f32.h; the input holds rows of core/quantized_row.h.

#ifndef PAGODA_KERNELS_LINEAR_LINEAR_I8_H
#define PAGODA_KERNELS_LINEAR_LINEAR_I8_H

#include "linear/multiply_amx.h"
#include "linear/multiply_i8.h"
#include "linear/tiles.h"

namespace pagoda {

// From this many rows on, a tile's codes are spread to bytes once for all.
inline constexpr int kRowsWorthSpreading = 4;

template <class... Linear>
inline constexpr bool kSameFormat = false;
template <class First, class... Rest>
inline constexpr bool kSameFormat<First, Rest...> =
    (__is_same(typename First::Format, typename Rest::Format) && ...);

template <class Config>
struct LinearI8 {
  using Row = QuantizedRow<Config::kK>;
  using Segments = typename Config::Segments;
  // The spread copy of one tile.
  static constexpr unsigned kSpreadBytes = Config::kK * kTile;
  static constexpr int kMostStreams = most_linears(Segments{}) > kIntegerTiles
                                          ? most_linears(Segments{})
                                          : kIntegerTiles;
  static constexpr unsigned kScratchBytes = kSpreadBytes * kMostStreams;

  static i64 tiles(const PagodaLaunch &launch) {
    return row_blocks(launch) * (is_many(launch)
                                     ? output_units<kIntegerTiles>(Segments{})
                                     : output_units<1>(Segments{}));
  }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    if (is_many(launch)) {
      if (has_matrix_unit(launch))
        begin_matrix_unit();
      run_units<kIntegerTiles, true>(launch, first, last);
      if (has_matrix_unit(launch))
        end_matrix_unit();
    } else {
      run_units<1, false>(launch, first, last);
    }
  }

private:
  PG_FN static bool is_many(const PagodaLaunch &launch) {
    return launch.rows >= kRowsWorthSpreading;
  }
  PG_FN static i64 row_blocks(const PagodaLaunch &launch) {
    return ceil_div(launch.rows, kRowsPerTile);
  }

  template <int Tiles, bool kSpread>
  PG_FN static void run_units(const PagodaLaunch &launch, i64 first, i64 last) {
    i64 blocks = row_blocks(launch), spreadUnit = -1;
    for (i64 tile = first; tile < last; ++tile) {
      bool isNew = spreadUnit != tile / blocks;
      spreadUnit = tile / blocks;
      i64 row = tile % blocks * kRowsPerTile;
      at_unit<Tiles>(
          Segments{}, tile / blocks, [&](auto segment, auto unit, i64 n) {
            Unit<decltype(segment), unit.kTiles, kSpread>(launch, n).run(
                row, smaller(row + kRowsPerTile, launch.rows), isNew);
          });
    }
  }

  // Tiles n … n + Tiles - 1 of the outputs of a segment.
  template <class Segment, int Tiles, bool kSpread>
  class Unit {
  public:
    PG_FN Unit(const PagodaLaunch &launch, i64 n) : launch(launch), n(n) {
      set_streams(typename Segment::Linears{});
    }

    PG_FN void run(i64 row, i64 last, bool isNew) {
      if constexpr (kSpread) {
        if (isNew)
          spread(typename Segment::Linears{});
        if (has_matrix_unit(launch))
          row = run_matrix_rows(row, last, typename Segment::Linears{});
        for (; row + kIntegerRows <= last; row += kIntegerRows)
          run_rows<kIntegerRows>(row, typename Segment::Linears{});
        if constexpr (kIntegerRows > 4)
          for (; row + 4 <= last; row += 4)
            run_rows<4>(row, typename Segment::Linears{});
      }
      for (; row < last; ++row)
        run_rows<1>(row, typename Segment::Linears{});
    }

  private:
    static constexpr int kLinears = count(typename Segment::Linears{});
    // Tiles of the first linear, then those of the next.
    static constexpr int kStreams = kLinears * Tiles;

    template <class... Linear>
    PG_FN void set_streams(Types<Linear...>) {
      int stream = 0;
      (
          [&] {
            for (int t = 0; t < Tiles; ++t, ++stream)
              streams[stream] = {
                  argument<const u8>(launch, Linear::kWeight) +
                      (n + t) * kTileBytes<typename Linear::Format, Config::kK>,
                  static_cast<const u8 *>(launch.scratch) +
                      stream * kSpreadBytes};
          }(),
          ...);
    }

    template <class... Linear>
    PG_FN void spread(Types<Linear...>) {
      int stream = 0;
      (
          [&] {
            for (int t = 0; t < Tiles; ++t, ++stream)
              spread_tile<typename Linear::Format, Config::kK>(
                  streams[stream].records, launch.prefetch,
                  static_cast<u8 *>(launch.scratch) + stream * kSpreadBytes);
          }(),
          ...);
    }

    // As many rows as go 16 by 16; returns the next one.
    template <class... Linear>
    PG_FN i64 run_matrix_rows(i64 row, i64 last, Types<Linear...>) {
      if constexpr ((kMatrixUnit<typename Linear::Format> && ...))
        for (; row + kMatrixRows <= last; row += kMatrixRows)
          run_matrix<Linear...>(row);
      return row;
    }

    template <class... Linear>
    void run_matrix(i64 row) {
      const u8 *rows =
          argument_row<const u8>(launch, Config::kInput, row, Row::kBytes);
      f32x16 total[kStreams][2][kMatrixRows];
      int stream = 0;
      (
          [&] {
            for (int t = 0; t < Tiles; ++t, ++stream)
              multiply_by_matrix_unit<typename Linear::Format, Config::kK>(
                  streams[stream], rows, total[stream]);
          }(),
          ...);
      constexpr int kPart = 4;
      for (int part = 0; part < kMatrixRows; part += kPart)
        for (int t = 0; t < Tiles; ++t)
          finish_rows<Segment, kPart>(
              launch, row + part, n + t, [&](int i, int v, int r) {
                return total[i * Tiles + t][v][part + r];
              });
    }

    template <int R, class... Linear>
    void run_rows(i64 row, Types<Linear...>) {
      const u8 *rows =
          argument_row<const u8>(launch, Config::kInput, row, Row::kBytes);
      f32x16 total[2 * kStreams][R] = {};
      if constexpr (kStreams <= kIntegerTiles && kSameFormat<Linear...>) {
        using Format = typename First<Linear...>::Type::Format;
        multiply_tiles<Format, Config::kK, R, kStreams, kSpread>(
            streams, rows, launch.prefetch, total);
      } else {
        int stream = 0;
        (
            [&] {
              for (int t = 0; t < Tiles; ++t, ++stream)
                multiply_stream<typename Linear::Format, R>(stream, rows,
                                                            total);
            }(),
            ...);
      }
      for (int t = 0; t < Tiles; ++t)
        finish_rows<Segment, R>(launch, row, n + t, [&](int i, int v, int r) {
          return total[2 * (i * Tiles + t) + v][r];
        });
    }

    template <class Format, int R>
    PG_FN void multiply_stream(int stream, const u8 *rows,
                               f32x16 (&total)[2 * kStreams][R]) {
      TileCodes one[1] = {streams[stream]};
      f32x16 sums[2][R] = {};
      multiply_tiles<Format, Config::kK, R, 1, kSpread>(one, rows,
                                                        launch.prefetch, sums);
      for (int v = 0; v < 2; ++v)
        for (int r = 0; r < R; ++r)
          total[2 * stream + v][r] = sums[v][r];
    }

    const PagodaLaunch &launch;
    i64 n;
    TileCodes streams[kStreams];
  };
};

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_LINEAR_I8_H
