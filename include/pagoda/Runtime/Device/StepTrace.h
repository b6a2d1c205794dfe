//===- StepTrace.h - Which thread computed what, and when -------*- C++ -*-===//
//
// What the CPU device writes down of the steps that it computes, for
// `pagoda profile`.
//
//   StepTrace trace;
//   runner.setTrace(&trace);
//   runner.submit(batch);
//   trace.steps[0].pieces[thread]; // in the order of time
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_STEPTRACE_H
#define PAGODA_RUNTIME_DEVICE_STEPTRACE_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pagoda::artifact {
struct Entry;
} // namespace pagoda::artifact

namespace pagoda::rt {

using TraceClock = std::chrono::steady_clock;

/// Tiles [first, last) of one launch, computed by one thread.
struct TracedPiece {
  size_t launch;
  long long first, last;
  TraceClock::time_point begin, end;
};

struct TracedStep {
  TraceClock::time_point begin, end;
  /// [S + 1] where each sequence's tokens start, [S] its keys after the step.
  std::vector<int32_t> qStart, kvLength;
  /// Wanted rows of logits.
  int32_t rows = 0;
  /// Of each thread.
  std::vector<std::vector<TracedPiece>> pieces;
};

struct StepTrace {
  /// The program of the steps, set by the device; it counts launches.
  const artifact::Entry *entry = nullptr;
  std::vector<TracedStep> steps;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_STEPTRACE_H
