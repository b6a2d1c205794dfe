//===- Batch.h - The batch that the interpreter steps over ------*- C++ -*-===//
//
// What an `!llm.batch` holds, and which sequences it is about. For whoever
// drives the interpreter: the harness of --verify-passes, conformance tests.
//
// Two sequences, blocks of 16 slots: a prompt of 3 tokens that owns block 7,
// and the eighteenth token of another that owns blocks 2 and 0:
//
//   ids        = {11, 12, 13,  42}
//   qStart     = {0, 3, 4}
//   kvLength   = {3, 18}
//   position   = {0, 1, 2,  17}
//   rows       = {2, 3}
//   sequence   = {5, 1}
//   slot       = {112, 113, 114,  1}
//   blockTable = {7, -1,  2, 0}
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_INTERPRETER_BATCH_H
#define PAGODA_REFERENCE_INTERPRETER_BATCH_H

#include <compare>
#include <cstdint>
#include <vector>

namespace pagoda::reference {

/// A token by its place in the outside world, whichever step it comes in.
struct Token {
  int32_t sequence;
  int32_t position;
  auto operator<=>(const Token &) const = default;
};

struct Batch {
  /// [T] Token ids; [S + 1] where each sequence's tokens start; [S] keys of
  /// each sequence, this step's included; [T] place of each token in its
  /// sequence; [R] the tokens whose logits are wanted, increasing.
  std::vector<int32_t> ids, qStart, kvLength, position, rows;
  /// [S] Which sequence of the outside world each one is, the same in all
  /// steps: caches without blocks and traces know sequences by it.
  std::vector<int32_t> sequence;
  /// For paged programs: [T] the physical slot of each token; [S, tableWidth]
  /// the blocks of each sequence in order of position, -1 where there is none.
  std::vector<int32_t> slot, blockTable;
  int32_t tableWidth = 0;

  int64_t tokens() const { return static_cast<int64_t>(ids.size()); }
  int64_t sequences() const { return static_cast<int64_t>(kvLength.size()); }
  int64_t rowCount() const { return static_cast<int64_t>(rows.size()); }
  /// The sequence of the batch that token `index` belongs to.
  int64_t sequenceOf(int64_t index) const {
    int64_t s = 0;
    while (qStart[s + 1] <= index)
      ++s;
    return s;
  }
  Token token(int64_t index) const {
    return {sequence[sequenceOf(index)], position[index]};
  }
};

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_INTERPRETER_BATCH_H
