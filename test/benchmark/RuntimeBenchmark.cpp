// What the host adds to every step: time of one sampled token for several
// filters and vocabularies, of one scheduled step, and of one engine step
// around a device that takes no time. Prints a line each; judge by the least of
// several runs.

#include "pagoda/Runtime/Engine/Engine.h"
#include "pagoda/Runtime/Sampler/Sampler.h"
#include "pagoda/Runtime/Scheduler/Scheduler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

/// The least time of one call, in microseconds.
double leastMicroseconds(int calls, const std::function<void()> &call) {
  double least = 1e30;
  for (int repeat = 0; repeat < 15; ++repeat) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / calls);
  }
  return least;
}

/// Logits as models make them: a broad middle and, unless they do not know,
/// some favourites that weigh more than all the rest.
std::vector<float> someLogits(int32_t vocabulary, float favourites) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 2.5f);
  std::vector<float> logits(vocabulary);
  for (float &logit : logits)
    logit = normal(random);
  for (int i = 0; i < 30; ++i)
    logits[random() % vocabulary] += favourites / float(1 + i % 5);
  return logits;
}

void benchmarkSampler(int32_t vocabulary, const char *kind, float favourites) {
  std::vector<float> logits = someLogits(vocabulary, favourites);
  Sampler sampler(vocabulary);
  SampledToken token;
  TokenCounts counts;
  for (int32_t id = 0; id < 1000; ++id)
    counts.addGenerated(id * 7);
  int64_t position = 0;
  auto measure = [&](const char *name, const SamplingParams &params) {
    double time = leastMicroseconds(20, [&] {
      Status status = sampler.sample({.logits = logits,
                                      .params = params,
                                      .position = ++position,
                                      .counts = &counts},
                                     token);
      if (!status.ok())
        std::printf("%s\n", status.message().c_str());
    });
    std::printf("sampler %6d %-6s %-22s %8.1f us/token\n", vocabulary, kind,
                name, time);
  };
  SamplingParams params;
  params.temperature = 0;
  measure("greedy", params);
  params.topLogprobs = 5;
  measure("greedy, 5 logprobs", params);
  params = {};
  measure("temperature 1", params);
  params.topK = 40;
  measure("top-k 40", params);
  params.topP = 0.95;
  measure("top-k 40, top-p 0.95", params);
  params.topK = 0;
  measure("top-p 0.95", params);
  params.topP = 1;
  params.minP = 0.05;
  measure("min-p 0.05", params);
  params.repetitionPenalty = 1.1;
  measure("min-p, penalties", params);
}

class EndlessSpace : public TokenSpace {
public:
  bool reserve(SequenceId, int32_t, int32_t) override { return true; }
  void release(SequenceId) override {}
  int32_t freeBlocks() const override { return 1 << 20; }
};

void benchmarkScheduler(int32_t sequences) {
  SchedulerLimits limits;
  limits.tokenBudget = 2048;
  limits.maxSequences = sequences;
  limits.maxRows = sequences;
  limits.maxContext = 1 << 20;
  limits.blockSize = 16;
  limits.blockCount = 1 << 20;
  EndlessSpace space;
  Scheduler scheduler(limits, space);
  for (SequenceId id = 0; id < sequences; ++id)
    if (!scheduler.add({id, 1, 1 << 20, 0}).ok())
      std::printf("refused\n");
  double time = leastMicroseconds(200, [&] {
    for (const ScheduledChunk &chunk : scheduler.schedule().chunks)
      scheduler.append(chunk.sequence);
  });
  std::printf("scheduler, %3d decodes %27.2f us/step\n", sequences, time);
}

/// A device that knows the answer already.
class InstantRunner : public StepRunner {
public:
  explicit InstantRunner(int32_t sequences) {
    declared.vocabulary = 32;
    declared.maxContext = 4096;
    declared.blockSize = 16;
    declared.blockCount = 256 * sequences;
    declared.maxTokens = 2048;
    declared.maxSequences = sequences;
    declared.maxRows = sequences;
    logits.assign(size_t(sequences) * 32, 0.0f);
  }
  const RunnerLimits &limits() const override { return declared; }
  Status submit(const StepBatch &batch) override {
    rows = batch.rowCount();
    return Status();
  }
  StatusOr<LogitsView> collect() override {
    return LogitsView{logits.data(), rows, 32};
  }

private:
  RunnerLimits declared;
  std::vector<float> logits;
  int32_t rows = 0;
};

class SilentSink : public RequestSink {
public:
  SinkReply onToken(const TokenEvent &) override { return SinkReply::Continue; }
  void onFinish(const FinishEvent &) override {}
};

void benchmarkEngine(int32_t sequences) {
  InstantRunner runner(sequences);
  StatusOr<std::unique_ptr<Engine>> engine = Engine::create(runner);
  for (int32_t i = 0; i < sequences; ++i) {
    Request request;
    request.prompt.assign(200, 1);
    request.sampling.temperature = 0;
    request.sink = std::make_shared<SilentSink>();
    if (!(*engine)->add(std::move(request)).ok())
      std::printf("refused\n");
  }
  for (int i = 0; i < 20; ++i)
    (*engine)->step();
  double time = leastMicroseconds(200, [&] { (*engine)->step(); });
  std::printf("engine,    %3d decodes %27.2f us/step\n", sequences, time);
}

} // namespace

int main() {
  for (int32_t vocabulary : {49152, 151936}) {
    benchmarkSampler(vocabulary, "peaked", 18);
    benchmarkSampler(vocabulary, "flat", 0);
  }
  for (int32_t sequences : {1, 32, 256}) {
    benchmarkScheduler(sequences);
    benchmarkEngine(sequences);
  }
}
