//===- Engine.h - Requests through a step runner ----------------*- C++ -*-===//
//
// Runs many requests at once over one StepRunner: takes them from a queue,
// plans a step, submits it, collects its logits, samples, reports. The only
// place where scheduling, cache, sampling and a device meet; it knows token
// ids and no text.
//
// One thread owns an engine and calls step() or run(); add(), cancel(), stop()
// and stats() may be called from any. The tokens of a request depend on its
// prompt, parameters and seed alone, never on what else runs.
//
//   PAGODA_ASSIGN_OR_RETURN(auto engine, Engine::create(runner, {}));
//   PAGODA_ASSIGN_OR_RETURN(RequestId id, engine->add(std::move(request)));
//   while (engine->step()) {
//   }                                  // its sink has heard everything
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_ENGINE_ENGINE_H
#define PAGODA_RUNTIME_ENGINE_ENGINE_H

#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Engine/Request.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <cstdint>
#include <memory>

namespace pagoda::rt {

class BlockPool;

/// Bounds below those of the runner; 0 is the runner's own. They change speed
/// and latency, never results.
struct EngineOptions {
  /// Tokens of one step: the chunk in which long prompts are computed.
  int32_t tokenBudget = 0;
  /// Sequences that run at a time.
  int32_t maxSequences = 0;
  /// Tokens of one prompt in one step, so that others get their share.
  int32_t maxChunk = 0;
};

struct EngineStats {
  // Since the beginning.
  int64_t steps = 0;
  int64_t computedTokens = 0;
  int64_t generatedTokens = 0;
  int64_t preemptions = 0;
  int64_t failedSteps = 0;
  int64_t endedRequests = 0;
  /// Requests added and not ended, those still queued included: 0 means at
  /// rest.
  int64_t openRequests = 0;
  // As of the last step, in sequences (choices) and blocks.
  int32_t running = 0;
  int32_t waiting = 0;
  int32_t freeBlocks = 0;
  int32_t blockCount = 0;
};

class Engine {
public:
  /// The runner outlives the engine and is used by nobody else.
  static StatusOr<std::unique_ptr<Engine>>
  create(StepRunner &runner, const EngineOptions &options = {});

  /// Requests that are still open end as cancelled.
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  const RunnerLimits &limits() const;

  /// Any thread. Queues a request, or says at once why it can never run: an
  /// argument out of range, or more tokens than the context or the cache hold.
  StatusOr<RequestId> add(Request request);

  /// Any thread. Ends a request, with an onFinish for each choice. One that has
  /// ended, or never was, is no error.
  void cancel(RequestId id);

  /// Any thread. Refuses further requests and lets run() return; what is open
  /// ends as cancelled.
  void stop();

  /// Any thread.
  EngineStats stats() const;

  /// Owner. Takes what is queued and executes one step, if there is one to
  /// execute. Returns whether there is more to do.
  bool step();

  /// Owner. Steps, and sleeps while there is nothing to do, until stop().
  void run();

  /// Owner. For tests: the cache's books, and whether they balance.
  const BlockPool &blocks() const;
  Status checkIntegrity() const;

private:
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_ENGINE_ENGINE_H
