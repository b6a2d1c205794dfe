// Root-mean-square normalisation of rows, with rows gathered on the way where
// the group says so.
//
// Order of sums: lane i of 16 takes fma(x, x, sum) of elements i, i + 16, …;
// the lanes are added as a tree.
//
// Config: kInput, kWeight, kK, kParts (rows of K elements in one row of the
// launch), kGather (the argument with row numbers, or -1), kEpsilon, and
// kQuantized with epilogue(launch, row, at, F) as in linear/tiles.h.

#ifndef PAGODA_KERNELS_NORM_RMS_NORM_H
#define PAGODA_KERNELS_NORM_RMS_NORM_H

#include "core/quantized_row.h"

namespace pagoda {

// 1 / sqrt(mean of squares + epsilon) of one row.
template <int K>
PG_FN float inverse_rms(const float *x, float epsilon) {
  F sum{};
  Lanes::each<K>([&](auto at) {
    F v = load(x, at);
    sum = fma(v, v, sum);
  });
  return 1.0f / sqrt(Lanes::sum(sum) / static_cast<float>(K) + epsilon);
}

template <class Config>
struct RmsNorm {
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) {
    return launch.rows * Config::kParts;
  }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    const float *weight = argument<const float>(launch, Config::kWeight);
    for (i64 row = first; row < last; ++row) {
      i64 source = row;
      if constexpr (Config::kGather >= 0)
        source = argument<const i32>(launch, Config::kGather)[row];
      const float *x =
          argument_row<const float>(launch, Config::kInput, source, Config::kK);
      F inverse = splat(inverse_rms<Config::kK>(x, Config::kEpsilon));
      finish_elements<Config>(launch, row, [&](auto at) {
        return load(x, at) * inverse * load(weight, at);
      });
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_NORM_RMS_NORM_H
