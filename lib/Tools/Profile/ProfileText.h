//===- ProfileText.h - Profiles as tables and pages -------------*- C++ -*-===//
//
// Ways to look at what `pagoda profile` measured:
//
//   {"model": …, "limits": {…}, "phases": [{"name": "decode", …}, …]}
//
// where a phase is what profileSteps() returned, with a name and a title.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_PROFILE_PROFILETEXT_H
#define PAGODA_LIB_TOOLS_PROFILE_PROFILETEXT_H

#include "StepProfile.h"

#include <string>

namespace pagoda {

/// A table of kernels for each phase; with one of layers where `layers` is set.
std::string profileText(const Json &profile, bool layers);

/// One page: the same as charts. `timelines` holds one step of each phase as
/// timeline() returns it.
std::string profilePage(const Json &profile, const Json &timelines);

/// One step as [{"thread", "launch", "kernel", "place", "start_us", "us"}].
Json timeline(const Artifact &artifact, const rt::StepTrace &trace,
              size_t step);

/// All steps of all phases in Chrome's trace event format, which Perfetto
/// (ui.perfetto.dev) opens.
Json perfettoTrace(const Artifact &artifact, const rt::StepTrace &trace);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_PROFILE_PROFILETEXT_H
