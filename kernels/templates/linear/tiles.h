// How the linears of a group share the tiles of one launch. A segment is a set
// of linears with the same outputs that one epilogue joins (gate and up); a
// group is a list of segments over the same input (q, k and v).
//
// A segment provides
//   kN                           its outputs
//   Linears                      Types<…> of what it multiplies with
//   kQuantized                   the argument that takes the epilogue's values
//                                in 8 bits, or -1
//   epilogue(launch, row, at, linear)   what becomes of `linear[i]`, the 16
//                                sums of linear i at columns `at` of a row:
//                                stores all outputs but the quantised one and
//                                returns that

#ifndef PAGODA_KERNELS_LINEAR_TILES_H
#define PAGODA_KERNELS_LINEAR_TILES_H

#include "core/format_vectors.h"
#include "core/quantized_row.h"

namespace pagoda {

// Rows that one tile of work covers: enough to reuse a tile of weights from
// the first cache, few enough to share a long prompt among threads.
inline constexpr int kRowsPerTile = 48;

template <class Segment>
inline constexpr i64 kSegmentTiles = (Segment::kN + kTile - 1) / kTile;

template <class... Linear>
PG_FN constexpr int count(Types<Linear...>) {
  return sizeof...(Linear);
}
template <class... Segment>
PG_FN constexpr int most_linears(Types<Segment...>) {
  int most = 0;
  ((most = count(typename Segment::Linears{}) > most
               ? count(typename Segment::Linears{})
               : most),
   ...);
  return most;
}

// Tiles of outputs are taken in units of work that hold up to Most tiles of
// weights: several of a segment with one linear, one where an epilogue joins
// several linears.
template <int Count>
struct UnitTiles {
  static constexpr int kTiles = Count;
};
template <int Most, class Segment>
inline constexpr int kUnitTiles = Most / count(typename Segment::Linears{}) > 1
                                      ? Most /
                                            count(typename Segment::Linears{})
                                      : 1;
template <int Most, class Segment>
inline constexpr i64 kSegmentUnits =
    (kSegmentTiles<Segment> + kUnitTiles<Most, Segment> - 1) /
    kUnitTiles<Most, Segment>;

template <int Most, class... Segment>
PG_FN constexpr i64 output_units(Types<Segment...>) {
  return (kSegmentUnits<Most, Segment> + ... + 0);
}

// Calls body(segment, UnitTiles<count>, n) for unit `unit` of a group: `count`
// tiles of a segment's outputs from tile n on.
template <int Most, class Body>
PG_FN void at_unit(Types<>, i64, Body) {}
template <int Most, class Segment, class... Rest, class Body>
PG_FN void at_unit(Types<Segment, Rest...>, i64 unit, Body body) {
  constexpr int kTiles = kUnitTiles<Most, Segment>;
  constexpr i64 kUnits = kSegmentUnits<Most, Segment>;
  constexpr int kLast = kSegmentTiles<Segment> - (kUnits - 1) * kTiles;
  if (unit >= kUnits)
    at_unit<Most>(Types<Rest...>{}, unit - kUnits, body);
  else if (kLast < kTiles && unit == kUnits - 1)
    body(Segment{}, UnitTiles<kLast>{}, unit * kTiles);
  else if constexpr (kLast == kTiles || kUnits > 1)
    body(Segment{}, UnitTiles<kTiles>{}, unit * kTiles);
}

// Hands 32 columns of R rows to a segment's epilogue, in vectors of 16: sums of
// linear i are at(i, v, r). In two passes over the rows, because one row is a
// single long chain of operations and the passes let several run side by side.
template <class Segment, int R, class Sums>
PG_FN void finish_rows(const PagodaLaunch &launch, i64 row, i64 n, Sums at) {
  constexpr int kCount = count(typename Segment::Linears{});
  constexpr int kTail = Segment::kN % kTile;
  f32x16 values[R][2];
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < 2; ++v) {
      f32x16 linear[kCount];
      for (int i = 0; i < kCount; ++i)
        linear[i] = at(i, v, r);
      int column = static_cast<int>(n * kTile) + v * 16;
      if (kTail == 0 || n + 1 < kSegmentTiles<Segment> || v * 16 + 16 <= kTail)
        values[r][v] = Segment::epilogue(launch, row + r, At{column}, linear);
      else if (v * 16 < kTail)
        values[r][v] = Segment::epilogue(
            launch, row + r, AtTail{column, kTail - v * 16}, linear);
    }
  // A tile of outputs is a group of activations.
  if constexpr (Segment::kQuantized >= 0) {
    using Row = QuantizedRow<Segment::kN>;
    u8 *out = argument_row<u8>(launch, Segment::kQuantized, row, Row::kBytes);
    for (int r = 0; r < R; ++r)
      Row::store(out + r * Row::kBytes, static_cast<int>(n),
                 [&](At at) { return values[r][at.index / 16 % 2]; });
  }
}

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_TILES_H
