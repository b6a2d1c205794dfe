#include "pagoda/Runtime/Step/StepBatch.h"

#include "pagoda/Runtime/Step/StepRunner.h"

#include <algorithm>
#include <unordered_set>

namespace pagoda::rt {

void StepBatch::clear() {
  for (std::vector<int32_t> *array :
       {&ids, &qStart, &kvLength, &position, &slot, &blockTable, &rows,
        &copySource, &copyDestination})
    array->clear();
  tableWidth = 0;
}

namespace {

Status checkSizes(const StepBatch &batch, const RunnerLimits &limits) {
  size_t tokens = batch.ids.size(), sequences = batch.kvLength.size();
  if (batch.position.size() != tokens || batch.slot.size() != tokens ||
      batch.qStart.size() != sequences + 1 ||
      batch.blockTable.size() != sequences * batch.tableWidth ||
      batch.copySource.size() != batch.copyDestination.size())
    return invalidArgument("step batch: arrays of ", tokens, " tokens and ",
                           sequences, " sequences differ in size");
  if (batch.qStart.front() != 0 || batch.qStart.back() != batch.tokens())
    return invalidArgument("step batch: q_start runs from ",
                           batch.qStart.front(), " to ", batch.qStart.back(),
                           ", not from 0 to ", tokens);
  if (tokens == 0)
    return invalidArgument("step batch: no tokens");
  if (batch.tokens() > limits.maxTokens ||
      batch.sequences() > limits.maxSequences ||
      batch.rowCount() > limits.maxRows)
    return invalidArgument("step batch: ", tokens, " tokens, ", sequences,
                           " sequences, ", batch.rows.size(),
                           " rows; the program takes ", limits.maxTokens, ", ",
                           limits.maxSequences, " and ", limits.maxRows);
  return {};
}

Status checkSequence(const StepBatch &batch, const RunnerLimits &limits,
                     int32_t sequence) {
  int32_t begin = batch.qStart[sequence], end = batch.qStart[sequence + 1];
  int32_t length = batch.kvLength[sequence];
  if (end <= begin || length < end - begin || length > limits.maxContext)
    return invalidArgument("step batch: sequence ", sequence, " has ",
                           end - begin, " tokens and a length of ", length);
  // Compared in 64 bits: a table may be too narrow for the length.
  if (int64_t{batch.tableWidth} * limits.blockSize < length)
    return invalidArgument("step batch: sequence ", sequence, " has ", length,
                           " tokens, its block table only room for ",
                           int64_t{batch.tableWidth} * limits.blockSize);
  const int32_t *table =
      batch.blockTable.data() + size_t(sequence) * batch.tableWidth;
  int32_t first = length - (end - begin);
  int32_t firstSeen =
      limits.slidingWindow ? std::max(0, first - limits.slidingWindow + 1) : 0;
  for (int32_t i = 0; i < batch.tableWidth; ++i) {
    bool needed = i >= firstSeen / limits.blockSize &&
                  i <= (length - 1) / limits.blockSize;
    if (table[i] < -1 || table[i] >= limits.blockCount ||
        (needed && table[i] == -1))
      return invalidArgument("step batch: sequence ", sequence,
                             " has block table entry ", table[i], " at ", i);
  }
  for (int32_t token = begin; token < end; ++token) {
    int32_t position = first + token - begin;
    int32_t slot = table[position / limits.blockSize] * limits.blockSize +
                   position % limits.blockSize;
    if (batch.position[token] != position || batch.slot[token] != slot)
      return invalidArgument("step batch: token ", token, " has position ",
                             batch.position[token], " and slot ",
                             batch.slot[token], ", expected ", position,
                             " and ", slot);
  }
  return {};
}

} // namespace

Status checkStepBatch(const StepBatch &batch, const RunnerLimits &limits) {
  PAGODA_RETURN_IF_ERROR(checkSizes(batch, limits));
  for (int32_t sequence = 0; sequence < batch.sequences(); ++sequence)
    PAGODA_RETURN_IF_ERROR(checkSequence(batch, limits, sequence));

  int32_t lowestId = limits.lookahead > 0 ? -limits.maxRows : 0;
  for (int32_t id : batch.ids)
    if (id < lowestId || id >= limits.vocabulary)
      return invalidArgument("step batch: token id ", id,
                             " is not in a vocabulary of ", limits.vocabulary);
  std::unordered_set<int32_t> written;
  for (int32_t slot : batch.slot)
    if (!written.insert(slot).second)
      return invalidArgument("step batch: slot ", slot, " is written twice");
  int32_t previous = -1;
  for (int32_t row : batch.rows) {
    if (row <= previous || row >= batch.tokens())
      return invalidArgument("step batch: row ", row, " after ", previous,
                             " with ", batch.tokens(), " tokens");
    previous = row;
  }
  if (!batch.copySource.empty() && !limits.copiesBlocks)
    return invalidArgument("step batch: copies for a runner without them");
  for (const std::vector<int32_t> *blocks :
       {&batch.copySource, &batch.copyDestination})
    for (int32_t block : *blocks)
      if (block < 0 || block >= limits.blockCount)
        return invalidArgument("step batch: copy of block ", block);
  return {};
}

Status checkRunnerLimits(const RunnerLimits &limits) {
  struct {
    const char *name;
    int32_t value, least;
  } fields[] = {{"vocabulary", limits.vocabulary, 1},
                {"maxContext", limits.maxContext, 1},
                {"blockSize", limits.blockSize, 1},
                {"blockCount", limits.blockCount, 1},
                {"maxTokens", limits.maxTokens, 1},
                {"maxSequences", limits.maxSequences, 1},
                {"maxRows", limits.maxRows, 1},
                {"slidingWindow", limits.slidingWindow, 0},
                {"lookahead", limits.lookahead, 0}};
  for (const auto &field : fields)
    if (field.value < field.least)
      return invalidArgument("runner limits: ", field.name, " is ", field.value,
                             ", expected at least ", field.least);
  if (int64_t{limits.blockSize} * limits.blockCount > INT32_MAX)
    return invalidArgument("runner limits: ", limits.blockCount, " blocks of ",
                           limits.blockSize,
                           " slots are more than 32-bit slots can name");
  return {};
}

} // namespace pagoda::rt
