#include "pagoda/Runtime/Engine/Engine.h"

#include "CommandQueue.h"
#include "EngineCore.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <utility>

namespace pagoda::rt {

std::string_view finishReasonName(FinishReason reason) {
  switch (reason) {
  case FinishReason::Stop:
    return "stop";
  case FinishReason::Length:
    return "length";
  case FinishReason::Cancelled:
    return "cancelled";
  case FinishReason::Error:
    return "error";
  }
  return "unknown";
}

Status checkChoices(int32_t choices) {
  constexpr int32_t most = 128;
  if (choices < 1 || choices > most)
    return invalidArgument(choices, " choices are wanted, expected 1 to ",
                           most);
  return Status();
}

struct Engine::Impl {
  Impl(StepRunner &runner, const SchedulerLimits &limits)
      : runnerLimits(runner.limits()), limits(limits), core(runner, limits) {}

  Status checkRequest(Request &request) const;
  void publishStats() {
    std::lock_guard lock(statsMutex);
    published = core.stats();
  }

  // Read by any thread, never changed.
  RunnerLimits runnerLimits;
  SchedulerLimits limits;

  // Shared between threads.
  CommandQueue queue;
  std::atomic<RequestId> nextId{1};
  std::atomic<int64_t> addedRequests{0};
  mutable std::mutex statsMutex;
  EngineStats published;

  // The owner's.
  EngineCore core;
  std::vector<Command> commands;
};

StatusOr<std::unique_ptr<Engine>> Engine::create(StepRunner &runner,
                                                 const EngineOptions &options) {
  const RunnerLimits &device = runner.limits();
  PAGODA_RETURN_IF_ERROR(checkRunnerLimits(device));
  if (options.tokenBudget < 0 || options.maxSequences < 0 ||
      options.maxChunk < 0)
    return invalidArgument("engine options: a negative bound");
  auto bounded = [](int32_t wanted, int32_t most) {
    return wanted ? std::min(wanted, most) : most;
  };
  SchedulerLimits limits;
  limits.tokenBudget = bounded(options.tokenBudget, device.maxTokens);
  limits.maxSequences = bounded(options.maxSequences, device.maxSequences);
  limits.maxRows = device.maxRows;
  limits.maxContext = device.maxContext;
  limits.blockSize = device.blockSize;
  limits.blockCount = device.blockCount;
  limits.slidingWindow = device.slidingWindow;
  limits.maxChunk = options.maxChunk;
  PAGODA_RETURN_IF_ERROR(check(limits));
  auto impl = std::make_unique<Impl>(runner, limits);
  impl->publishStats();
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

Engine::~Engine() {
  stop();
  step();
}

const RunnerLimits &Engine::limits() const { return impl->runnerLimits; }

/// Checks a request and fills in what it leaves open.
Status Engine::Impl::checkRequest(Request &request) const {
  if (!request.sink)
    return invalidArgument("the request has no sink");
  PAGODA_RETURN_IF_ERROR(checkChoices(request.choices));
  int64_t prompt = static_cast<int64_t>(request.prompt.size());
  if (request.maxTokens && *request.maxTokens < 0)
    return invalidArgument("max_tokens is ", *request.maxTokens,
                           ", expected at least 0");
  // Without a limit there must be room for one token.
  PAGODA_RETURN_IF_ERROR(
      checkFits(limits, prompt, prompt + request.maxTokens.value_or(1)));
  for (int32_t id : request.prompt)
    if (id < 0 || id >= runnerLimits.vocabulary)
      return invalidArgument("the prompt has token id ", id,
                             ", the vocabulary has ", runnerLimits.vocabulary);
  PAGODA_RETURN_IF_ERROR(
      checkSampling(request.sampling, runnerLimits.vocabulary));
  if (!request.sampling.seed) {
    std::random_device entropy;
    request.sampling.seed = uint64_t{entropy()} << 32 | entropy();
  }
  return Status();
}

StatusOr<RequestId> Engine::add(Request request) {
  PAGODA_RETURN_IF_ERROR(impl->checkRequest(request));
  RequestId id = impl->nextId.fetch_add(1, std::memory_order_relaxed);
  // Counted before it can end, so that openRequests is never too small.
  ++impl->addedRequests;
  if (!impl->queue.push({id, std::make_unique<Request>(std::move(request))})) {
    --impl->addedRequests;
    return unavailable("the engine was stopped");
  }
  return id;
}

void Engine::cancel(RequestId id) { impl->queue.push({id, nullptr}); }

void Engine::stop() { impl->queue.close(); }

EngineStats Engine::stats() const {
  // In this order: what ends in between counts as open a little longer.
  std::unique_lock lock(impl->statsMutex);
  EngineStats stats = impl->published;
  lock.unlock();
  stats.openRequests = impl->addedRequests - stats.endedRequests;
  return stats;
}

bool Engine::step() {
  impl->commands.clear();
  bool open = impl->queue.take(impl->commands);
  for (Command &command : impl->commands)
    if (command.request)
      impl->core.start(command.id, std::move(*command.request));
    else
      impl->core.cancel(command.id);
  impl->commands.clear();
  if (!open)
    impl->core.endAll(FinishReason::Cancelled,
                      Status(StatusCode::Cancelled, "the engine was stopped"));
  else if (impl->core.hasWork())
    impl->core.step();
  impl->publishStats();
  return open && (impl->core.hasWork() || impl->queue.hasCommands());
}

void Engine::run() {
  do {
    while (step()) {
    }
  } while (impl->queue.wait());
}

const BlockPool &Engine::blocks() const { return impl->core.blocks(); }

Status Engine::checkIntegrity() const { return impl->core.checkIntegrity(); }

} // namespace pagoda::rt
