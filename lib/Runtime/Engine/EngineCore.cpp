#include "EngineCore.h"

#include <algorithm>
#include <utility>

namespace pagoda::rt {

/// One request: what its choices share.
struct EngineCore::Group {
  RequestId id;
  Request request;
  int32_t promptLength;
  int32_t maxLength;
  uint64_t seed;
  /// The choices are sequences firstSequence + 0, 1, …: as old as the request.
  SequenceId firstSequence;
  std::vector<bool> open; // [choices] which have not ended
  int32_t openCount;
  /// The first choice computes the prompt alone; the others begin with the
  /// logits of its last token.
  bool spawned = false;
};

/// One choice that has begun.
struct EngineCore::Sequence {
  Group &group;
  int32_t choice;
  uint64_t seed;
  std::vector<int32_t> tokens; // prompt and generated
  TokenCounts counts;          // kept where penalties need them
  std::unique_ptr<TokenMask> mask;

  SequenceId id() const { return group.firstSequence + choice; }
};

EngineCore::EngineCore(StepRunner &runner, const SchedulerLimits &limits)
    : runner(runner), limits(limits),
      space(limits.blockCount, limits.blockSize, limits.slidingWindow),
      scheduler(limits, space), sampler(runner.limits().vocabulary),
      allowed((runner.limits().vocabulary + 31) / 32) {}

EngineCore::~EngineCore() = default;

//===----------------------------------------------------------------------===//
// Requests come and go
//===----------------------------------------------------------------------===//

void EngineCore::start(RequestId id, Request request) {
  auto owned = std::make_unique<Group>();
  Group &group = *owned;
  group.id = id;
  group.promptLength = static_cast<int32_t>(request.prompt.size());
  group.maxLength = request.maxTokens ? group.promptLength + *request.maxTokens
                                      : longestLength(limits);
  group.seed = request.sampling.seed.value_or(0); // Engine::add drew one
  group.firstSequence = nextSequence;
  group.open.assign(request.choices, true);
  group.openCount = request.choices;
  group.request = std::move(request);
  nextSequence += group.request.choices;
  groups.emplace(id, std::move(owned));

  bool promptLogits = group.request.promptLogits;
  if (group.maxLength == group.promptLength && !promptLogits)
    return endGroup(id, FinishReason::Length, Status());
  makeSequence(group, 0);
  Status added =
      scheduler.add({.id = group.firstSequence,
                     .length = group.promptLength,
                     .maxLength = group.maxLength,
                     .firstLogits = promptLogits ? 0 : group.promptLength - 1});
  if (!added.ok())
    endGroup(id, FinishReason::Error, added);
}

EngineCore::Sequence &EngineCore::makeSequence(Group &group, int32_t choice) {
  const Request &request = group.request;
  auto sequence = std::make_unique<Sequence>(
      Sequence{group, choice, choiceSeed(group.seed, choice), request.prompt,
               TokenCounts(), request.mask ? request.mask->clone() : nullptr});
  if (request.sampling.hasPenalties())
    sequence->counts.addPrompt(request.prompt);
  SequenceId id = sequence->id();
  return *sequences.emplace(id, std::move(sequence)).first->second;
}

EngineCore::Sequence *EngineCore::find(SequenceId id) {
  auto place = sequences.find(id);
  return place == sequences.end() ? nullptr : place->second.get();
}

void EngineCore::endChoice(Group &group, int32_t choice, FinishReason reason,
                           const Status &status) {
  SequenceId id = group.firstSequence + choice;
  scheduler.remove(id);
  int32_t generated = 0;
  if (auto sequence = sequences.extract(id))
    generated = int32_t(sequence.mapped()->tokens.size()) - group.promptLength;
  group.open[choice] = false;
  group.request.sink->onFinish({.request = group.id,
                                .choice = choice,
                                .reason = reason,
                                .status = status,
                                .promptTokens = group.promptLength,
                                .generatedTokens = generated});
  if (--group.openCount == 0) {
    groups.erase(group.id);
    ++totals.endedRequests;
  }
}

void EngineCore::endGroup(RequestId id, FinishReason reason,
                          const Status &status) {
  auto place = groups.find(id);
  if (place == groups.end())
    return;
  // The last choice to end takes the group with it.
  Group &group = *place->second;
  int32_t choices = group.request.choices;
  int32_t left = group.openCount;
  for (int32_t choice = 0; choice < choices && left > 0; ++choice)
    if (group.open[choice]) {
      --left;
      endChoice(group, choice, reason, status);
    }
}

void EngineCore::cancel(RequestId id) {
  endGroup(id, FinishReason::Cancelled,
           Status(StatusCode::Cancelled, "the request was withdrawn"));
}

void EngineCore::endAll(FinishReason reason, const Status &status) {
  while (!groups.empty())
    endGroup(groups.begin()->first, reason, status);
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

// Submit and collect follow one another because runners do not look ahead yet.
// With one that does, plan() comes between them: the sequences of the step in
// flight get a token each whose id is -1 - row, and a stop found on collecting
// removes its sequence together with the token that was planned in vain.
void EngineCore::step() {
  if (!plan())
    // The scheduler promises progress. Should it ever break that, everybody is
    // told instead of waiting for ever.
    return endAll(FinishReason::Error,
                  internalError("the scheduler found nothing to do for ",
                                scheduler.runningCount(), " running and ",
                                scheduler.waitingCount(),
                                " waiting sequences"));
  Status status = submit();
  if (status.ok())
    status = collect();
  if (!status.ok())
    failStep(status);
}

bool EngineCore::plan() {
  current = &scheduler.schedule();
  totals.preemptions += int64_t(current->preempted.size());
  parts.clear();
  for (const ScheduledChunk &chunk : current->chunks) {
    parts.push_back({chunk, sequences.at(chunk.sequence)->tokens,
                     &space.table(chunk.sequence)});
    totals.computedTokens += chunk.count;
  }
  space.pool.takeCopies(copies);
  buildBatch(parts, copies, batch);
  return !parts.empty();
}

Status EngineCore::submit() {
  assert(checkStepBatch(batch, runner.limits()).ok() && "a malformed batch");
  ++totals.steps;
  return runner.submit(batch);
}

Status EngineCore::collect() {
  PAGODA_ASSIGN_OR_RETURN(LogitsView logits, runner.collect());
  if (logits.rows != batch.rowCount() ||
      logits.vocabulary != runner.limits().vocabulary)
    return internalError("the runner returned logits [", logits.rows, ", ",
                         logits.vocabulary, "], expected [", batch.rowCount(),
                         ", ", runner.limits().vocabulary, "]");
  int32_t row = 0;
  for (const ScheduledChunk &chunk : current->chunks) {
    deliver(chunk, logits, row);
    row += chunk.logits;
  }
  return Status();
}

/// What the step wrote to the cache is unknown, so its sequences cannot go on;
/// those that were not part of it can.
void EngineCore::failStep(const Status &status) {
  ++totals.failedSteps;
  for (const ScheduledChunk &chunk : current->chunks)
    if (Sequence *sequence = find(chunk.sequence)) {
      Group &group = sequence->group;
      if (group.spawned)
        endChoice(group, sequence->choice, FinishReason::Error, status);
      else // the other choices were waiting for this one
        endGroup(group.id, FinishReason::Error, status);
    }
}

void EngineCore::deliver(const ScheduledChunk &chunk, const LogitsView &logits,
                         int32_t firstRow) {
  Sequence *sequence = find(chunk.sequence);
  if (!sequence) // its request ended while this step's results went out
    return;
  Group &group = sequence->group;
  int32_t end = chunk.first + chunk.count;
  if (group.request.promptLogits && sequence->choice == 0)
    for (int32_t i = 0; i < chunk.logits; ++i)
      if (int32_t position = end - chunk.logits + i;
          position < group.promptLength)
        group.request.sink->onPromptLogits(position, logits.row(firstRow + i));

  int32_t known = static_cast<int32_t>(sequence->tokens.size());
  if (end < known)
    return;
  if (known == group.maxLength) // nothing but the prompt's logits was wanted
    return endGroup(group.id, FinishReason::Length, Status());
  advance(*sequence, logits, firstRow + chunk.logits - 1);
}

/// Gives a sequence its next token, and the other choices of its request their
/// first.
void EngineCore::advance(Sequence &sequence, const LogitsView &logits,
                         int32_t row) {
  Group &group = sequence.group;
  Outcome outcome = chooseToken(sequence, logits, row);
  if (outcome.cancelsAll)
    return cancel(group.id);
  // Before the first choice ends, as they take over what it has computed.
  if (!std::exchange(group.spawned, true) && !spawnChoices(group, logits, row))
    return;
  if (outcome.ends)
    endChoice(group, sequence.choice, outcome.reason, outcome.status);
  else
    scheduler.append(sequence.id());
}

/// False if that ended the request.
bool EngineCore::spawnChoices(Group &group, const LogitsView &logits,
                              int32_t row) {
  // Sharing a block that is only partly full needs a runner that can copy it
  // once one of the sharers writes; the others compute that part again.
  int32_t shared = group.promptLength;
  if (!runner.limits().copiesBlocks)
    shared = shared / limits.blockSize * limits.blockSize;
  if (!space.canShare(group.firstSequence, shared))
    shared = 0;
  for (int32_t choice = 1; choice < group.request.choices; ++choice) {
    Sequence &sequence = makeSequence(group, choice);
    Outcome outcome = chooseToken(sequence, logits, row);
    if (outcome.cancelsAll) {
      cancel(group.id);
      return false;
    }
    if (outcome.ends) {
      endChoice(group, choice, outcome.reason, outcome.status);
      continue;
    }
    int32_t length = static_cast<int32_t>(sequence.tokens.size());
    if (scheduler.fork(group.firstSequence,
                       {.id = sequence.id(),
                        .length = length,
                        .maxLength = group.maxLength,
                        .firstLogits = length - 1},
                       shared))
      space.share(group.firstSequence, sequence.id(), shared);
  }
  return true;
}

EngineCore::Outcome EngineCore::chooseToken(Sequence &sequence,
                                            const LogitsView &logits,
                                            int32_t row) {
  Group &group = sequence.group;
  const Request &request = group.request;
  int32_t position = static_cast<int32_t>(sequence.tokens.size());
  SamplingRow choice{.logits = logits.row(row),
                     .greedy = logits.greedyOf(row),
                     .params = request.sampling,
                     .seed = sequence.seed,
                     .position = position,
                     .counts = &sequence.counts};
  if (sequence.mask) {
    sequence.mask->fill(allowed);
    choice.allowed = allowed;
  }
  if (Status status = sampler.sample(choice, sampled); !status.ok())
    return {.ends = true, .reason = FinishReason::Error, .status = status};

  int32_t id = sampled.id;
  sequence.tokens.push_back(id);
  if (request.sampling.hasPenalties())
    sequence.counts.addGenerated(id);
  if (sequence.mask)
    sequence.mask->accept(id);
  ++totals.generatedTokens;

  const std::vector<int32_t> &stops = request.stopIds;
  bool isStop = std::find(stops.begin(), stops.end(), id) != stops.end();
  SinkReply reply = request.sink->onToken({.request = group.id,
                                           .choice = sequence.choice,
                                           .id = id,
                                           .position = position,
                                           .isStop = isStop,
                                           .logprob = sampled.logprob,
                                           .top = sampled.top});
  Outcome outcome;
  outcome.cancelsAll = reply == SinkReply::Cancel;
  // A stop that comes with the last token is a stop.
  if (isStop || reply == SinkReply::Stop) {
    outcome.ends = true;
  } else if (position + 1 == group.maxLength) {
    outcome.ends = true;
    outcome.reason = FinishReason::Length;
  }
  return outcome;
}

EngineStats EngineCore::stats() const {
  EngineStats stats = totals;
  stats.running = scheduler.runningCount();
  stats.waiting = scheduler.waitingCount();
  stats.freeBlocks = space.pool.freeCount();
  stats.blockCount = space.pool.blockCount();
  return stats;
}

} // namespace pagoda::rt
