//===- MemoryPlan.h - What a step will need, to the byte --------*- C++ -*-===//
//
// The arithmetic of memory: slots of activations and pools of keys and values
// for given sizes. Sums saturate, so that no file makes them wrap around.
//
//   std::vector<uint64_t> offsets = slotOffsets(entry, dims);
//   offsets.back(); // bytes of the whole arena
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_MEMORYPLAN_H
#define PAGODA_RUNTIME_DEVICE_MEMORYPLAN_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pagoda::rt {

/// Values of a step's dims, in the order of core/abi.h.
using StepDims = std::array<long long, 5>;
inline constexpr std::string_view kStepDimNames[] = {
    "tokens", "sequences", "rows", "table_width", "blocks"};

struct MemoryPlan {
  /// Mapped from the artifact, shared with other processes.
  uint64_t weightBytes = 0;
  /// Machine code of the kernels: mapped from the artifact, or a copy of its
  /// own where kernels were rebuilt.
  uint64_t codeBytes = 0;
  /// Keys and values of all layers, for all blocks.
  uint64_t cacheBytes = 0;
  /// The arena that slots lie in, for the largest step.
  uint64_t activationBytes = 0;
  /// Scratch memory of all threads.
  uint64_t scratchBytes = 0;

  /// What this process takes for itself.
  uint64_t allocatedBytes() const;
  uint64_t totalBytes() const;

  bool operator==(const MemoryPlan &) const = default;
};

/// Where each slot starts in the arena, and in the last element where the last
/// one ends: the running sum of the slots' sizes, each rounded up to a cache
/// line.
std::vector<uint64_t> slotOffsets(const artifact::Entry &entry,
                                  const StepDims &dims);

/// The entry's output of that name; null: none.
const artifact::Output *findOutput(const artifact::Entry &entry,
                                   std::string_view name);

/// Bytes of the key (or value) pool of one layer, for `blocks` blocks.
uint64_t poolBytes(const artifact::Cache &cache, unsigned layer, bool keys,
                   uint64_t blocks);

/// Bytes of all pools.
uint64_t cacheBytes(const artifact::Cache &cache, uint64_t blocks);

/// The dims of the largest step within the limits.
StepDims largestStep(const RunnerLimits &limits);

/// Scratch memory of one thread when its hungriest kernel needs `bytes`.
uint64_t threadScratch(uint64_t bytes);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_MEMORYPLAN_H
