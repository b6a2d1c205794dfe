//===- CpuRunner.h - Artifacts on the CPU -----------------------*- C++ -*-===//
//
// Runs the step program of an artifact: a team of threads goes through
// its launches. Weights are the mapped file, kernels run from the
// mapped image, the cache and the arena of activations are allocated here by
// the memory plan. Steps are synchronous: submit() computes, collect() hands
// out.
//
//   CpuOptions options;
//   options.threads = 2;
//   PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<CpuRunner> runner,
//                           CpuRunner::create(artifact, options));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_CPURUNNER_H
#define PAGODA_RUNTIME_DEVICE_CPURUNNER_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Device/CpuPlan.h"
#include "pagoda/Runtime/Device/StepTrace.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace pagoda::rt {

class CpuRunner : public StepRunner {
public:
  /// The artifact outlives the runner. Errors: Unsupported if no kernels in it
  /// run here; ResourceExhausted if memory does not suffice.
  static StatusOr<std::unique_ptr<CpuRunner>> create(const Artifact &artifact,
                                                     const CpuOptions &options);

  /// Which kernels are used, "avx512-vnni".
  virtual const std::string &target() const = 0;
  virtual unsigned threads() const = 0;
  /// What was allocated.
  virtual MemoryPlan memory() const = 0;
  /// The keys (or values) of a layer as kernels lay them out
  /// (kernels/templates/attention/kv_append.h), between steps.
  virtual std::span<const std::byte> pool(unsigned layer, bool keys) const = 0;
  /// From now on each step is added to the trace; null: no longer.
  virtual void setTrace(StepTrace *trace) = 0;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_CPURUNNER_H
