// Chosen rows of a tensor.
//
// Config: kInput, kRowNumbers, kK and kQuantized with
// epilogue(launch, row, at, F) as in linear/tiles.h.

#ifndef PAGODA_KERNELS_POINTWISE_GATHER_ROWS_H
#define PAGODA_KERNELS_POINTWISE_GATHER_ROWS_H

#include "core/quantized_row.h"

namespace pagoda {

template <class Config>
struct GatherRows {
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) { return launch.rows; }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    const i32 *numbers = argument<const i32>(launch, Config::kRowNumbers);
    for (i64 row = first; row < last; ++row) {
      const float *x = argument_row<const float>(launch, Config::kInput,
                                                 numbers[row], Config::kK);
      finish_elements<Config>(launch, row,
                              [&](auto at) { return load(x, at); });
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_POINTWISE_GATHER_ROWS_H
