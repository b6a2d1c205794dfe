#include "StepArguments.h"

#include "pagoda/Base/Random.h"

#include <algorithm>

namespace pagoda::verify {

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Not every row, not only the last: each third, and the sequence's last one.
bool isWanted(Wanted wanted, int32_t index, int32_t tokens) {
  return wanted == Wanted::All ||
         (wanted == Wanted::Some && (index % 3 == 0 || index + 1 == tokens));
}

} // namespace

int64_t poolBlocks(const Inputs &inputs, int64_t block) {
  int64_t blocks = 3;
  for (const std::vector<int32_t> &sequence : inputs.sequences)
    blocks += ceilDiv(static_cast<int64_t>(sequence.size()), block);
  return blocks;
}

StepArguments::StepArguments(const Inputs &inputs, const Schedule &schedule,
                             int64_t block)
    : inputs(inputs), schedule(schedule), block(block),
      done(inputs.sequences.size()), tables(inputs.sequences.size()) {
  if (!block)
    return;
  for (int32_t i = 0; i < poolBlocks(inputs, block); ++i)
    freeBlocks.push_back(i);
  // A schedule's own order, the same on every machine (Fisher and Yates).
  uint64_t stream = randomStream(17, schedule.name);
  for (size_t i = freeBlocks.size(); i > 1; --i)
    std::swap(freeBlocks[i - 1], freeBlocks[mix64(stream + i) % i]);
}

std::optional<reference::Batch> StepArguments::next() {
  if (step == schedule.steps.size())
    return std::nullopt;
  const ScheduledStep &current = schedule.steps[step++];
  reference::Batch batch;
  batch.qStart.push_back(0);
  for (const StepPart &part : current.parts) {
    int32_t first = static_cast<int32_t>(batch.tokens());
    addSequence(batch, part);
    for (int32_t i = 0; i < part.tokens; ++i)
      if (isWanted(current.wanted, i, part.tokens))
        batch.rows.push_back(first + i);
  }
  if (block)
    fillTables(batch, current);
  return batch;
}

void StepArguments::addSequence(reference::Batch &batch, const StepPart &part) {
  const std::vector<int32_t> &ids = inputs.sequences[part.sequence];
  if (block)
    releaseUnseen(part.sequence);
  int32_t &length = done[part.sequence];
  for (int32_t i = 0; i < part.tokens; ++i, ++length) {
    batch.ids.push_back(ids[length]);
    batch.position.push_back(length);
    if (!block)
      continue;
    std::vector<int32_t> &table = tables[part.sequence];
    if (length % block == 0) {
      table.push_back(freeBlocks.back());
      freeBlocks.pop_back();
    }
    batch.slot.push_back(
        static_cast<int32_t>(table[length / block] * block + length % block));
  }
  batch.qStart.push_back(static_cast<int32_t>(batch.tokens()));
  batch.kvLength.push_back(length);
  batch.sequence.push_back(part.sequence);
}

/// Rows of one width, filled up with -1, and a column more than anyone needs.
void StepArguments::fillTables(reference::Batch &batch,
                               const ScheduledStep &current) {
  size_t width = 0;
  for (const StepPart &part : current.parts)
    width = std::max(width, tables[part.sequence].size());
  batch.tableWidth = static_cast<int32_t>(width + 1);
  for (const StepPart &part : current.parts) {
    const std::vector<int32_t> &table = tables[part.sequence];
    batch.blockTable.insert(batch.blockTable.end(), table.begin(), table.end());
    batch.blockTable.resize(batch.blockTable.size() + width + 1 - table.size(),
                            -1);
  }
}

/// The next token sees keys from its position less the window on, itself
/// included; those behind it see no more.
void StepArguments::releaseUnseen(int sequence) {
  if (!inputs.window)
    return;
  int64_t firstSeen = done[sequence] - *inputs.window + 1;
  std::vector<int32_t> &table = tables[sequence];
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i] >= 0 && static_cast<int64_t>(i + 1) * block <= firstSeen) {
      freeBlocks.insert(freeBlocks.begin(), table[i]);
      table[i] = -1;
    }
}

} // namespace pagoda::verify
