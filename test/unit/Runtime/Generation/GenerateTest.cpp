#include "pagoda/Runtime/Generation/Generate.h"

#include "ChainRunner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

using namespace pagoda;
using namespace pagoda::rt;
using testing::HasSubstr;

namespace {

struct Answer {
  std::string text;
  FinishReason finish;
  int32_t tokens;

  bool operator==(const Answer &) const = default;
};
void PrintTo(const Answer &answer, std::ostream *stream) {
  *stream << '"' << answer.text << "\" " << finishReasonName(answer.finish)
          << " " << answer.tokens;
}

/// Generates, and checks that the stream says the same as the result.
Answer answer(const NextByte &next, GenerationRequest request) {
  ChainRunner runner(next);
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  std::string streamed;
  int finishes = 0;
  StatusOr<GenerationResult> result =
      generate(*engine, byteText(), request, [&](const TextEvent &event) {
        streamed += event.text;
        finishes += event.finish.has_value();
        EXPECT_EQ(event.token == nullptr, event.finish.has_value());
        return true;
      });
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok())
    return {};
  EXPECT_EQ(finishes, 1);
  EXPECT_EQ(streamed, result->choices[0].text);
  EXPECT_EQ(result->promptTokens, int32_t(request.prompt.size()));
  EXPECT_EQ(result->generatedTokens, int32_t(result->choices[0].tokens.size()));
  return {result->choices[0].text, result->choices[0].finish,
          result->generatedTokens};
}

Status refusal(GenerationRequest request) {
  ChainRunner runner(chain(">ABC"));
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  Status status = generate(*engine, byteText(), std::move(request)).status();
  // The one after it is served.
  EXPECT_EQ(generate(*engine, byteText(), greedyRequest(">"))->choices[0].text,
            "ABC");
  EXPECT_EQ(engine->stats().running, 0);
  return status;
}

} // namespace

TEST(Generate, StopStringsEndTheTextAndAreNoPartOfIt) {
  NextByte next = chain(">ABCDEFGHIJKLM");
  GenerationRequest request = greedyRequest(">ABC");
  request.stop = {"DEFGHIJ"};
  EXPECT_EQ(answer(next, request), (Answer{"", FinishReason::Stop, 7}));
  request.stop = {"DEFX"};
  EXPECT_EQ(answer(next, request),
            (Answer{"DEFGHIJKLM", FinishReason::Stop, 11}));
  request.stop = {"GH"};
  request.maxTokens = 4;
  EXPECT_EQ(answer(next, request), (Answer{"DEFG", FinishReason::Length, 4}));
  request.maxTokens.reset();
  request.stop = {"HI", "DEFGH"};
  EXPECT_EQ(answer(next, request), (Answer{"", FinishReason::Stop, 5}));
  request.stop = {""};
  EXPECT_EQ(refusal(request).code(), StatusCode::InvalidArgument);
}

TEST(Generate, AStopComesBeforeTheLimitAndNothingAfterIt) {
  NextByte next = chain(">ABCDEFGHIJ");
  GenerationRequest request = greedyRequest(">");
  request.maxTokens = 5;
  request.stop = {"C"};
  EXPECT_EQ(answer(next, request), (Answer{"AB", FinishReason::Stop, 3}));
  request.stop = {"H"};
  EXPECT_EQ(answer(next, request), (Answer{"ABCDE", FinishReason::Length, 5}));
  request.stop = {"E"};
  EXPECT_EQ(answer(next, request), (Answer{"ABCD", FinishReason::Stop, 5}));
  request.stop = {};
  request.maxTokens.reset();
  EXPECT_EQ(answer(next, request),
            (Answer{"ABCDEFGHIJ", FinishReason::Stop, 11}));
}

TEST(Generate, EndIdsAndStopIds) {
  NextByte next = chain(">ABC");
  GenerationRequest request = greedyRequest(">");
  request.stopIds = {'B'};
  EXPECT_EQ(answer(next, request), (Answer{"A", FinishReason::Stop, 2}));
  request.ignoreEos = true;
  EXPECT_EQ(answer(next, request), (Answer{"A", FinishReason::Stop, 2}));
  request.stopIds = {};
  request.maxTokens = 10;
  EXPECT_EQ(answer(next, request), (Answer{"ABC", FinishReason::Length, 10}));
}

TEST(Generate, CharactersOfSeveralBytesComeWhole) {
  ChainRunner runner(chain(">a\xC3\xA9"
                           "b\xE2\x82\xAC"));
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  std::vector<std::string> pieces;
  auto collect = [&](const TextEvent &event) {
    if (!event.text.empty())
      pieces.emplace_back(event.text);
    return true;
  };
  GenerationRequest request = greedyRequest(">");
  ASSERT_TRUE(generate(*engine, byteText(), request, collect).ok());
  EXPECT_THAT(pieces,
              testing::ElementsAre("a", "\xC3\xA9", "b", "\xE2\x82\xAC"));
  // Cut short inside the last one; its rest is a replacement character, which
  // can be a stop string like any other.
  pieces.clear();
  request.maxTokens = 5;
  ASSERT_TRUE(generate(*engine, byteText(), request, collect).ok());
  EXPECT_THAT(pieces,
              testing::ElementsAre("a", "\xC3\xA9", "b", "\xEF\xBF\xBD"));
  request.stop = {"b\xEF\xBF\xBD"};
  StatusOr<GenerationResult> result =
      generate(*engine, byteText(), request, collect);
  EXPECT_EQ(result->choices[0].text, "a\xC3\xA9");
  EXPECT_EQ(result->choices[0].finish, FinishReason::Stop);
}

TEST(Generate, TemperaturesNearZeroAreGreedy) {
  for (double temperature : {1e-4, 1e-8, 5e-324, 0.0}) {
    GenerationRequest request = greedyRequest(">");
    request.sampling.temperature = temperature;
    EXPECT_EQ(answer(chain(">ABCDE"), request).text, "ABCDE");
  }
  for (double temperature : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    GenerationRequest request = greedyRequest(">");
    request.sampling.temperature = temperature;
    EXPECT_EQ(refusal(request).code(), StatusCode::InvalidArgument);
  }
}

TEST(Generate, FilterCornersGiveTheTokensOfNoFilter) {
  NextByte next = fork('A', 'B', 0.6);
  GenerationRequest request = greedyRequest(">");
  request.sampling.temperature = 1;
  request.sampling.seed = 1;
  request.maxTokens = 20;
  std::string plain = answer(next, request).text;
  EXPECT_NE(plain.find('A'), std::string::npos);
  EXPECT_NE(plain.find('B'), std::string::npos);
  for (int64_t topK : {264LL, 265LL, 9999999LL, 2147483648LL, 0LL, -1LL}) {
    request.sampling.topK = topK;
    EXPECT_EQ(answer(next, request).text, plain);
  }
  request.sampling.topK = -5;
  EXPECT_THAT(refusal(request).message(), HasSubstr("top_k"));
  request.sampling.topK = 0;
  request.sampling.topP = 1.5;
  EXPECT_THAT(refusal(request).message(), HasSubstr("top_p"));
  for (double topP : {0.0, 1e-9}) {
    request.sampling.topP = topP;
    EXPECT_EQ(answer(next, request).text, std::string(20, 'A'));
  }
}

TEST(Generate, ChoicesDifferRepeatAndAllEnd) {
  // From A, 0.3 to the end.
  NextByte next = [](int32_t id, std::span<float> logits) {
    fork('A', 'B', 0.5)(id, logits);
    if (id == 'A') {
      logits['A'] = logits['B'] = float(16.246 + std::log(0.35));
      logits[endId] = float(16.246 + std::log(0.3));
    }
  };
  ChainRunner runner(next);
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  GenerationRequest request = greedyRequest(">");
  request.sampling.temperature = 1;
  request.sampling.seed = 7;
  request.maxTokens = 20;
  request.choices = 8;
  StatusOr<GenerationResult> first = generate(*engine, byteText(), request);
  StatusOr<GenerationResult> second = generate(*engine, byteText(), request);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(first->choices.size(), 8u);
  std::set<std::string> texts;
  size_t tokens = 0;
  for (int choice = 0; choice < 8; ++choice) {
    const GeneratedChoice &one = first->choices[choice];
    EXPECT_EQ(one.text, second->choices[choice].text);
    EXPECT_EQ(one.finish, one.tokens.back().id == endId ? FinishReason::Stop
                                                        : FinishReason::Length);
    texts.insert(one.text);
    tokens += one.tokens.size();
  }
  EXPECT_GT(texts.size(), 3u);
  EXPECT_EQ(first->generatedTokens, int32_t(tokens));
  EXPECT_EQ(first->promptTokens, 1);

  request.choices = 0;
  EXPECT_EQ(refusal(request).code(), StatusCode::InvalidArgument);
  request.choices = 1 << 30;
  EXPECT_EQ(refusal(request).code(), StatusCode::InvalidArgument);
}

TEST(Generate, LogprobsBelongToTheirTokens) {
  ChainRunner runner(fork('A', 'B', 0.6));
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  GenerationRequest request = greedyRequest(">");
  request.maxTokens = 3;
  request.sampling.topLogprobs = 2;
  StatusOr<GenerationResult> result = generate(*engine, byteText(), request);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->choices[0].tokens.size(), 3u);
  for (const GeneratedToken &token : result->choices[0].tokens) {
    EXPECT_EQ(token.id, 'A');
    EXPECT_NEAR(token.logprob, std::log(0.6), 1e-4);
    ASSERT_EQ(token.top.size(), 2u);
    EXPECT_EQ(token.top[1].id, 'B');
  }
}

TEST(Generate, TheCallbackCanWithdrawTheRequest) {
  ChainRunner runner(chain(">ABCDEFG"));
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  StatusOr<GenerationResult> result =
      generate(*engine, byteText(), greedyRequest(">"),
               [](const TextEvent &event) { return event.text != "C"; });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->choices[0].text, "ABC");
  EXPECT_EQ(result->choices[0].finish, FinishReason::Cancelled);
}

TEST(Generate, ErrorsComeBackAsErrors) {
  EXPECT_EQ(refusal(greedyRequest("")).message(), "the prompt has no tokens");
  GenerationRequest tooLong = greedyRequest(">");
  tooLong.maxTokens = 100000;
  EXPECT_THAT(refusal(tooLong).message(), HasSubstr("the context is 4096"));

  ChainRunner runner(chain(">ABC"));
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  runner.fails = true;
  StatusOr<GenerationResult> result =
      generate(*engine, byteText(), greedyRequest(">"));
  EXPECT_EQ(result.status().code(), StatusCode::Unavailable);
  engine->stop();
  EXPECT_EQ(generate(*engine, byteText(), greedyRequest(">")).status().code(),
            StatusCode::Unavailable);
}
