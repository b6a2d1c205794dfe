#include "pagoda/Runtime/Cache/BlockPool.h"

#include <numeric>

namespace pagoda::rt {

BlockPool::BlockPool(int32_t blockCount)
    : references(blockCount, 0), ring(blockCount), freeBlocks(blockCount) {
  std::iota(ring.begin(), ring.end(), 0);
}

int32_t BlockPool::allocate() {
  if (freeBlocks == 0)
    return -1;
  int32_t block = ring[ringBegin];
  ringBegin = ringBegin + 1 == blockCount() ? 0 : ringBegin + 1;
  --freeBlocks;
  assert(references[block] == 0 && "a free block has a holder");
  references[block] = 1;
  return block;
}

void BlockPool::retain(int32_t block) {
  assert(references[block] > 0 && "a free block cannot be shared");
  ++references[block];
}

void BlockPool::release(int32_t block) {
  assert(references[block] > 0 && "a block was given back twice");
  if (--references[block] > 0)
    return;
  std::erase_if(pending, [block](const BlockCopy &copy) {
    return copy.destination == block;
  });
  int32_t end = ringBegin + freeBlocks;
  ring[end >= blockCount() ? end - blockCount() : end] = block;
  ++freeBlocks;
}

int32_t BlockPool::makeWritable(int32_t block) {
  if (references[block] == 1)
    return block;
  int32_t copy = allocate();
  if (copy < 0)
    return -1;
  pending.push_back({block, copy});
  release(block);
  return copy;
}

void BlockPool::takeCopies(std::vector<BlockCopy> &copies) {
  copies.clear();
  copies.swap(pending);
}

Status BlockPool::checkIntegrity(std::span<const int32_t> expected) const {
  std::vector<bool> free(blockCount(), false);
  for (int32_t i = 0; i < freeBlocks; ++i) {
    int32_t block = ring[(int64_t{ringBegin} + i) % blockCount()];
    if (free[block])
      return internalError("block ", block, " is free twice");
    free[block] = true;
  }
  for (int32_t block = 0; block < blockCount(); ++block) {
    if (references[block] < 0 || free[block] != (references[block] == 0))
      return internalError("block ", block, " has ", references[block],
                           " references and is ", free[block] ? "" : "not ",
                           "in the free list");
    if (!expected.empty() && references[block] != expected[block])
      return internalError("block ", block, " has ", references[block],
                           " references, its holders add up to ",
                           expected[block]);
  }
  for (const BlockCopy &copy : pending)
    if (references[copy.destination] == 0)
      return internalError("a copy is pending into free block ",
                           copy.destination);
  return {};
}

} // namespace pagoda::rt
