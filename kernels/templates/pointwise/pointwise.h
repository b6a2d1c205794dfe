// Elementwise chains on rows of K elements.
//
// Config: kK and apply(launch, row, at), which
// loads, computes and stores 16 elements.

#ifndef PAGODA_KERNELS_POINTWISE_POINTWISE_H
#define PAGODA_KERNELS_POINTWISE_POINTWISE_H

#include "core/quantized_row.h"

namespace pagoda {

template <class Config>
struct Pointwise {
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) { return launch.rows; }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    for (i64 row = first; row < last; ++row)
      finish_elements<Config>(launch, row, [](auto) { return F{}; });
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_POINTWISE_POINTWISE_H
