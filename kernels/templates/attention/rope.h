// Rotary embeddings of one head. The table holds [position][R/2][cos, sin].

#ifndef PAGODA_KERNELS_ATTENTION_ROPE_H
#define PAGODA_KERNELS_ATTENTION_ROPE_H

#include "core/launch.h"
#include "core/math.h"

namespace pagoda {

enum class RopeStyle { Half, Interleaved };

// out = x rotated, D elements of which the first R turn. `out` may be `x`.
template <RopeStyle Style, int D, int R>
PG_FN void rotate_head(const float *x, const float *angles, float *out) {
  Lanes::each<R / 2>([&](auto at) {
    F cosine, sine, a, b;
    load_pairs(angles, at, cosine, sine);
    if constexpr (Style == RopeStyle::Half) {
      a = load(x, at);
      b = load(x + R / 2, at);
    } else {
      load_pairs(x, at, a, b);
    }
    F turned = fma(a, cosine, -(b * sine));
    F other = fma(b, cosine, a * sine);
    if constexpr (Style == RopeStyle::Half) {
      store(out, at, turned);
      store(out + R / 2, at, other);
    } else {
      store_pairs(out, at, turned, other);
    }
  });
  if constexpr (R < D)
    Lanes::each<D - R>([&](auto at) { store(out + R, at, load(x + R, at)); });
}

// The rotation alone. Config: kInput, kPositions, kTable, kOutput, kHeads, kD,
// kR, kTableRows, kStyle.
template <class Config>
struct Rope {
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) { return launch.rows; }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    constexpr int kWidth = Config::kHeads * Config::kD;
    for (i64 row = first; row < last; ++row) {
      i64 position = argument<const i32>(launch, Config::kPositions)[row];
      position = position >= 0 && position < Config::kTableRows ? position : 0;
      const float *angles = argument_row<const float>(launch, Config::kTable,
                                                      position, Config::kR);
      const float *x =
          argument_row<const float>(launch, Config::kInput, row, kWidth);
      float *out = argument_row<float>(launch, Config::kOutput, row, kWidth);
      for (int head = 0; head < Config::kHeads; ++head)
        rotate_head<Config::kStyle, Config::kD, Config::kR>(
            x + head * Config::kD, angles, out + head * Config::kD);
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_ATTENTION_ROPE_H
