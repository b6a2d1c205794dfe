//===- LogitScan.h - Passes over a whole row of logits ----------*- C++ -*-===//
//
// The loops that touch every token of the vocabulary, written for the
// vectoriser: fixed lanes, no branches. Their sums have one fixed order, and
// the library is built without contraction, so all machines agree on the bits.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_SAMPLER_LOGITSCAN_H
#define PAGODA_LIB_RUNTIME_SAMPLER_LOGITSCAN_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pagoda::rt {

/// Weights whose sum is kept, to find a drawn token without walking all.
constexpr size_t weightBlock = 256;

/// e^x for x <= 0 within 2 units in the last place; 0 below -87, where the
/// exact value is about to leave the normal numbers, and for NaN.
inline float expNonPositive(float x) {
  // Cody and Waite's reduction, polynomial of Cephes' expf.
  float clamped = x > -87.0f ? x : -87.0f;
  constexpr float shift = 12582912.0f; // 1.5 * 2^23: adding it rounds
  float shifted = clamped * 1.44269504f + shift;
  float n = shifted - shift;
  float r = clamped - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // The low bits of `shifted` hold n; the rest is shifted out.
  uint32_t exponent = (std::bit_cast<uint32_t>(shifted) << 23) + 0x3f800000u;
  float value = p * std::bit_cast<float>(exponent);
  return x > -87.0f ? value : 0.0f;
}

struct LogitMaximum {
  float value;
  /// The lowest id that has it.
  int32_t id;
  /// Whether some logit is NaN or +inf; `value` and `id` mean nothing then.
  bool broken;
};

LogitMaximum findMaximum(std::span<const float> logits);

/// weights[i] = e^((logits[i] - max) * scale), sums[b] = the sum of weights
/// [b * weightBlock, (b + 1) * weightBlock). Returns the sum of all.
double exponentials(std::span<const float> logits, float max, float scale,
                    std::span<float> weights, std::span<double> sums);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_SAMPLER_LOGITSCAN_H
