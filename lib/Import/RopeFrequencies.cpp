#include "RopeFrequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pagoda {

std::vector<float> ropeFrequencies(double theta, int64_t dims) {
  std::vector<float> frequencies;
  for (int64_t i = 0; i < dims; i += 2) {
    float exponent = static_cast<float>(i) / static_cast<float>(dims);
    frequencies.push_back(1.0f / std::pow(static_cast<float>(theta), exponent));
  }
  return frequencies;
}

void scaleLinear(std::vector<float> &frequencies, double factor) {
  for (float &frequency : frequencies)
    frequency /= static_cast<float>(factor);
}

void scaleLlama3(std::vector<float> &frequencies,
                 const Llama3Scaling &scaling) {
  float context = static_cast<float>(scaling.originalContext);
  float low = static_cast<float>(scaling.lowFrequencyFactor);
  float high = static_cast<float>(scaling.highFrequencyFactor);
  float factor = static_cast<float>(scaling.factor);
  for (float &frequency : frequencies) {
    float wavelength = 2.0f * std::numbers::pi_v<float> / frequency;
    if (wavelength < context / high)
      continue;
    if (wavelength > context / low) {
      frequency /= factor;
      continue;
    }
    float smooth = (context / wavelength - low) / (high - low);
    frequency = (1.0f - smooth) * frequency / factor + smooth * frequency;
  }
}

void scaleYarn(std::vector<float> &frequencies, double theta,
               const YarnScaling &scaling) {
  double dims = 2.0 * static_cast<double>(frequencies.size());
  // The dimension whose wavelength makes `rotations` turns in the original
  // context.
  auto dimensionOf = [&](double rotations) {
    return dims *
           std::log(static_cast<double>(scaling.originalContext) /
                    (rotations * 2.0 * std::numbers::pi)) /
           (2.0 * std::log(theta));
  };
  double low = dimensionOf(scaling.betaFast);
  double high = dimensionOf(scaling.betaSlow);
  if (scaling.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dims - 1);
  if (low == high)
    high += 0.001;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    float ramp =
        static_cast<float>((static_cast<double>(i) - low) / (high - low));
    float keep = 1.0f - std::clamp(ramp, 0.0f, 1.0f);
    float interpolated = frequencies[i] / static_cast<float>(scaling.factor);
    frequencies[i] = interpolated * (1.0f - keep) + frequencies[i] * keep;
  }
}

double yarnMagnitude(double factor) {
  return factor <= 1 ? 1.0 : 0.1 * std::log(factor) + 1.0;
}

} // namespace pagoda
