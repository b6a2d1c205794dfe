//===- StepBatch.h - One step's ragged batch --------------------*- C++ -*-===//
//
// The arguments of one execution of a `step` program: T tokens of S sequences,
// flattened, in the order of the sequences. The engine fills it, a device
// reads it; plain int32 arrays, so that it goes to any device as it is.
//
// Two sequences, blocks of 4 slots: a prompt of 3 tokens that owns block 7,
// and the sixth token of another that owns blocks 2 and 0:
//
//   ids        = {11, 12, 13,  42}
//   qStart     = {0, 3, 4}           sequence s owns tokens [qStart[s],
//   kvLength   = {3, 6}                                      qStart[s + 1])
//   position   = {0, 1, 2,  5}
//   slot       = {28, 29, 30,  1}    block * blockSize + position % blockSize
//   blockTable = {7, -1,  2, 0}      rows of tableWidth = 2
//   rows       = {2, 3}              logits of tokens 2 and 3 are wanted
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_STEP_STEPBATCH_H
#define PAGODA_RUNTIME_STEP_STEPBATCH_H

#include "pagoda/Base/Status.h"

#include <cstdint>
#include <vector>

namespace pagoda::rt {

struct RunnerLimits;

struct StepBatch {
  /// [T] Token ids. A runner with look-ahead also takes -1 - r: the token it
  /// sampled itself in row r of the step before (see RunnerLimits::lookahead).
  std::vector<int32_t> ids;
  /// [S + 1] Where each sequence's tokens start; qStart[S] = T. No sequence is
  /// empty.
  std::vector<int32_t> qStart;
  /// [S] Tokens that a sequence has in the cache once this step is done.
  std::vector<int32_t> kvLength;
  /// [T] Place of each token in its sequence, counted from 0. A sequence's
  /// last token stands at kvLength - 1 and the ones before it follow one
  /// another.
  std::vector<int32_t> position;
  /// [T] Where each token's keys and values are to be written.
  std::vector<int32_t> slot;
  /// [S, tableWidth] Physical blocks of each sequence, in order of position.
  /// -1 where nothing is held: behind the last block, and, under a sliding
  /// window, before the first that is still seen.
  std::vector<int32_t> blockTable;
  int32_t tableWidth = 0;
  /// [R] Indexes of the tokens whose logits are wanted, increasing. Often fewer
  /// than S: the middle of a long prompt wants none, and R may be 0.
  std::vector<int32_t> rows;
  /// [C] Whole blocks to be copied, one after the other and before anything
  /// of this step is written: copySource[c] to copyDestination[c], in every
  /// layer. Empty unless the runner declares RunnerLimits::copiesBlocks.
  std::vector<int32_t> copySource;
  std::vector<int32_t> copyDestination;

  int32_t tokens() const { return static_cast<int32_t>(ids.size()); }
  int32_t sequences() const { return static_cast<int32_t>(kvLength.size()); }
  int32_t rowCount() const { return static_cast<int32_t>(rows.size()); }
  /// Empties the arrays and keeps their memory.
  void clear();
};

/// Whether every promise of the comments above holds; else the first that is
/// broken. For tests, and for runners that do not trust their caller.
Status checkStepBatch(const StepBatch &batch, const RunnerLimits &limits);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_STEP_STEPBATCH_H
