//===- Scheduler.h - Which tokens the next step computes --------*- C++ -*-===//
//
// Iteration-level scheduling for the engine. There are no phases: a sequence
// has a number of known tokens (prompt and generated) and a number of computed
// ones that runs after it; a step takes tokens of many sequences up to a
// budget, so a long prompt spreads over steps that also decode for others.
//
// One step, in this order, older sequences first:
//   1. running sequences with one token to go (decodes)
//   2. running sequences with more to go (prompts, recomputations)
//   3. waiting ones, unless this step preempted
// When the cache is full the youngest running sequence is preempted: it loses
// its blocks and waits, to be computed again from its first token. So the
// oldest one always advances, and a step with work is never empty.
//
// Integers in, integers out, and no clock: the same calls give the same plans.
//
//   Scheduler scheduler(limits, space);
//   PAGODA_RETURN_IF_ERROR(scheduler.add({.id = 1, .length = 700,
//                                         .maxLength = 764,
//                                         .firstLogits = 699}));
//   for (const ScheduledChunk &chunk : scheduler.schedule().chunks)
//     ...                      // compute chunk.count tokens from chunk.first
//   scheduler.append(1);       // a token was sampled
//   scheduler.remove(1);       // it was the last
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_SCHEDULER_SCHEDULER_H
#define PAGODA_RUNTIME_SCHEDULER_SCHEDULER_H

#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Scheduler/SchedulerLimits.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace pagoda::rt {

/// Grows with arrival: the smaller of two ids is the older sequence.
using SequenceId = int64_t;

/// The memory of tokens, as the scheduler sees it. The engine implements it
/// over the cache.
class TokenSpace {
public:
  virtual ~TokenSpace() = default;
  /// Makes room for tokens [first, first + count) of a sequence that holds
  /// those before (or, under a sliding window, those that are still seen). All
  /// or nothing.
  virtual bool reserve(SequenceId id, int32_t first, int32_t count) = 0;
  /// Gives up all that a sequence holds.
  virtual void release(SequenceId id) = 0;
  virtual int32_t freeBlocks() const = 0;
};

struct SequenceSpec {
  SequenceId id;
  /// Tokens known now, and the most that there will ever be; the last of
  /// these is never computed, only sampled.
  int32_t length;
  int32_t maxLength;
  /// First position whose logits are wanted, and all after it: length - 1 to
  /// generate, 0 for the logits of a whole prompt.
  int32_t firstLogits;
};

struct ScheduledChunk {
  SequenceId sequence;
  int32_t first;
  int32_t count;
  /// How many of the chunk's last tokens have their logits wanted.
  int32_t logits;
};

struct StepPlan {
  std::vector<ScheduledChunk> chunks;
  /// Sequences that lost their blocks in making this plan.
  std::vector<SequenceId> preempted;
};

class Scheduler {
public:
  /// `limits` must pass check(); `space` outlives the scheduler.
  Scheduler(const SchedulerLimits &limits, TokenSpace &space);

  /// Lets a sequence wait for its turn. One that could never run is refused,
  /// with the numbers.
  Status add(const SequenceSpec &spec);

  /// Adds `child`, which continues the first `shared` tokens that `parent` has
  /// computed. True if it runs at once, holding these: the caller makes it
  /// share the memory. False if it has to wait, holding nothing.
  bool fork(SequenceId parent, const SequenceSpec &child, int32_t shared);

  /// Plans the next step and counts its tokens as computed: the plan is a
  /// promise, which lets a later version plan ahead of results. A sequence
  /// whose step failed has to be removed. Valid until the next call.
  const StepPlan &schedule();

  /// One more token of `id` is known.
  void append(SequenceId id);

  /// Forgets a sequence, wherever it is, and releases its memory.
  void remove(SequenceId id);

  int32_t runningCount() const { return static_cast<int32_t>(running.size()); }
  int32_t waitingCount() const { return static_cast<int32_t>(waiting.size()); }
  bool hasWork() const { return !sequences.empty(); }

private:
  struct Sequence : SequenceSpec {
    int32_t computed = 0;
    int32_t pending() const { return length - computed; }
  };

  int32_t chunkFor(const Sequence &sequence) const;
  int32_t logitsIn(const Sequence &sequence, int32_t count) const;
  void scheduleRunning(Sequence &sequence);
  void admit();
  void take(Sequence &sequence, int32_t count);
  void preempt(Sequence &victim);
  bool isRunning(SequenceId id) const;
  void addRunning(Sequence &sequence);

  SchedulerLimits limits;
  TokenSpace &space;
  std::unordered_map<SequenceId, Sequence> sequences;
  std::vector<Sequence *> running; // oldest first
  std::map<SequenceId, Sequence *> waiting;

  // The step being planned.
  StepPlan plan;
  int32_t tokensLeft = 0;
  int32_t rowsLeft = 0;
  std::vector<SequenceId> order;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_SCHEDULER_SCHEDULER_H
