//===- CpuRunner.h - Artifacts on the CPU -----------------------*- C++ -*-===//
//
// Runs the step program of an artifact: a team of threads walks its launches
// and meets at barriers. Weights are the mapped file, kernels run from the
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
#include "pagoda/Runtime/Device/MemoryPlan.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <memory>
#include <string>

namespace pagoda::rt {

struct CpuOptions {
  /// 0: as many as this process has cores.
  unsigned threads = 0;
  /// Tokens, sequences and rows of logits of one step.
  int32_t maxTokens = 512;
  int32_t maxSequences = 32;
  int32_t maxRows = 0; // 0: as maxSequences
  /// Longest sequence; 0: what the program was compiled for.
  int32_t maxContext = 0;
  /// Tokens that the cache holds in all; 0: maxSequences of maxContext, but at
  /// most a quarter of the machine's memory. Pages are taken as they are used.
  int64_t cacheTokens = 0;
  /// Kernels to use; empty: the best that the machine has.
  std::string target;
};

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
  virtual const MemoryPlan &memory() const = 0;
};

/// The limits that create() would settle on, and the image it would use.
StatusOr<RunnerLimits> cpuLimits(const Artifact &artifact,
                                 const CpuOptions &options);
StatusOr<unsigned> cpuImage(const Artifact &artifact,
                            const std::string &target);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_CPURUNNER_H
