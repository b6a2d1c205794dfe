#include "pagoda/Runtime/Cache/BlockTable.h"

#include <algorithm>
#include <utility>

namespace pagoda::rt {

BlockTable::BlockTable(BlockTable &&other) noexcept
    : pool(other.pool), blockSize(other.blockSize),
      table(std::exchange(other.table, {})) {}

BlockTable &BlockTable::operator=(BlockTable &&other) noexcept {
  if (this != &other) {
    clear();
    pool = other.pool;
    blockSize = other.blockSize;
    table = std::exchange(other.table, {});
  }
  return *this;
}

bool BlockTable::reserve(int32_t first, int32_t count) {
  assert(first >= 0 && count > 0 && "nothing to make room for");
  int32_t begin = first / blockSize;
  int32_t end = (first + count - 1) / blockSize + 1;
  int32_t held = static_cast<int32_t>(table.size());
  assert(begin <= held && "tokens before the first are missing");

  // Counted before anything changes, so that failure leaves no trace. A copy
  // never frees its source here: somebody else holds that.
  int32_t needed = std::max(0, end - held);
  for (int32_t i = begin; i < std::min(end, held); ++i)
    needed += pool->refCount(table[i]) > 1;
  if (needed > pool->freeCount())
    return false;

  for (int32_t i = begin; i < std::min(end, held); ++i)
    table[i] = pool->makeWritable(table[i]);
  while (static_cast<int32_t>(table.size()) < end)
    table.push_back(pool->allocate());
  return true;
}

void BlockTable::releaseBefore(int32_t position) {
  int32_t end = std::min(position / blockSize, int32_t(table.size()));
  // From the back, to stop at what earlier calls gave back.
  for (int32_t i = end - 1; i >= 0 && table[i] >= 0; --i) {
    pool->release(table[i]);
    table[i] = -1;
  }
}

BlockTable BlockTable::fork(int32_t tokens) const {
  BlockTable twin(*pool, blockSize);
  size_t shared = (size_t(tokens) + blockSize - 1) / blockSize;
  assert(shared <= table.size() && "tokens to share are missing");
  twin.table.assign(table.begin(), table.begin() + shared);
  for (int32_t block : twin.table)
    if (block >= 0)
      pool->retain(block);
  return twin;
}

void BlockTable::clear() {
  for (int32_t block : table)
    if (block >= 0)
      pool->release(block);
  table.clear();
}

Status checkIntegrity(const BlockPool &pool,
                      std::span<const BlockTable *const> tables) {
  std::vector<int32_t> expected(pool.blockCount(), 0);
  for (const BlockTable *table : tables)
    for (int32_t block : table->blocks())
      if (block >= 0)
        ++expected[block];
  return pool.checkIntegrity(expected);
}

} // namespace pagoda::rt
