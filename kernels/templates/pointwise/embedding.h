// Rows of a packed table, by token id. An id outside the table gives row 0:
// the engine refuses such ids, a kernel must not read outside.
//
// Config: kIds, kTable, Format, kVocabulary, kK and
// kQuantized with epilogue(launch, row, at, F)
// as in linear/tiles.h.

#ifndef PAGODA_KERNELS_POINTWISE_EMBEDDING_H
#define PAGODA_KERNELS_POINTWISE_EMBEDDING_H

#include "core/formats.h"
#include "core/quantized_row.h"

namespace pagoda {

template <class Config>
struct Embedding {
  using Format = typename Config::Format;
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) { return launch.rows; }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    const i32 *ids = argument<const i32>(launch, Config::kIds);
    const u8 *table = argument<const u8>(launch, Config::kTable);
    for (i64 row = first; row < last; ++row) {
      i64 id = ids[row];
      id = id >= 0 && id < Config::kVocabulary ? id : 0;
      const u8 *tile = table + id / kTile * kTileBytes<Format, Config::kK>;
      int n = static_cast<int>(id % kTile);
      finish_elements<Config>(launch, row, [&](auto at) {
        return gather(at, [&](int k) { return Format::element(tile, k, n); });
      });
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_POINTWISE_EMBEDDING_H
