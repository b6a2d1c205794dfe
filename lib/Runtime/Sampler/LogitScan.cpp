#include "LogitScan.h"

#include <algorithm>
#include <limits>

namespace pagoda::rt {

namespace {

constexpr size_t lanes = 16;
constexpr float negativeInfinity = -std::numeric_limits<float>::infinity();

/// All ones for NaN and +inf, else 0. On the bits: comparisons of floats that
/// may be NaN are not vectorised by every compiler.
int32_t isBroken(float logit) {
  int32_t bits = std::bit_cast<int32_t>(logit);
  constexpr int32_t infinity = 0x7f800000;
  return -static_cast<int32_t>((bits & 0x7fffffff) > infinity) |
         -static_cast<int32_t>(bits == infinity);
}

} // namespace

LogitMaximum findMaximum(std::span<const float> logits) {
  float best[lanes];
  int32_t broken[lanes] = {};
  std::fill(best, best + lanes, negativeInfinity);
  size_t whole = logits.size() / lanes * lanes;
  for (size_t i = 0; i < whole; i += lanes)
    for (size_t j = 0; j < lanes; ++j) {
      float x = logits[i + j];
      best[j] = x > best[j] ? x : best[j];
      broken[j] |= isBroken(x);
    }
  for (size_t i = whole; i < logits.size(); ++i) {
    best[0] = logits[i] > best[0] ? logits[i] : best[0];
    broken[0] |= isBroken(logits[i]);
  }
  LogitMaximum result{*std::max_element(best, best + lanes), 0, false};
  for (int32_t lane : broken)
    result.broken |= lane != 0;
  if (result.broken)
    return result;

  size_t id = 0;
  for (; id < whole; id += lanes) {
    bool here = false;
    for (size_t j = 0; j < lanes; ++j)
      here |= logits[id + j] == result.value;
    if (here)
      break;
  }
  while (id < logits.size() && logits[id] != result.value)
    ++id;
  result.id = static_cast<int32_t>(id);
  return result;
}

double exponentials(std::span<const float> logits, float max, float scale,
                    std::span<float> weights, std::span<double> sums) {
  double total = 0;
  for (size_t begin = 0, block = 0; begin < logits.size();
       begin += weightBlock, ++block) {
    size_t count = std::min(weightBlock, logits.size() - begin);
    const float *in = logits.data() + begin;
    float *out = weights.data() + begin;
    for (size_t i = 0; i < count; ++i)
      out[i] = expNonPositive((in[i] - max) * scale);
    float partial[lanes] = {};
    size_t whole = count / lanes * lanes;
    for (size_t i = 0; i < whole; i += lanes)
      for (size_t j = 0; j < lanes; ++j)
        partial[j] += out[i + j];
    for (size_t i = whole; i < count; ++i)
      partial[i - whole] += out[i];
    double sum = 0;
    for (float lane : partial)
      sum += lane;
    sums[block] = sum;
    total += sum;
  }
  return total;
}

} // namespace pagoda::rt
