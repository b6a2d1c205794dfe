#include "pagoda/Runtime/Device/MemoryPlan.h"

#include <limits>

namespace pagoda::rt {

namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

uint64_t add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}

uint64_t multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

uint64_t roundToLine(uint64_t bytes) {
  return bytes > kMost - 63 ? kMost : (bytes + 63) / 64 * 64;
}

} // namespace

uint64_t MemoryPlan::allocatedBytes() const {
  return add(add(cacheBytes, activationBytes), scratchBytes);
}

uint64_t MemoryPlan::totalBytes() const {
  return add(add(weightBytes, codeBytes), allocatedBytes());
}

std::vector<uint64_t> slotOffsets(const artifact::Entry &entry,
                                  const StepDims &dims) {
  std::vector<uint64_t> offsets;
  uint64_t end = 0;
  for (const artifact::Size *size : *entry.slots()) {
    offsets.push_back(end);
    uint64_t bytes = size->constant();
    if (size->terms())
      for (const artifact::Term *term : *size->terms())
        bytes = add(bytes, multiply(term->factor(),
                                    static_cast<uint64_t>(dims[term->dim()])));
    end = add(end, roundToLine(bytes));
  }
  offsets.push_back(end);
  return offsets;
}

const artifact::Output *findOutput(const artifact::Entry &entry,
                                   std::string_view name) {
  for (const artifact::Output *output : *entry.outputs())
    if (output->name()->string_view() == name)
      return output;
  return nullptr;
}

uint64_t poolBytes(const artifact::Cache &cache, unsigned layer, bool keys,
                   uint64_t blocks) {
  const artifact::CacheLayer *shape = cache.layers()->Get(layer);
  uint64_t element = cache.type() == artifact::CacheType::F16 ? 2 : 4;
  uint64_t width = keys ? shape->key_elements() : shape->value_elements();
  // Within 2^46 for every cache that an artifact may have.
  uint64_t blockBytes = cache.block() * shape->kv_heads() * width * element;
  return roundToLine(multiply(blocks, blockBytes));
}

uint64_t cacheBytes(const artifact::Cache &cache, uint64_t blocks) {
  uint64_t bytes = 0;
  for (unsigned layer = 0; layer < cache.layers()->size(); ++layer)
    for (bool keys : {true, false})
      bytes = add(bytes, poolBytes(cache, layer, keys, blocks));
  return bytes;
}

StepDims largestStep(const RunnerLimits &limits) {
  int64_t tableWidth =
      (int64_t{limits.maxContext} + limits.blockSize - 1) / limits.blockSize;
  return {limits.maxTokens, limits.maxSequences, limits.maxRows, tableWidth,
          limits.blockCount};
}

uint64_t threadScratch(uint64_t bytes) { return roundToLine(bytes); }

} // namespace pagoda::rt
