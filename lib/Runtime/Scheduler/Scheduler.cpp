#include "pagoda/Runtime/Scheduler/Scheduler.h"

#include <algorithm>
#include <cassert>

namespace pagoda::rt {

Scheduler::Scheduler(const SchedulerLimits &limits, TokenSpace &space)
    : limits(limits), space(space) {
  assert(check(limits).ok() && "limits that were not checked");
}

Status Scheduler::add(const SequenceSpec &spec) {
  PAGODA_RETURN_IF_ERROR(checkFits(limits, spec.length, spec.maxLength));
  auto [place, fresh] = sequences.insert({spec.id, Sequence{spec}});
  if (!fresh)
    return internalError("sequence ", spec.id, " is added twice");
  waiting.emplace(spec.id, &place->second);
  return {};
}

bool Scheduler::fork(SequenceId parent, const SequenceSpec &child,
                     int32_t shared) {
  assert(isRunning(parent) && shared <= sequences.at(parent).computed &&
         shared < child.length && "the parent has not computed that much");
  Sequence &sequence =
      sequences.insert({child.id, Sequence{child}}).first->second;
  // As at admission, never more than a step can serve.
  if (runningCount() >= std::min(limits.maxSequences, limits.tokenBudget)) {
    waiting.emplace(child.id, &sequence);
    return false;
  }
  sequence.computed = shared;
  addRunning(sequence);
  return true;
}

void Scheduler::append(SequenceId id) {
  Sequence &sequence = sequences.at(id);
  assert(sequence.length < sequence.maxLength && "longer than promised");
  ++sequence.length;
}

void Scheduler::remove(SequenceId id) {
  auto place = sequences.find(id);
  if (place == sequences.end())
    return;
  space.release(id);
  std::erase(running, &place->second);
  waiting.erase(id);
  sequences.erase(place);
}

const StepPlan &Scheduler::schedule() {
  plan.chunks.clear();
  plan.preempted.clear();
  tokensLeft = limits.tokenBudget;
  rowsLeft = limits.maxRows;

  for (bool decodes : {true, false}) {
    // A list of its own: preemption takes sequences out of `running`.
    order.clear();
    for (const Sequence *sequence : running)
      if (sequence->pending() > 0 && (sequence->pending() == 1) == decodes)
        order.push_back(sequence->id);
    for (SequenceId id : order)
      if (isRunning(id))
        scheduleRunning(sequences.at(id));
  }
  // What was just taken away is not handed to a newcomer.
  if (plan.preempted.empty())
    admit();

  for (const ScheduledChunk &chunk : plan.chunks) {
    Sequence &sequence = sequences.at(chunk.sequence);
    sequence.computed += chunk.count;
    sequence.firstLogits = std::max(sequence.firstLogits, sequence.computed);
  }
  return plan;
}

/// Tokens of `sequence` that this step still has room for, logits included;
/// possibly 0.
int32_t Scheduler::chunkFor(const Sequence &sequence) const {
  int32_t count = std::min(sequence.pending(), tokensLeft);
  if (limits.maxChunk)
    count = std::min(count, limits.maxChunk);
  // Those whose logits are wanted are the last ones.
  return count - std::max(0, logitsIn(sequence, count) - rowsLeft);
}

int32_t Scheduler::logitsIn(const Sequence &sequence, int32_t count) const {
  int32_t end = sequence.computed + count;
  return std::max(0, end - std::max(sequence.computed, sequence.firstLogits));
}

/// Plans what the step has room for, preempting as needed, up to the sequence
/// itself.
void Scheduler::scheduleRunning(Sequence &sequence) {
  int32_t count = chunkFor(sequence);
  if (count == 0)
    return;
  while (!space.reserve(sequence.id, sequence.computed, count)) {
    Sequence &youngest = *running.back();
    preempt(youngest);
    if (&youngest == &sequence)
      return;
  }
  take(sequence, count);
}

void Scheduler::admit() {
  while (!waiting.empty() && runningCount() < limits.maxSequences) {
    Sequence &sequence = *waiting.begin()->second;
    int32_t count = chunkFor(sequence);
    // Room for all that is known, not only for this chunk: a prompt that is let
    // in only to be preempted half-way has cost steps and brought nothing.
    // Nobody overtakes the first in the queue.
    if (count == 0 ||
        peakBlocks(limits, sequence.length) > space.freeBlocks() ||
        !space.reserve(sequence.id, 0, count))
      return;
    waiting.erase(waiting.begin());
    addRunning(sequence);
    take(sequence, count);
  }
}

void Scheduler::take(Sequence &sequence, int32_t count) {
  int32_t logits = logitsIn(sequence, count);
  plan.chunks.push_back({sequence.id, sequence.computed, count, logits});
  tokensLeft -= count;
  rowsLeft -= logits;
}

void Scheduler::preempt(Sequence &victim) {
  auto chunk = std::find_if(
      plan.chunks.begin(), plan.chunks.end(),
      [&](const ScheduledChunk &c) { return c.sequence == victim.id; });
  if (chunk != plan.chunks.end()) {
    tokensLeft += chunk->count;
    rowsLeft += chunk->logits;
    plan.chunks.erase(chunk);
  }
  space.release(victim.id);
  victim.computed = 0;
  std::erase(running, &victim);
  waiting.emplace(victim.id, &victim);
  plan.preempted.push_back(victim.id);
}

bool Scheduler::isRunning(SequenceId id) const {
  auto place = std::lower_bound(running.begin(), running.end(), id,
                                [](const Sequence *sequence, SequenceId id) {
                                  return sequence->id < id;
                                });
  return place != running.end() && (*place)->id == id;
}

void Scheduler::addRunning(Sequence &sequence) {
  auto place = std::upper_bound(
      running.begin(), running.end(), sequence.id,
      [](SequenceId id, const Sequence *other) { return id < other->id; });
  running.insert(place, &sequence);
}

} // namespace pagoda::rt
