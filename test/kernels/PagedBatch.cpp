#include "PagedBatch.h"

#include <algorithm>
#include <numeric>

namespace pagoda::test {

PagedBatch::PagedBatch(std::vector<Sequence> given, const PoolShape &shape,
                       int64_t window, std::mt19937_64 &random)
    : sequences(std::move(given)), shape(shape), window(window) {
  auto blocksOf = [&](const Sequence &sequence) {
    return (sequence.length + shape.block - 1) / shape.block;
  };
  int64_t owned = 0;
  for (const Sequence &sequence : sequences) {
    owned += blocksOf(sequence);
    tableWidth = std::max(tableWidth, blocksOf(sequence) + 1);
  }
  blocks = owned + 3; // some are nobody's
  std::vector<int32_t> order(blocks);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);

  qStart.push_back(0);
  size_t next = 0;
  for (size_t s = 0; s < sequences.size(); ++s) {
    const Sequence &sequence = sequences[s];
    kvLength.push_back(static_cast<int32_t>(sequence.length));
    for (int64_t b = 0; b < tableWidth; ++b) {
      bool isHeld = b < blocksOf(sequence);
      int32_t block = isHeld ? order[next++] : -1;
      bool isSeen = isHeld && (b + 1) * shape.block > firstSeen(s);
      blockTable.push_back(isSeen ? block : -1);
    }
    for (int64_t i = sequence.length - sequence.queries; i < sequence.length;
         ++i) {
      position.push_back(static_cast<int32_t>(i));
      slot.push_back(static_cast<int32_t>(slotOf(s, i)));
    }
    qStart.push_back(static_cast<int32_t>(slot.size()));
  }
}

int64_t PagedBatch::slotOf(size_t sequence, int64_t index) const {
  int64_t block = blockTable[sequence * tableWidth + index / shape.block];
  return block * shape.block + index % shape.block;
}

int64_t PagedBatch::firstSeen(size_t sequence) const {
  int64_t index = sequences[sequence].length - sequences[sequence].queries;
  return window > 0 ? std::max<int64_t>(0, index - window + 1) : 0;
}

const std::vector<int32_t> &PagedBatch::field(BatchField field) const {
  switch (field) {
  case BatchField::QueryStart:
    return qStart;
  case BatchField::KVLength:
    return kvLength;
  case BatchField::BlockTable:
    return blockTable;
  case BatchField::Slot:
    return slot;
  case BatchField::Position:
  case BatchField::Rows: // no kernel with a cache asks for them
    break;
  }
  return position;
}

} // namespace pagoda::test
