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

template <class... Segment>
PG_FN constexpr i64 output_tiles(Types<Segment...>) {
  return (kSegmentTiles<Segment> + ... + 0);
}

// Calls body(segment, n) for output tile `n` of the segment that holds the
// group's output tile `tile`.
template <class Body>
PG_FN void at_segment(Types<>, i64, Body) {}
template <class First, class... Rest, class Body>
PG_FN void at_segment(Types<First, Rest...>, i64 tile, Body body) {
  if (tile < kSegmentTiles<First>)
    body(First{}, tile);
  else
    at_segment(Types<Rest...>{}, tile - kSegmentTiles<First>, body);
}

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

// Hands 32 columns of a row to a segment's epilogue, in vectors of 16.
template <class Segment, int Count>
PG_FN void finish_row(const PagodaLaunch &launch, i64 row, i64 n,
                      const f32x16 (&sums)[Count][2]) {
  constexpr int kTail = Segment::kN % kTile;
  f32x16 values[2];
  for (int v = 0; v < 2; ++v) {
    f32x16 linear[Count];
    for (int i = 0; i < Count; ++i)
      linear[i] = sums[i][v];
    int column = static_cast<int>(n * kTile) + v * 16;
    if (kTail == 0 || n + 1 < kSegmentTiles<Segment> || v * 16 + 16 <= kTail)
      values[v] = Segment::epilogue(launch, row, At{column}, linear);
    else if (v * 16 < kTail)
      values[v] = Segment::epilogue(launch, row, AtTail{column, kTail - v * 16},
                                    linear);
  }
  // A tile of outputs is a group of activations.
  if constexpr (Segment::kQuantized >= 0) {
    using Row = QuantizedRow<Segment::kN>;
    Row::store(argument_row<u8>(launch, Segment::kQuantized, row, Row::kBytes),
               static_cast<int>(n),
               [&](At at) { return values[at.index / 16 % 2]; });
  }
}

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_TILES_H
