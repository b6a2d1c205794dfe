//===- BlockPool.h - Who holds which block of the cache ---------*- C++ -*-===//
//
// Counts references to the physical blocks of the KV cache. For block tables
// (BlockTable.h) and, later, the prefix tree. Plain integers: the memory
// itself belongs to a device that this room does not know.
//
//   BlockPool pool(128);
//   int32_t block = pool.allocate();      // -1 when all are taken
//   pool.retain(block);                   // a second holder
//   int32_t own = pool.makeWritable(block); // a copy, noted for the device
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_CACHE_BLOCKPOOL_H
#define PAGODA_RUNTIME_CACHE_BLOCKPOOL_H

#include "pagoda/Base/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pagoda::rt {

/// A whole block that the device has to copy before it writes anything.
struct BlockCopy {
  int32_t source;
  int32_t destination;

  bool operator==(const BlockCopy &) const = default;
};

class BlockPool {
public:
  explicit BlockPool(int32_t blockCount);

  int32_t blockCount() const { return static_cast<int32_t>(references.size()); }
  /// Blocks that allocate() could give. Once blocks can stay cached without a
  /// holder (the prefix tree), the evictable ones will count as free.
  int32_t freeCount() const { return freeBlocks; }
  /// Holders of a block; 0 means free.
  int32_t refCount(int32_t block) const { return references[block]; }

  /// A block with one reference, or -1. The block that has been free for
  /// longest comes first: when freed blocks keep their contents for reuse, this
  /// order is least-recently-used without a clock.
  int32_t allocate();
  void retain(int32_t block);
  /// Gives one reference back. A pending copy into a block that becomes free
  /// is dropped: its next owner must not be written over.
  void release(int32_t block);

  /// Copy-on-write: `block` itself if the caller is its only holder; else a
  /// fresh block that the device is to fill from it, the caller's reference
  /// moving there; -1 if there is none left (nothing has changed then).
  int32_t makeWritable(int32_t block);

  /// The copies noted since the last call, in the order in which they must be
  /// made. `copies` is overwritten; memory is reused.
  void takeCopies(std::vector<BlockCopy> &copies);

  /// Whether counts and free list agree and, where given, whether the counts
  /// are `expected` [blockCount]. For tests and idle moments.
  Status checkIntegrity(std::span<const int32_t> expected = {}) const;

private:
  std::vector<int32_t> references; // [blockCount]
  /// [blockCount] Ring of the free blocks, oldest first.
  std::vector<int32_t> ring;
  int32_t ringBegin = 0;
  int32_t freeBlocks = 0;
  std::vector<BlockCopy> pending;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_CACHE_BLOCKPOOL_H
