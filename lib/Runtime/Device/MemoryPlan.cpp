#include "pagoda/Runtime/Device/MemoryPlan.h"

#include <algorithm>

namespace pagoda::rt {

namespace {

uint64_t roundToLine(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

} // namespace

std::vector<uint64_t> slotOffsets(const artifact::Entry &entry,
                                  const StepDims &dims) {
  std::vector<uint64_t> offsets;
  uint64_t end = 0;
  for (const artifact::Size *size : *entry.slots()) {
    offsets.push_back(end);
    uint64_t bytes = size->constant();
    if (size->terms())
      for (const artifact::Term *term : *size->terms())
        bytes += term->factor() * static_cast<uint64_t>(dims[term->dim()]);
    end += roundToLine(bytes);
  }
  offsets.push_back(end);
  return offsets;
}

uint64_t poolBytes(const artifact::Cache &cache, unsigned layer, bool keys,
                   uint64_t blocks) {
  const artifact::CacheLayer *shape = cache.layers()->Get(layer);
  uint64_t element = cache.type() == artifact::CacheType::F16 ? 2 : 4;
  uint64_t width = keys ? shape->key_elements() : shape->value_elements();
  return roundToLine(blocks * cache.block() * shape->kv_heads() * width *
                     element);
}

MemoryPlan planMemory(const Artifact &artifact, const artifact::Entry &entry,
                      const RunnerLimits &limits, unsigned image) {
  MemoryPlan plan;
  for (const artifact::Weight *weight : *artifact.program().weights())
    plan.weightBytes += weight->bytes();
  if (const artifact::Cache *cache = artifact.program().cache())
    for (unsigned layer = 0; layer < cache->layers()->size(); ++layer)
      for (bool keys : {true, false})
        plan.cacheBytes += poolBytes(*cache, layer, keys, limits.blockCount);
  StepDims dims = {limits.maxTokens, limits.maxSequences, limits.maxRows,
                   (limits.maxContext + limits.blockSize - 1) /
                       std::max(1, limits.blockSize),
                   limits.blockCount};
  plan.activationBytes = slotOffsets(entry, dims).back();
  for (const artifact::EntryPoint *point :
       *artifact.program().images()->Get(image)->entry_points())
    plan.scratchBytes =
        std::max<uint64_t>(plan.scratchBytes, point->scratch_bytes());
  plan.scratchBytes = roundToLine(plan.scratchBytes);
  return plan;
}

} // namespace pagoda::rt
