//===- SchedulerLimits.h - What a step and the cache can hold ---*- C++ -*-===//
//
// The numbers that scheduling goes by, and the arithmetic on them that says
// whether a request can ever run. For the scheduler and for whoever refuses a
// request before it is queued (any thread: these are pure functions).
//
//   if (Status fits = checkFits(limits, prompt, prompt + maxTokens);
//   !fits.ok())
//     return fits; // "… needs 40 blocks of 16 tokens, the cache has 32 …"
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_SCHEDULER_SCHEDULERLIMITS_H
#define PAGODA_RUNTIME_SCHEDULER_SCHEDULERLIMITS_H

#include "pagoda/Base/Status.h"

#include <cstdint>

namespace pagoda::rt {

struct SchedulerLimits {
  /// Tokens of one step, all sequences together.
  int32_t tokenBudget = 0;
  /// Sequences that run at a time.
  int32_t maxSequences = 0;
  /// Rows of logits of one step.
  int32_t maxRows = 0;
  /// Longest sequence, prompt and generated tokens together.
  int32_t maxContext = 0;
  int32_t blockSize = 0;
  int32_t blockCount = 0;
  /// Tokens that a token sees, itself included; 0: all before it.
  int32_t slidingWindow = 0;
  /// Tokens of one prompt in one step, so that a long one leaves room for
  /// others behind it; 0: up to the budget.
  int32_t maxChunk = 0;
};

/// Whether the limits make sense by themselves.
Status check(const SchedulerLimits &limits);

/// Most blocks that a sequence ever holds at once if `computed` of its tokens
/// get computed.
int32_t peakBlocks(const SchedulerLimits &limits, int64_t computed);

/// Whether a sequence of `prompt` tokens that may grow to `maxLength` in all
/// can run when it has the cache to itself.
Status checkFits(const SchedulerLimits &limits, int64_t prompt,
                 int64_t maxLength);

/// The largest maxLength that fits: for requests that set no limit.
int32_t longestLength(const SchedulerLimits &limits);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_SCHEDULER_SCHEDULERLIMITS_H
