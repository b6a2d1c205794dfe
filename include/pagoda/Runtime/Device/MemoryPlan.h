//===- MemoryPlan.h - What a step will need, to the byte --------*- C++ -*-===//
//
// Computes the memory that a program takes for given limits. The CPU device
// allocates by it, and `pagoda inspect` prints it without loading anything.
//
//   MemoryPlan plan = planMemory(artifact, limits);
//   plan.cacheBytes + plan.activationBytes;
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_MEMORYPLAN_H
#define PAGODA_RUNTIME_DEVICE_MEMORYPLAN_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pagoda::rt {

/// Values of a step's dims, in the order of core/abi.h.
using StepDims = std::array<long long, 5>;

struct MemoryPlan {
  /// Mapped from the artifact, shared with other processes.
  uint64_t weightBytes = 0;
  /// Keys and values of all layers, for all blocks.
  uint64_t cacheBytes = 0;
  /// The arena that slots lie in, for the largest step.
  uint64_t activationBytes = 0;
  /// Scratch memory of one thread.
  uint64_t scratchBytes = 0;
};

/// Where each slot starts in the arena, and in the last element where the last
/// one ends: the running sum of the slots' sizes, each rounded up to a cache
/// line.
std::vector<uint64_t> slotOffsets(const artifact::Entry &entry,
                                  const StepDims &dims);

/// Bytes of the key (or value) pool of one layer, for `blocks` blocks.
uint64_t poolBytes(const artifact::Cache &cache, unsigned layer, bool keys,
                   uint64_t blocks);

MemoryPlan planMemory(const Artifact &artifact, const artifact::Entry &entry,
                      const RunnerLimits &limits, unsigned image);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_MEMORYPLAN_H
