//===- BlockTable.h - One sequence's blocks ---------------------*- C++ -*-===//
//
// Maps the positions of one sequence to slots of the cache. For the engine,
// which keeps one a sequence. Room is made before a step; the blocks go back to
// the pool with the table.
//
//   BlockTable table(pool, /*blockSize=*/16);
//   if (!table.reserve(0, 20))            // room for tokens 0..19: two blocks
//     ...                                 // the pool cannot give it
//   int32_t slot = table.slot(17);        // second block, offset 1
//   BlockTable twin = table.fork(20);     // shares both; copied when written
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_CACHE_BLOCKTABLE_H
#define PAGODA_RUNTIME_CACHE_BLOCKTABLE_H

#include "pagoda/Runtime/Cache/BlockPool.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pagoda::rt {

class BlockTable {
public:
  BlockTable(BlockPool &pool, int32_t blockSize)
      : pool(&pool), blockSize(blockSize) {}
  BlockTable(BlockTable &&other) noexcept;
  BlockTable &operator=(BlockTable &&other) noexcept;
  BlockTable(const BlockTable &) = delete;
  ~BlockTable() { clear(); }

  /// Makes tokens [first, first + count) writable, those before `first` being
  /// held: a block shared with others is exchanged for a copy, missing ones are
  /// allocated. All or nothing.
  bool reserve(int32_t first, int32_t count);

  /// Gives back the blocks whose tokens all stand before `position`; their
  /// entries become -1. For sliding windows.
  void releaseBefore(int32_t position);

  /// A table that shares the blocks of this one's first `tokens` tokens. The
  /// prefix tree will make tables in the same way, from a path of nodes.
  BlockTable fork(int32_t tokens) const;

  /// Gives all blocks back.
  void clear();

  /// Where the token at `position` lies; its block must be held.
  int32_t slot(int32_t position) const {
    assert(table[position / blockSize] >= 0 && "the block is not held");
    return table[position / blockSize] * blockSize + position % blockSize;
  }

  /// [blocks] In order of position; -1 where a block was given back.
  std::span<const int32_t> blocks() const { return table; }

private:
  BlockPool *pool;
  int32_t blockSize;
  std::vector<int32_t> table;
};

/// Whether the pool's counts are exactly what these tables hold.
Status checkIntegrity(const BlockPool &pool,
                      std::span<const BlockTable *const> tables);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_CACHE_BLOCKTABLE_H
