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
  for (int i = 0; i < R / 2; ++i) {
    int a = Style == RopeStyle::Half ? i : 2 * i;
    int b = Style == RopeStyle::Half ? i + R / 2 : 2 * i + 1;
    float cosine = angles[2 * i], sine = angles[2 * i + 1];
    float xa = x[a], xb = x[b];
    out[a] = fma(xa, cosine, -(xb * sine));
    out[b] = fma(xb, cosine, xa * sine);
  }
  for (int i = R; i < D; ++i)
    out[i] = x[i];
}

// The rotation alone. Config: kInput, kPositions, kTable, kOutput, kHeads, kD,
// kR, kTableRows, kStyle.
template <class Config>
struct Rope {
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) {
    return launch.rows;
  }

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
