//===- StepProfile.h - Where the time of steps goes -------------*- C++ -*-===//
//
// Adds up what was traced: by kernel and by layer, with the bytes and the
// operations that each has to move and compute at least, and what a machine of
// given limits would take for them. As data, which `pagoda profile --json`
// prints and everything else is made of.
//
//   Json decode = profileSteps(artifact, trace, limits);
//   decode["kernels"][0]["ms"]; // of one step, on the mean
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_PROFILE_STEPPROFILE_H
#define PAGODA_LIB_TOOLS_PROFILE_STEPPROFILE_H

#include "MachineLimits.h"
#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Device/StepTrace.h"

#include <nlohmann/json.hpp>

namespace pagoda {

using Json = nlohmann::ordered_json;

/// Steps of one kind, at least one: means over them. Times of kernels are those
/// of all threads, divided by the threads, so that with "waiting_ms" they add
/// up to the step.
Json profileSteps(const Artifact &artifact, const rt::StepTrace &trace,
                  const MachineLimits &limits);

/// "blk.3" of "blk.3.ffn_gate", "layer.0" of "layer.0.attention"; empty where
/// no part of the name is a number.
std::string layerOf(std::string_view place);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_PROFILE_STEPPROFILE_H
