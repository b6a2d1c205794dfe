#include "pagoda/Runtime/Scheduler/SchedulerLimits.h"

#include <algorithm>

namespace pagoda::rt {

Status check(const SchedulerLimits &limits) {
  struct {
    const char *name;
    int32_t value, least;
  } fields[] = {{"tokenBudget", limits.tokenBudget, 1},
                {"maxSequences", limits.maxSequences, 1},
                {"maxRows", limits.maxRows, 1},
                {"maxContext", limits.maxContext, 1},
                {"blockSize", limits.blockSize, 1},
                {"blockCount", limits.blockCount, 1},
                {"slidingWindow", limits.slidingWindow, 0},
                {"maxChunk", limits.maxChunk, 0}};
  for (const auto &field : fields)
    if (field.value < field.least)
      return invalidArgument("scheduler limits: ", field.name, " is ",
                             field.value, ", expected at least ", field.least);
  return {};
}

namespace {

/// Blocks that a sequence under a sliding window holds at most: the window of
/// a chunk's first token and the chunk, however they lie across blocks.
int64_t windowBlocks(const SchedulerLimits &limits) {
  int64_t chunk = limits.maxChunk
                      ? std::min(limits.maxChunk, limits.tokenBudget)
                      : limits.tokenBudget;
  int64_t tokens = limits.slidingWindow - 1 + chunk;
  return (tokens + limits.blockSize - 2) / limits.blockSize + 1;
}

} // namespace

int32_t peakBlocks(const SchedulerLimits &limits, int64_t computed) {
  int64_t blocks = (computed + limits.blockSize - 1) / limits.blockSize;
  if (limits.slidingWindow)
    blocks = std::min(blocks, windowBlocks(limits));
  return static_cast<int32_t>(blocks);
}

Status checkFits(const SchedulerLimits &limits, int64_t prompt,
                 int64_t maxLength) {
  if (prompt < 1)
    return invalidArgument("the prompt has no tokens");
  int64_t generated = maxLength - prompt;
  if (maxLength > limits.maxContext)
    return invalidArgument("the context is ", limits.maxContext,
                           " tokens; the prompt has ", prompt, " and ",
                           generated, " more are asked for, ", maxLength,
                           " in all");
  // The last token is sampled and never computed.
  int32_t blocks = peakBlocks(limits, std::max(prompt, maxLength - 1));
  if (blocks > limits.blockCount)
    return resourceExhausted(
        "a prompt of ", prompt, " tokens with ", generated,
        " to generate needs ", blocks, " blocks of ", limits.blockSize,
        " tokens; the cache has ", limits.blockCount, ", room for ",
        int64_t{limits.blockCount} * limits.blockSize, " tokens");
  return {};
}

int32_t longestLength(const SchedulerLimits &limits) {
  if (peakBlocks(limits, limits.maxContext - 1) <= limits.blockCount)
    return limits.maxContext;
  return static_cast<int32_t>(std::min<int64_t>(
      int64_t{limits.blockCount} * limits.blockSize + 1, limits.maxContext));
}

} // namespace pagoda::rt
