//===- StepArguments.h - From a schedule to batches -------------*- C++ -*-===//
//
// Turns the steps of a schedule into the arguments of a step program, one
// after the other: positions, starts, wanted rows and, for paged programs,
// slots and block tables. Blocks are handed out in a shuffled order, and where
// all layers have a window those that no token will see again are taken back
// and given to others.
//
//   StepArguments steps(inputs, inputs.schedules[0], /*block=*/16);
//   while (std::optional<reference::Batch> batch = steps.next())
//     run(*batch);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_STEPARGUMENTS_H
#define PAGODA_LIB_VERIFY_STEPARGUMENTS_H

#include "Inputs.h"
#include "pagoda/Reference/Interpreter/Batch.h"

namespace pagoda::verify {

/// Blocks that any schedule of these inputs gets along with, and a few that
/// nobody owns.
int64_t poolBlocks(const Inputs &inputs, int64_t block);

class StepArguments {
public:
  /// `block` is 0 for programs without blocks.
  StepArguments(const Inputs &inputs, const Schedule &schedule, int64_t block);

  /// The next step; nothing when all are done.
  std::optional<reference::Batch> next();

private:
  void addSequence(reference::Batch &batch, const StepPart &part);
  void fillTables(reference::Batch &batch, const ScheduledStep &step);
  void releaseUnseen(int sequence);

  const Inputs &inputs;
  const Schedule &schedule;
  int64_t block;
  size_t step = 0;
  std::vector<int32_t> done;                // tokens of each sequence
  std::vector<std::vector<int32_t>> tables; // blocks of each sequence
  std::vector<int32_t> freeBlocks;          // the last one goes first
};

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_STEPARGUMENTS_H
