//===- RecordingSink.h - Everything that a request was told -----*- C++ -*-===//
//
// A sink that remembers, and the solo run that its tokens are compared with.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_RUNTIME_ENGINE_RECORDINGSINK_H
#define PAGODA_TEST_UNIT_RUNTIME_ENGINE_RECORDINGSINK_H

#include "HashRunner.h"
#include "pagoda/Runtime/Engine/Request.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace pagoda::rt {

class RecordingSink : public RequestSink {
public:
  struct Choice {
    std::vector<int32_t> tokens;
    std::vector<float> logprobs;
    std::optional<FinishReason> reason;
    Status status;
    int32_t promptTokens = 0;
    int32_t generatedTokens = 0;
  };

  SinkReply onToken(const TokenEvent &event) override {
    Choice &choice = choices[event.choice];
    EXPECT_FALSE(choice.reason) << "a token after the end";
    choice.tokens.push_back(event.id);
    choice.logprobs.push_back(event.logprob);
    return reply ? reply(event) : SinkReply::Continue;
  }
  void onPromptLogits(int32_t position,
                      std::span<const float> logits) override {
    EXPECT_EQ(position, int32_t(promptLogits.size()));
    promptLogits.emplace_back(logits.begin(), logits.end());
  }
  void onFinish(const FinishEvent &event) override {
    Choice &choice = choices[event.choice];
    EXPECT_FALSE(choice.reason) << "finished twice";
    choice.reason = event.reason;
    choice.status = event.status;
    choice.promptTokens = event.promptTokens;
    choice.generatedTokens = event.generatedTokens;
    EXPECT_EQ(event.generatedTokens, int32_t(choice.tokens.size()));
    bool fine = event.reason == FinishReason::Stop ||
                event.reason == FinishReason::Length;
    EXPECT_EQ(event.status.ok(), fine);
  }

  std::function<SinkReply(const TokenEvent &)> reply;
  std::map<int32_t, Choice> choices;
  std::vector<std::vector<float>> promptLogits;
};

/// What one choice of `request` must say, computed without an engine.
inline std::vector<int32_t> soloTokens(const Request &request, int32_t choice,
                                       const RunnerLimits &limits) {
  Sampler sampler(limits.vocabulary);
  SampledToken token;
  TokenCounts counts;
  counts.addPrompt(request.prompt);
  std::vector<int32_t> tokens = request.prompt, generated;
  while (int32_t(generated.size()) < *request.maxTokens) {
    Status status =
        sampler.sample({.logits = expectedLogits(tokens, limits),
                        .params = request.sampling,
                        .seed = choiceSeed(*request.sampling.seed, choice),
                        .position = int64_t(tokens.size()),
                        .counts = &counts},
                       token);
    EXPECT_TRUE(status.ok());
    tokens.push_back(token.id);
    generated.push_back(token.id);
    counts.addGenerated(token.id);
    if (std::find(request.stopIds.begin(), request.stopIds.end(), token.id) !=
        request.stopIds.end())
      break;
  }
  return generated;
}

/// A request with a sink of its own.
struct TrackedRequest {
  Request request;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();

  TrackedRequest(std::vector<int32_t> prompt, int32_t maxTokens,
                 double temperature = 0) {
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    request.sampling.temperature = temperature;
    request.sampling.seed = 1;
  }
  /// The same again, for the engine to own.
  Request copy() const {
    Request result;
    result.prompt = request.prompt;
    result.sampling = request.sampling;
    result.maxTokens = request.maxTokens;
    result.stopIds = request.stopIds;
    result.promptLogits = request.promptLogits;
    result.choices = request.choices;
    result.mask = request.mask ? request.mask->clone() : nullptr;
    result.sink = sink;
    return result;
  }
  const RecordingSink::Choice &result(int32_t choice = 0) const {
    return sink->choices[choice];
  }
};

} // namespace pagoda::rt

#endif // PAGODA_TEST_UNIT_RUNTIME_ENGINE_RECORDINGSINK_H
