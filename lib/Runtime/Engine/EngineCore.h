//===- EngineCore.h - The engine without its door ---------------*- C++ -*-===//
//
// What the owner's thread does: keeps the open requests, and turns plans into
// batches and logits into tokens. No locks here; Engine.cpp puts the queue in
// front.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_ENGINE_ENGINECORE_H
#define PAGODA_LIB_RUNTIME_ENGINE_ENGINECORE_H

#include "BatchBuilder.h"
#include "CacheSpace.h"
#include "pagoda/Runtime/Engine/Engine.h"
#include "pagoda/Runtime/Engine/Request.h"
#include "pagoda/Runtime/Sampler/Sampler.h"
#include "pagoda/Runtime/Scheduler/Scheduler.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace pagoda::rt {

class EngineCore {
public:
  EngineCore(StepRunner &runner, const SchedulerLimits &limits);
  ~EngineCore();

  /// Takes a request that Engine::add has checked.
  void start(RequestId id, Request request);
  void cancel(RequestId id);
  /// Ends everything that is open.
  void endAll(FinishReason reason, const Status &status);

  bool hasWork() const { return scheduler.hasWork(); }
  /// Executes one step; there must be work.
  void step();

  EngineStats stats() const;
  const BlockPool &blocks() const { return space.pool; }
  Status checkIntegrity() const { return space.checkIntegrity(); }

private:
  struct Group;
  struct Sequence;
  /// What came of sampling a token: whether and how its choice ends.
  struct Outcome {
    bool ends = false;
    bool cancelsAll = false;
    FinishReason reason = FinishReason::Stop;
    Status status;
  };

  // The three acts of a step.
  bool plan();
  Status submit();
  Status collect();

  void failStep(const Status &status);
  void deliver(const ScheduledChunk &chunk, const LogitsView &logits,
               int32_t firstRow);
  void advance(Sequence &sequence, const LogitsView &logits, int32_t row);
  bool spawnChoices(Group &group, const LogitsView &logits, int32_t row);
  Outcome chooseToken(Sequence &sequence, const LogitsView &logits,
                      int32_t row);
  Sequence &makeSequence(Group &group, int32_t choice);
  void endChoice(Group &group, int32_t choice, FinishReason reason,
                 const Status &status);
  void endGroup(RequestId id, FinishReason reason, const Status &status);
  Sequence *find(SequenceId id);

  StepRunner &runner;
  SchedulerLimits limits;
  CacheSpace space;
  Scheduler scheduler;
  Sampler sampler;
  /// Open requests, oldest first, so that ending them all has one order.
  std::map<RequestId, std::unique_ptr<Group>> groups;
  std::unordered_map<SequenceId, std::unique_ptr<Sequence>> sequences;
  SequenceId nextSequence = 0;
  EngineStats totals;

  // Reused from step to step.
  const StepPlan *current = nullptr;
  std::vector<BatchPart> parts;
  std::vector<BlockCopy> copies;
  StepBatch batch;
  SampledToken sampled;
  std::vector<uint32_t> allowed;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_ENGINE_ENGINECORE_H
