//===- CacheSpace.h - The scheduler's view of the cache ---------*- C++ -*-===//
//
// Joins two rooms that do not know each other: TokenSpace, by which the
// scheduler asks for room, over the block tables of all sequences.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_ENGINE_CACHESPACE_H
#define PAGODA_LIB_RUNTIME_ENGINE_CACHESPACE_H

#include "pagoda/Runtime/Cache/BlockPool.h"
#include "pagoda/Runtime/Cache/BlockTable.h"
#include "pagoda/Runtime/Scheduler/Scheduler.h"

#include <algorithm>
#include <unordered_map>

namespace pagoda::rt {

class CacheSpace : public TokenSpace {
public:
  CacheSpace(int32_t blockCount, int32_t blockSize, int32_t slidingWindow)
      : pool(blockCount), blockSize(blockSize), slidingWindow(slidingWindow) {}

  bool reserve(SequenceId id, int32_t first, int32_t count) override {
    BlockTable &table = tables.try_emplace(id, pool, blockSize).first->second;
    if (slidingWindow)
      table.releaseBefore(std::max(0, first - slidingWindow + 1));
    return table.reserve(first, count);
  }
  void release(SequenceId id) override { tables.erase(id); }
  int32_t freeBlocks() const override { return pool.freeCount(); }

  /// Whether all that the token after the first `tokens` of `parent` sees is
  /// still held: under a window some of it may be gone already.
  bool canShare(SequenceId parent, int32_t tokens) const {
    int32_t firstSeen =
        slidingWindow ? std::max(0, tokens - slidingWindow + 1) : 0;
    return firstSeen >= tokens ||
           table(parent).blocks()[firstSeen / blockSize] >= 0;
  }
  /// Lets `child` hold the first `tokens` tokens of `parent`.
  void share(SequenceId parent, SequenceId child, int32_t tokens) {
    tables.insert_or_assign(child, tables.at(parent).fork(tokens));
  }
  const BlockTable &table(SequenceId id) const { return tables.at(id); }

  Status checkIntegrity() const {
    std::vector<const BlockTable *> all;
    all.reserve(tables.size());
    for (const auto &[id, table] : tables)
      all.push_back(&table);
    return rt::checkIntegrity(pool, all);
  }

  BlockPool pool;

private:
  int32_t blockSize;
  int32_t slidingWindow;
  std::unordered_map<SequenceId, BlockTable> tables;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_ENGINE_CACHESPACE_H
