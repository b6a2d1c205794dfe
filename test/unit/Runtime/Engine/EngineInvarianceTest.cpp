// Results do not depend on company: whatever else runs, however prompts are
// cut, whoever is preempted, a request's tokens are those of a run alone that
// is computed here without engine, scheduler or cache.

#include "pagoda/Runtime/Engine/Engine.h"

#include "HashRunner.h"
#include "RecordingSink.h"
#include "pagoda/Runtime/Cache/BlockPool.h"

#include <gtest/gtest.h>

#include <random>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

struct Totals {
  int64_t preemptions = 0;
  int64_t copies = 0;
};

/// Runs all requests, `arrivals[i]` steps after the beginning, and compares.
void runTogether(const RunnerLimits &limits, const EngineOptions &options,
                 std::vector<TrackedRequest> &requests,
                 const std::vector<int> &arrivals, Totals &totals) {
  HashRunner runner(limits);
  std::unique_ptr<Engine> engine = *Engine::create(runner, options);
  runner.isFree = [&](int32_t block) {
    return engine->blocks().refCount(block) == 0;
  };
  size_t added = 0;
  for (int step = 0;; ++step) {
    ASSERT_LT(step, 200000) << "it never ends";
    while (added < requests.size() && arrivals[added] <= step) {
      StatusOr<RequestId> id = engine->add(requests[added].copy());
      ASSERT_TRUE(id.ok()) << id.status().message();
      ++added;
    }
    if (!engine->step() && added == requests.size())
      break;
    if (step % 16 == 0) {
      ASSERT_EQ(engine->checkIntegrity().message(), "");
    }
  }
  ASSERT_EQ(runner.poisonSeen, 0);
  ASSERT_EQ(engine->checkIntegrity().message(), "");
  ASSERT_EQ(engine->blocks().freeCount(), limits.blockCount);
  if (options.tokenBudget) {
    ASSERT_LE(runner.mostTokens, options.tokenBudget);
  }
  totals.preemptions += engine->stats().preemptions;
  totals.copies += runner.copies;

  for (const TrackedRequest &request : requests) {
    for (int32_t choice = 0; choice < request.request.choices; ++choice) {
      const RecordingSink::Choice &result = request.result(choice);
      ASSERT_TRUE(result.reason);
      ASSERT_EQ(result.status.message(), "");
      ASSERT_EQ(result.tokens, soloTokens(request.request, choice, limits));
    }
    const std::vector<int32_t> &prompt = request.request.prompt;
    if (request.request.promptLogits) {
      ASSERT_EQ(request.sink->promptLogits.size(), prompt.size());
      for (size_t i = 0; i < prompt.size(); ++i)
        ASSERT_EQ(request.sink->promptLogits[i],
                  expectedLogits(std::span(prompt).first(i + 1), limits));
    }
  }
}

std::vector<int32_t> somePrompt(int32_t length, uint64_t seed) {
  std::vector<int32_t> prompt(length);
  for (int32_t i = 0; i < length; ++i)
    prompt[i] = int32_t(mixBits(seed * 1000 + i) % 61);
  return prompt;
}

} // namespace

TEST(EngineInvariance, RandomCompanyRandomMachines) {
  std::mt19937 random(11);
  auto pick = [&](int least, int most) {
    return least + int(random() % unsigned(most - least + 1));
  };
  Totals totals;
  for (int machine = 0; machine < 600; ++machine) {
    RunnerLimits limits;
    limits.vocabulary = 61;
    limits.blockSize = pick(1, 8);
    limits.maxContext = 60;
    // From just enough for the largest request to plenty.
    limits.blockCount =
        (60 + limits.blockSize - 1) / limits.blockSize + pick(0, 12);
    limits.maxTokens = pick(1, 40);
    limits.maxSequences = pick(1, 10);
    limits.maxRows = pick(1, 12);
    limits.slidingWindow = pick(0, 3) ? 0 : pick(1, 12);
    limits.copiesBlocks = pick(0, 1);
    EngineOptions options;
    options.tokenBudget = pick(0, 1) ? pick(1, limits.maxTokens) : 0;
    options.maxChunk = pick(0, 2) ? 0 : pick(1, 8);
    if (limits.slidingWindow) // from just the window and a step on
      limits.blockCount =
          (limits.slidingWindow + limits.maxTokens + limits.blockSize - 3) /
              limits.blockSize +
          1 + pick(0, 8);

    std::vector<TrackedRequest> requests;
    std::vector<int> arrivals;
    for (int i = 0, time = 0; i < 20; ++i) {
      int32_t prompt = pick(1, 40);
      TrackedRequest &request = requests.emplace_back(
          somePrompt(prompt, random()), pick(0, 20), pick(0, 2) ? 1.0 : 0.0);
      request.request.sampling.seed = random();
      request.request.stopIds = {pick(0, 60), pick(0, 60)};
      if (pick(0, 4) == 0)
        request.request.sampling.frequencyPenalty = 0.5;
      if (pick(0, 4) == 0)
        request.request.sampling.topP = 0.8;
      request.request.promptLogits = pick(0, 5) == 0;
      request.request.choices = pick(0, 3) ? 1 : pick(2, 5);
      arrivals.push_back(time += pick(0, 6));
    }
    runTogether(limits, options, requests, arrivals, totals);
    ASSERT_FALSE(HasFatalFailure())
        << "machine " << machine << ": " << limits.blockCount << " blocks of "
        << limits.blockSize << ", " << limits.maxTokens << " tokens, "
        << limits.maxSequences << " sequences, " << limits.maxRows
        << " rows, window " << limits.slidingWindow;
  }
  EXPECT_GT(totals.preemptions, 1000);
  EXPECT_GT(totals.copies, 200);
}

TEST(EngineInvariance, EveryChunkGivesTheSameTokens) {
  RunnerLimits limits = hashRunnerLimits();
  Totals totals;
  for (int32_t chunk = 1; chunk <= limits.maxTokens; ++chunk) {
    std::vector<TrackedRequest> requests;
    requests.emplace_back(somePrompt(30, 1), 10);
    requests.emplace_back(somePrompt(17, 2), 10, 1.0);
    runTogether(limits, {.tokenBudget = chunk}, requests, {0, 0}, totals);
    ASSERT_FALSE(HasFatalFailure()) << "chunk " << chunk;
  }
}

// Prompts that are whole numbers of blocks, and their neighbours.
TEST(EngineInvariance, PromptsThatFillTheirBlocks) {
  for (int32_t chunk : {16, 15, 5}) {
    RunnerLimits limits = hashRunnerLimits();
    limits.blockSize = 16;
    limits.blockCount = 30;
    limits.maxTokens = 64;
    limits.maxSequences = 16;
    Totals totals;
    std::vector<TrackedRequest> together;
    std::vector<int> arrivals;
    for (int i = 0; i < 3; ++i) { // decodes that run along
      together.emplace_back(somePrompt(4, 100 + i), 60);
      arrivals.push_back(0);
    }
    for (int32_t length : {15, 16, 17, 31, 32, 33, 48}) {
      std::vector<TrackedRequest> alone;
      alone.emplace_back(somePrompt(length, length), 8);
      runTogether(limits, {.tokenBudget = chunk}, alone, {0}, totals);
      together.emplace_back(somePrompt(length, length), 8);
      arrivals.push_back(4);
    }
    runTogether(limits, {.tokenBudget = chunk}, together, arrivals, totals);
    ASSERT_FALSE(HasFatalFailure()) << "chunk " << chunk;
  }
}
