//===- CpuPlan.h - What the CPU device will do, before it does --*- C++ -*-===//
//
// Everything that the CPU device decides about an artifact without touching
// memory or starting threads: which entry it steps, with which kernels, within
// which limits, and how much memory that takes. CpuRunner allocates by it, and
// `pagoda inspect --memory` prints it.
//
//   CpuOptions options;
//   options.maxContext = 4096;
//   PAGODA_ASSIGN_OR_RETURN(CpuPlan plan, planCpu(artifact, options));
//   plan.memory.allocatedBytes();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_CPUPLAN_H
#define PAGODA_RUNTIME_DEVICE_CPUPLAN_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Device/KernelCode.h"
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
  /// The machine's memory; 0: of this one.
  uint64_t machineBytes = 0;
  /// Kernels to use; empty: the best that the machine has.
  std::string target = {};
  /// Kernels use the CPU's matrix unit, where it has one. Changes no bit.
  bool matrixUnit = true;
  /// Runs instead of the artifact's images, for the target it was built for.
  std::shared_ptr<const KernelCode> code = {};
};

struct CpuPlan {
  const artifact::Entry *entry = nullptr;
  RunnerLimits limits;
  unsigned threads = 1;
  /// Which of the artifact's images holds the kernels. Not used where other
  /// code takes its place.
  unsigned image = 0;
  std::string target;
  MemoryPlan memory;
};

/// Errors: Unsupported where the artifact has no step, kernels of another
/// version, or none for `options.target`; InvalidArgument for limits beyond
/// what it was compiled for. Kernels that this machine does not run may be
/// asked for by name.
StatusOr<CpuPlan> planCpu(const Artifact &artifact, const CpuOptions &options);

/// Physical memory of this machine.
uint64_t machineMemory();

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_CPUPLAN_H
