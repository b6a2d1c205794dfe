#include "pagoda/Runtime/Engine/Engine.h"

#include "HashRunner.h"
#include "RecordingSink.h"
#include "pagoda/Runtime/Cache/BlockPool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace pagoda;
using namespace pagoda::rt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct Fixture {
  explicit Fixture(const RunnerLimits &limits = hashRunnerLimits(),
                   const EngineOptions &options = {})
      : runner(limits), engine(*Engine::create(runner, options)) {
    runner.isFree = [this](int32_t block) {
      return engine->blocks().refCount(block) == 0;
    };
  }
  RequestId add(const TrackedRequest &request) {
    StatusOr<RequestId> id = engine->add(request.copy());
    EXPECT_TRUE(id.ok()) << id.status().message();
    return id.ok() ? *id : -1;
  }
  void finish() {
    while (engine->step()) {
    }
    EXPECT_EQ(engine->checkIntegrity().message(), "");
    EXPECT_EQ(engine->blocks().freeCount(), engine->blocks().blockCount());
    EXPECT_EQ(engine->stats().running, 0);
    EXPECT_EQ(engine->stats().waiting, 0);
    EXPECT_EQ(engine->stats().openRequests, 0);
    EXPECT_EQ(runner.poisonSeen, 0);
  }
  std::vector<int32_t> solo(const TrackedRequest &request, int32_t choice = 0) {
    return soloTokens(request.request, choice, runner.limits());
  }

  HashRunner runner;
  std::unique_ptr<Engine> engine;
};

/// Allows even tokens and odd ones in turn.
class ParityMask : public TokenMask {
public:
  void fill(std::span<uint32_t> allowed) override {
    for (uint32_t &word : allowed)
      word = next % 2 ? 0xaaaaaaaau : 0x55555555u;
  }
  void accept(int32_t token) override {
    EXPECT_EQ(token % 2, next % 2);
    ++next;
  }
  std::unique_ptr<TokenMask> clone() const override {
    return std::make_unique<ParityMask>(*this);
  }

private:
  int next = 0;
};

} // namespace

TEST(Engine, GeneratesWhatTheModelSays) {
  Fixture f;
  TrackedRequest request({1, 2, 3, 4, 5, 6, 7}, 20);
  f.add(request);
  f.finish();
  EXPECT_EQ(request.result().tokens, f.solo(request));
  EXPECT_EQ(request.result().reason, FinishReason::Length);
  EXPECT_EQ(request.result().promptTokens, 7);
  EXPECT_EQ(request.result().generatedTokens, 20);
  EngineStats stats = f.engine->stats();
  EXPECT_EQ(stats.steps, 20);
  EXPECT_EQ(stats.computedTokens, 7 + 19); // the last one is never computed
  EXPECT_EQ(stats.generatedTokens, 20);
}

TEST(Engine, StopsAtAStopTokenEvenIfItIsTheLastAllowed) {
  Fixture f;
  TrackedRequest request({5, 6}, 6);
  std::vector<int32_t> all = f.solo(request);
  ASSERT_EQ(std::count(all.begin(), all.end(), all[5]), 1);
  request.request.stopIds = {60, all[5]};
  f.add(request);
  f.finish();
  EXPECT_EQ(request.result().tokens, all);
  EXPECT_EQ(request.result().reason, FinishReason::Stop);
}

TEST(Engine, ASinkCanEndItsChoiceOrItsRequest) {
  Fixture f;
  TrackedRequest stops({5, 6}, 30), cancels({7, 8}, 30);
  stops.sink->reply = [](const TokenEvent &event) {
    return event.position == 4 ? SinkReply::Stop : SinkReply::Continue;
  };
  cancels.request.choices = 3;
  cancels.request.sampling.temperature = 1;
  cancels.sink->reply = [](const TokenEvent &event) {
    return event.position == 4 ? SinkReply::Cancel : SinkReply::Continue;
  };
  f.add(stops);
  f.add(cancels);
  f.finish();
  EXPECT_EQ(stops.result().tokens.size(), 3u);
  EXPECT_EQ(stops.result().reason, FinishReason::Stop);
  for (int choice = 0; choice < 3; ++choice)
    EXPECT_EQ(cancels.result(choice).reason, FinishReason::Cancelled);
}

TEST(Engine, CancelEndsARequestWhereverItIs) {
  RunnerLimits limits = hashRunnerLimits();
  limits.maxSequences = 1;
  Fixture f(limits);
  TrackedRequest running({1, 2}, 50), waiting({3, 4}, 50), queued({5, 6}, 5);
  RequestId first = f.add(running), second = f.add(waiting);
  for (int i = 0; i < 5; ++i)
    f.engine->step();
  f.engine->cancel(first);
  f.engine->cancel(second);
  f.engine->cancel(12345);
  f.engine->cancel(f.add(queued));
  f.finish();
  EXPECT_EQ(running.result().reason, FinishReason::Cancelled);
  EXPECT_EQ(running.result().status.code(), StatusCode::Cancelled);
  EXPECT_EQ(running.result().tokens.size(), 5u);
  EXPECT_EQ(waiting.result().reason, FinishReason::Cancelled);
  EXPECT_EQ(queued.result().reason, FinishReason::Cancelled);
  f.engine->cancel(first); // again, after the end
  f.finish();
}

TEST(Engine, WhatCanNeverRunIsRefusedAtOnce) {
  RunnerLimits limits = hashRunnerLimits();
  limits.blockCount = 10;
  Fixture f(limits);
  auto refusal = [&](auto change) {
    TrackedRequest request({1}, 1);
    change(request.request);
    return f.engine->add(request.copy()).status();
  };
  EXPECT_EQ(refusal([](Request &r) { r.prompt.clear(); }).message(),
            "the prompt has no tokens");
  Status tooLarge = refusal([](Request &r) {
    r.prompt.assign(30, 1);
    r.maxTokens = 20;
  });
  EXPECT_EQ(tooLarge.code(), StatusCode::ResourceExhausted);
  EXPECT_THAT(tooLarge.message(), HasSubstr("needs 13 blocks"));
  EXPECT_THAT(refusal([](Request &r) { r.maxTokens = INT32_MAX; }).message(),
              HasSubstr("the context is 200 tokens"));
  EXPECT_THAT(refusal([](Request &r) { r.maxTokens = -1; }).message(),
              HasSubstr("max_tokens is -1"));
  EXPECT_THAT(refusal([](Request &r) { r.prompt = {3, 61}; }).message(),
              HasSubstr("token id 61"));
  EXPECT_THAT(refusal([](Request &r) { r.prompt = {-1}; }).message(),
              HasSubstr("token id -1"));
  EXPECT_THAT(refusal([](Request &r) { r.sampling.topK = -5; }).message(),
              HasSubstr("top_k is -5"));
  EXPECT_THAT(refusal([](Request &r) { r.choices = 0; }).message(),
              HasSubstr("0 choices are wanted"));
  TrackedRequest deaf({1}, 1);
  deaf.sink = nullptr;
  EXPECT_THAT(f.engine->add(deaf.copy()).status().message(),
              HasSubstr("no sink"));
  TrackedRequest good({1}, 1);
  f.add(good);
  f.finish();
  EXPECT_EQ(good.result().reason, FinishReason::Length);
}

TEST(Engine, WithoutALimitTheContextOrTheCacheIsTheLimit) {
  for (int32_t blocks : {64, 10}) {
    RunnerLimits limits = hashRunnerLimits();
    limits.blockCount = blocks;
    Fixture f(limits);
    TrackedRequest request({1, 2, 3}, 0);
    request.request.maxTokens.reset();
    f.add(request);
    f.finish();
    EXPECT_EQ(request.result().reason, FinishReason::Length);
    EXPECT_EQ(request.result().generatedTokens, blocks == 64 ? 197 : 38);
  }
}

TEST(Engine, LogitsOfAllPromptPositions) {
  RunnerLimits limits = hashRunnerLimits();
  limits.maxRows = 5;
  Fixture f(limits, {.tokenBudget = 7});
  std::vector<int32_t> prompt(40);
  std::iota(prompt.begin(), prompt.end(), 10);
  TrackedRequest scored(prompt, 0), both(prompt, 4), other({4, 5}, 30);
  scored.request.promptLogits = both.request.promptLogits = true;
  both.request.choices = 2;
  for (const TrackedRequest *request : {&scored, &both, &other})
    f.add(*request);
  f.finish();
  for (const TrackedRequest *request : {&scored, &both}) {
    ASSERT_EQ(request->sink->promptLogits.size(), prompt.size());
    for (size_t i = 0; i < prompt.size(); ++i)
      EXPECT_EQ(request->sink->promptLogits[i],
                expectedLogits(std::span(prompt).first(i + 1), limits));
    EXPECT_EQ(request->result().reason, FinishReason::Length);
  }
  EXPECT_EQ(scored.result().generatedTokens, 0);
  EXPECT_EQ(both.result(1).tokens, f.solo(both, 1));
  EXPECT_EQ(other.result().tokens, f.solo(other));
}

TEST(Engine, NothingAskedForIsAnsweredWithoutAStep) {
  Fixture f;
  TrackedRequest request({1, 2, 3}, 0);
  request.request.choices = 2;
  f.add(request);
  f.finish();
  EXPECT_EQ(request.result(0).reason, FinishReason::Length);
  EXPECT_EQ(request.result(1).reason, FinishReason::Length);
  EXPECT_EQ(f.runner.steps, 0);
}

TEST(Engine, LogprobsComeWithTokens) {
  Fixture f;
  TrackedRequest request({1, 2, 3}, 1);
  request.request.sampling.topLogprobs = 2;
  std::vector<TokenLogprob> top;
  request.sink->reply = [&](const TokenEvent &event) {
    top.assign(event.top.begin(), event.top.end());
    return SinkReply::Continue;
  };
  f.add(request);
  f.finish();
  std::vector<float> logits =
      expectedLogits(request.request.prompt, f.runner.limits());
  double sum = 0;
  for (float logit : logits)
    sum += std::exp(logit);
  int32_t id = request.result().tokens[0];
  EXPECT_NEAR(request.result().logprobs[0], logits[id] - std::log(sum), 1e-5);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0], (TokenLogprob{id, request.result().logprobs[0]}));
}

TEST(Engine, ChoicesDifferAndOutliveEachOther) {
  for (bool copies : {true, false}) {
    RunnerLimits limits = hashRunnerLimits();
    limits.copiesBlocks = copies;
    limits.maxSequences = 5; // not all eight at once
    Fixture f(limits);
    TrackedRequest request({9, 8, 7, 6, 5, 4, 3}, 20, 1.0);
    request.request.choices = 8;
    request.request.sampling.seed = 7;
    std::vector<int32_t> first = f.solo(request);
    request.request.stopIds = {first[0], first[4]}; // the first ends at once
    f.add(request);
    f.finish();
    int stops = 0;
    for (int choice = 0; choice < 8; ++choice) {
      EXPECT_EQ(request.result(choice).tokens, f.solo(request, choice));
      ASSERT_TRUE(request.result(choice).reason);
      EXPECT_EQ(request.result(choice).promptTokens, 7);
      stops += request.result(choice).reason == FinishReason::Stop;
    }
    EXPECT_EQ(request.result(0).tokens.size(), 1u);
    EXPECT_GT(stops, 0);
    EXPECT_LT(stops, 8);
    EXPECT_EQ(f.runner.copies > 0, copies);
  }
}

TEST(Engine, ThePromptOfSeveralChoicesIsComputedOnce) {
  for (bool copies : {true, false}) {
    RunnerLimits limits = hashRunnerLimits();
    limits.copiesBlocks = copies;
    Fixture f(limits);
    TrackedRequest request(std::vector<int32_t>(19, 3), 5, 1.0);
    request.request.choices = 4;
    f.add(request);
    f.finish();
    // Four tokens of each choice are computed. Without copies the part of the
    // prompt behind its last full block is computed by each.
    EXPECT_EQ(f.engine->stats().computedTokens, 19 + 4 * 4 + (copies ? 0 : 9));
  }
}

TEST(Engine, MasksFollowTheirChoice) {
  Fixture f;
  TrackedRequest request({1, 2, 3}, 12, 1.0);
  request.request.choices = 3;
  request.request.mask = std::make_unique<ParityMask>();
  f.add(request);
  f.finish();
  for (int choice = 0; choice < 3; ++choice) {
    ASSERT_EQ(request.result(choice).tokens.size(), 12u);
    for (int i = 0; i < 12; ++i)
      EXPECT_EQ(request.result(choice).tokens[i] % 2, i % 2);
  }
}

TEST(Engine, AFailedStepFailsItsRequestsAndNoOthers) {
  for (bool onSubmit : {true, false}) {
    RunnerLimits limits = hashRunnerLimits();
    limits.maxSequences = 2;
    Fixture f(limits);
    TrackedRequest first({1, 2}, 50), second({3, 4}, 50), third({5, 6}, 10);
    second.request.choices = 2;
    for (const TrackedRequest *request : {&first, &second, &third})
      f.add(*request);
    if (onSubmit)
      f.runner.failSubmit = [&](const StepBatch &) {
        return f.runner.steps == 1;
      };
    else
      f.runner.failCollect = [&] { return f.runner.steps == 1; };
    f.finish();
    for (const RecordingSink::Choice *choice :
         {&first.result(), &second.result(0), &second.result(1)}) {
      EXPECT_EQ(choice->reason, FinishReason::Error);
      EXPECT_EQ(choice->status.code(), StatusCode::Unavailable);
    }
    EXPECT_EQ(third.result().tokens, f.solo(third));
    EXPECT_EQ(f.engine->stats().failedSteps, 1);
  }
}

TEST(Engine, ARunnerThatAlwaysFailsHangsNobody) {
  Fixture f;
  f.runner.failSubmit = [](const StepBatch &) { return true; };
  std::vector<TrackedRequest> requests;
  for (int i = 0; i < 30; ++i)
    f.add(requests.emplace_back(std::vector<int32_t>{i, i}, 10));
  f.finish();
  for (const TrackedRequest &request : requests)
    EXPECT_EQ(request.result().reason, FinishReason::Error);
}

TEST(Engine, BrokenLogitsFailTheirRequestOnly) {
  Fixture f;
  f.runner.brokenAfter = 42;
  TrackedRequest broken({1, 42}, 10), fine({1, 41}, 3);
  broken.request.choices = 2;
  f.add(broken);
  f.add(fine);
  f.finish();
  for (int choice : {0, 1}) {
    EXPECT_EQ(broken.result(choice).reason, FinishReason::Error);
    EXPECT_THAT(broken.result(choice).status.message(),
                HasSubstr("the logit of token 30 is nan"));
  }
  EXPECT_EQ(fine.result().reason, FinishReason::Length);
}

TEST(Engine, StoppingEndsWhatIsOpen) {
  Fixture f;
  TrackedRequest request({1, 2}, 50), late({1}, 1), queued({3}, 50);
  f.add(request);
  f.engine->step();
  f.add(queued);
  f.engine->stop();
  EXPECT_EQ(f.engine->add(late.copy()).status().code(),
            StatusCode::Unavailable);
  EXPECT_FALSE(f.engine->step());
  EXPECT_EQ(request.result().reason, FinishReason::Cancelled);
  EXPECT_EQ(queued.result().reason, FinishReason::Cancelled);
  f.finish();

  TrackedRequest left({1, 2}, 50);
  {
    HashRunner runner(hashRunnerLimits());
    std::unique_ptr<Engine> engine = *Engine::create(runner);
    ASSERT_TRUE(engine->add(left.copy()).ok());
  }
  EXPECT_EQ(left.result().reason, FinishReason::Cancelled);
}

TEST(Engine, SinksMayAddAndCancel) {
  Fixture f;
  TrackedRequest first({1, 2}, 50), second({3, 4}, 5);
  RequestId id = 0;
  bool added = false;
  first.sink->reply = [&](const TokenEvent &event) {
    if (event.position == 6) {
      f.engine->cancel(id);
      added = f.engine->add(second.copy()).ok();
    }
    return SinkReply::Continue;
  };
  id = f.add(first);
  f.finish();
  EXPECT_EQ(first.result().reason, FinishReason::Cancelled);
  EXPECT_EQ(first.result().tokens.size(), 5u);
  EXPECT_TRUE(added);
  EXPECT_EQ(second.result().tokens, f.solo(second));
}

TEST(Engine, ANonsensicalRunnerIsRefused) {
  RunnerLimits limits = hashRunnerLimits();
  limits.blockSize = 0;
  HashRunner runner(limits);
  EXPECT_THAT(Engine::create(runner).status().message(),
              HasSubstr("blockSize is 0"));
  HashRunner good(hashRunnerLimits());
  EXPECT_FALSE(Engine::create(good, {.tokenBudget = -1}).ok());
}
