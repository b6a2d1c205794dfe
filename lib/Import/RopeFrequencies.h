//===- RopeFrequencies.h - Rotary frequencies by scaling rule ---*- C++ -*-===//
//
// The frequencies of rotary embeddings under the scaling rules that models
// name in their settings, in float32 as transformers computes them
// (modeling_rope_utils.py).
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_IMPORT_ROPEFREQUENCIES_H
#define PAGODA_LIB_IMPORT_ROPEFREQUENCIES_H

#include <cstdint>
#include <optional>
#include <vector>

namespace pagoda {

/// theta^(-2i/dims) for i = 0 … dims/2 - 1.
std::vector<float> ropeFrequencies(double theta, int64_t dims);

/// Position interpolation (Chen et al., 2023): all frequencies / factor.
void scaleLinear(std::vector<float> &frequencies, double factor);

/// Llama 3.1: long wavelengths are interpolated, short ones kept, those in
/// between blended.
struct Llama3Scaling {
  double factor, lowFrequencyFactor, highFrequencyFactor;
  int64_t originalContext;
};
void scaleLlama3(std::vector<float> &frequencies, const Llama3Scaling &scaling);

/// YaRN (Peng et al., 2023).
struct YarnScaling {
  double factor;
  int64_t originalContext;
  double betaFast = 32, betaSlow = 1;
  bool truncate = true;
};
void scaleYarn(std::vector<float> &frequencies, double theta,
               const YarnScaling &scaling);
/// YaRN's factor on cosines and sines where the settings give none.
double yarnMagnitude(double factor);

} // namespace pagoda

#endif // PAGODA_LIB_IMPORT_ROPEFREQUENCIES_H
