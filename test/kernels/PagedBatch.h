//===- PagedBatch.h - Sequences over shuffled blocks ------------*- C++ -*-===//
//
// The batch's arrays and the pools of one layer for tests of kernels with a
// cache. Sequences own blocks in no order; slots that hold no visible key, and
// the blocks that a window has left behind, hold NaN.
//
//   PagedBatch batch({{.length = 17, .queries = 3}}, pools, random);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_PAGEDBATCH_H
#define PAGODA_TEST_KERNELS_PAGEDBATCH_H

#include "pagoda/Kernels/KernelFamily.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace pagoda::test {

/// Of the keys and of the values of one layer.
struct PoolShape {
  int64_t kvHeads, elements, block;
  bool isHalf;

  int64_t elementBytes() const { return isHalf ? 2 : 4; }
  /// Elements of one block.
  int64_t blockElements() const { return kvHeads * elements * block; }
  /// Where an element of a token's key or value lies: [block][head][D][B] and
  /// [block][head][B][D].
  int64_t keyAt(int64_t slot, int64_t head, int64_t element) const {
    return slot / block * blockElements() +
           (head * elements + element) * block + slot % block;
  }
  int64_t valueAt(int64_t slot, int64_t head, int64_t element) const {
    return slot / block * blockElements() +
           (head * block + slot % block) * elements + element;
  }
};

struct Sequence {
  int64_t length;  // keys, this step's included
  int64_t queries; // tokens of this step
};

struct PagedBatch {
  /// With a window, blocks that no query of this step sees are given away.
  PagedBatch(std::vector<Sequence> sequences, const PoolShape &shape,
             int64_t window, std::mt19937_64 &random);

  int64_t tokens() const { return qStart.back(); }
  int64_t slotOf(size_t sequence, int64_t position) const;
  /// The first key that any query of this step sees.
  int64_t firstSeen(size_t sequence) const;

  std::vector<Sequence> sequences;
  PoolShape shape;
  int64_t window;
  int64_t blocks = 0;
  int64_t tableWidth = 0;
  std::vector<int32_t> qStart, kvLength, position, slot, blockTable;

  /// The array that a kernel asks for.
  const std::vector<int32_t> &field(BatchField field) const;
};

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_PAGEDBATCH_H
