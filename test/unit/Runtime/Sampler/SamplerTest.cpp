#include "pagoda/Runtime/Sampler/Sampler.h"

#include "pagoda/Runtime/Sampler/Philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace pagoda;
using namespace pagoda::rt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t vocabulary = 264;

/// A model that says `likely` with probability `p`, else `other`; the rest of
/// the vocabulary has next to none.
std::vector<float> forkLogits(int32_t likely, int32_t other, double p) {
  std::vector<float> logits(vocabulary, 0.0f);
  logits[likely] = float(16.246 + std::log(p));
  logits[other] = float(16.246 + std::log(1 - p));
  return logits;
}

int32_t sampleOne(std::span<const float> logits, const SamplingParams &params,
                  int64_t position = 0, const TokenCounts *counts = nullptr) {
  Sampler sampler(static_cast<int32_t>(logits.size()));
  SampledToken token;
  Status status = sampler.sample({.logits = logits,
                                  .params = params,
                                  .seed = params.seed.value_or(0),
                                  .position = position,
                                  .counts = counts},
                                 token);
  EXPECT_EQ(status.message(), "");
  return token.id;
}

std::vector<int32_t> sampleRun(std::span<const float> logits,
                               const SamplingParams &params, int count = 20) {
  std::vector<int32_t> tokens;
  for (int position = 0; position < count; ++position)
    tokens.push_back(sampleOne(logits, params, position));
  return tokens;
}

SamplingParams seeded(uint64_t seed) {
  SamplingParams params;
  params.seed = seed;
  return params;
}

Status failure(std::span<const float> logits, SamplingParams params = {},
               std::span<const uint32_t> allowed = {}) {
  Sampler sampler(static_cast<int32_t>(logits.size()));
  SampledToken token;
  return sampler.sample(
      {.logits = logits, .params = params, .allowed = allowed}, token);
}

} // namespace

TEST(Sampler, GreedyTakesTheLargestAndTheLowestIdOnTies) {
  SamplingParams params;
  params.temperature = 0;
  std::vector<float> logits(vocabulary, 1.0f);
  EXPECT_EQ(sampleOne(logits, params), 0);
  logits[263] = logits[100] = 2;
  EXPECT_EQ(sampleOne(logits, params), 100);
}

TEST(Sampler, SmallTemperaturesAreGreedy) {
  std::vector<float> logits(vocabulary, 0.0f);
  logits[66] = 16.246f;
  for (double temperature : {1e-4, 1e-8, 5e-324, 0.0}) {
    SamplingParams params = seeded(1);
    params.temperature = temperature;
    EXPECT_THAT(sampleRun(logits, params), testing::Each(66)) << temperature;
  }
}

TEST(Sampler, HugeTemperaturesStayWithinTheSupport) {
  std::vector<float> logits(vocabulary, -infinity);
  logits[3] = -5;
  logits[200] = 5;
  SamplingParams params = seeded(1);
  params.temperature = 1e300;
  std::vector<int32_t> tokens = sampleRun(logits, params, 200);
  EXPECT_THAT(tokens, testing::Contains(3));
  EXPECT_THAT(tokens, testing::Contains(200));
  EXPECT_THAT(tokens, testing::Each(testing::AnyOf(3, 200)));
}

TEST(Sampler, TopKOfNoneOrOfTheWholeVocabularyIsOff) {
  std::vector<float> logits = forkLogits(65, 66, 0.6);
  SamplingParams params = seeded(1);
  std::vector<int32_t> off = sampleRun(logits, params);
  EXPECT_THAT(off, testing::Contains(65));
  EXPECT_THAT(off, testing::Contains(66));
  for (int64_t topK : {264LL, 265LL, 9999999LL, 2147483648LL, 0LL, -1LL}) {
    params.topK = topK;
    EXPECT_EQ(sampleRun(logits, params), off) << topK;
  }
  params.topK = 1;
  EXPECT_THAT(sampleRun(logits, params), testing::Each(65));
}

TEST(Sampler, TopPOfZeroIsTheTopToken) {
  std::vector<float> logits = forkLogits(65, 66, 0.6);
  SamplingParams params = seeded(1);
  std::vector<int32_t> off = sampleRun(logits, params);
  for (double topP : {0.0, 1e-9, 0.59}) {
    params.topP = topP;
    EXPECT_THAT(sampleRun(logits, params), testing::Each(65)) << topP;
  }
  params.topP = 1;
  EXPECT_EQ(sampleRun(logits, params), off);
  params.topP = 0.61;
  EXPECT_THAT(sampleRun(logits, params), testing::Contains(66));
}

TEST(Sampler, TheSameSeedAndPositionGiveTheSameToken) {
  std::vector<float> logits = forkLogits(65, 66, 0.5);
  EXPECT_EQ(sampleRun(logits, seeded(7)), sampleRun(logits, seeded(7)));
  EXPECT_NE(sampleRun(logits, seeded(7)), sampleRun(logits, seeded(8)));
}

TEST(Sampler, EveryFilterBreaksTiesTowardsLowerIds) {
  std::vector<float> logits(vocabulary, 1.0f);
  SamplingParams params = seeded(3);
  params.topK = 3;
  EXPECT_THAT(sampleRun(logits, params, 100), testing::Each(testing::Lt(3)));
  params.topK = 0;
  params.topP = 2.5 / vocabulary;
  EXPECT_THAT(sampleRun(logits, params, 100), testing::Each(testing::Lt(3)));
  params.topP = 0;
  EXPECT_THAT(sampleRun(logits, params), testing::Each(0));
}

TEST(Sampler, MinPOfOneKeepsAllThatTie) {
  std::vector<float> logits = forkLogits(65, 66, 0.5);
  SamplingParams params = seeded(3);
  params.minP = 1;
  for (int64_t topK : {0, 10}) {
    params.topK = topK;
    std::vector<int32_t> tokens = sampleRun(logits, params, 100);
    EXPECT_THAT(tokens, testing::Contains(65));
    EXPECT_THAT(tokens, testing::Contains(66));
    EXPECT_THAT(tokens, testing::Each(testing::AnyOf(65, 66)));
  }
}

TEST(Sampler, PenaltiesTouchWhatOccurred) {
  TokenCounts counts;
  counts.addPrompt(std::vector<int32_t>{10});
  counts.addGenerated(20);
  counts.addGenerated(20);
  SamplingParams params;
  params.temperature = 0;
  std::vector<float> logits(vocabulary, -2.0f);
  logits[10] = 3;
  logits[20] = 2.5f;
  logits[30] = 2;
  auto greedy = [&] { return sampleOne(logits, params, 0, &counts); };
  EXPECT_EQ(greedy(), 10);
  params.repetitionPenalty = 1.4; // 2.14, 1.79 against 2
  EXPECT_EQ(greedy(), 10);
  params.repetitionPenalty = 1.6; // 1.88, 1.56
  EXPECT_EQ(greedy(), 30);
  params.repetitionPenalty = 1;
  logits[10] = 1;
  EXPECT_EQ(greedy(), 20);
  params.presencePenalty = 0.4;
  EXPECT_EQ(greedy(), 20);
  params.presencePenalty = 0.6;
  EXPECT_EQ(greedy(), 30);
  params.presencePenalty = 0;
  params.frequencyPenalty = 0.3; // twice
  EXPECT_EQ(greedy(), 30);
  // Negative logits are multiplied: a penalty never helps a token.
  std::vector<float> negative(vocabulary, -3.0f);
  negative[10] = -2;
  params = {};
  params.temperature = 0;
  params.repetitionPenalty = 2;
  EXPECT_EQ(sampleOne(negative, params, 0, &counts), 0);
}

TEST(Sampler, BiasIsAddedAndCanForbid) {
  std::vector<float> logits = forkLogits(65, 66, 0.6);
  SamplingParams params;
  params.temperature = 0;
  params.logitBias = {{66, 1}};
  EXPECT_EQ(sampleOne(logits, params), 66);
  params.logitBias = {{66, 0.2f}, {66, 0.3f}};
  EXPECT_EQ(sampleOne(logits, params), 66);
  params.logitBias = {{65, -infinity}};
  EXPECT_EQ(sampleOne(logits, params), 66);
}

TEST(Sampler, AMaskForbidsTokens) {
  std::vector<float> logits = forkLogits(65, 66, 0.6);
  std::vector<uint32_t> allowed((vocabulary + 31) / 32, 0);
  allowed[263 / 32] |= 1u << 263 % 32;
  allowed[66 / 32] |= 1u << 66 % 32;
  Sampler sampler(vocabulary);
  SampledToken token;
  for (int position = 0; position < 50; ++position) {
    ASSERT_TRUE(sampler
                    .sample({.logits = logits,
                             .params = seeded(1),
                             .seed = 1,
                             .position = position,
                             .allowed = allowed},
                            token)
                    .ok());
    EXPECT_EQ(token.id, 66);
  }
}

TEST(Sampler, LogprobsAreTheModelsOwn) {
  std::vector<float> logits = forkLogits(65, 66, 0.6);
  SamplingParams params;
  params.temperature = 0;
  params.topLogprobs = 3;
  params.logitBias = {{66, 5}};
  Sampler sampler(vocabulary);
  SampledToken token;
  ASSERT_TRUE(sampler.sample({.logits = logits, .params = params}, token).ok());
  EXPECT_EQ(token.id, 66);
  EXPECT_NEAR(token.logprob, std::log(0.4), 1e-4);
  ASSERT_EQ(token.top.size(), 3u);
  EXPECT_EQ(token.top[0].id, 65);
  EXPECT_NEAR(token.top[0].logprob, std::log(0.6), 1e-4);
  EXPECT_EQ(token.top[1], (TokenLogprob{66, token.logprob}));
  EXPECT_EQ(token.top[2].id, 0); // the lowest of those that tie

  params.topLogprobs = 0;
  ASSERT_TRUE(sampler.sample({.logits = logits, .params = params}, token).ok());
  EXPECT_NEAR(token.logprob, std::log(0.4), 1e-4);
  EXPECT_TRUE(token.top.empty());

  // Tokens without any probability are not listed: -inf is no number.
  std::vector<float> few(vocabulary, -infinity);
  few[7] = 1;
  params = {};
  params.topLogprobs = 20;
  ASSERT_TRUE(sampler.sample({.logits = few, .params = params}, token).ok());
  EXPECT_THAT(token.top, ElementsAre(TokenLogprob{7, 0}));
}

TEST(Sampler, BrokenLogitsAreAnErrorOfTheirRow) {
  std::vector<float> logits(vocabulary, 0.0f);
  for (float bad : {notANumber, infinity}) {
    logits[200] = bad;
    for (double temperature : {0.0, 1.0}) {
      SamplingParams params;
      params.temperature = temperature;
      EXPECT_THAT(failure(logits, params).message(),
                  HasSubstr("the logit of token 200 is "));
    }
    // Not hidden by a mask either.
    std::vector<uint32_t> allowed((vocabulary + 31) / 32, 1);
    EXPECT_THAT(failure(logits, {}, allowed).message(), HasSubstr("token 200"));
  }
}

TEST(Sampler, TakesAGreedyTokenThatIsKnown) {
  std::vector<float> logits(vocabulary, 0.0f);
  logits[7] = logits[9] = 2.0f;
  SamplingParams greedy;
  greedy.temperature = 0;
  Sampler sampler(vocabulary);
  SampledToken token;
  SamplingRow row{.logits = logits, .greedy = 7, .params = greedy};
  ASSERT_TRUE(sampler.sample(row, token).ok());
  EXPECT_EQ(token.id, 7);
  // Draws need the maximum, not the token; the same as if they looked.
  SamplingParams drawn = seeded(3);
  for (int position = 0; position < 20; ++position) {
    SamplingRow row{.logits = logits, .greedy = 7, .params = drawn, .seed = 3};
    row.position = position;
    ASSERT_TRUE(sampler.sample(row, token).ok());
    EXPECT_EQ(token.id, sampleOne(logits, drawn, position));
  }
  // A bias changes what is greedy.
  greedy.logitBias = {{.id = 20, .bias = 5}};
  ASSERT_TRUE(sampler.sample(row, token).ok());
  EXPECT_EQ(token.id, 20);
  // Whoever found the row broken is believed, and the token is named.
  logits[11] = notANumber;
  row.greedy = -1;
  EXPECT_THAT(sampler.sample(row, token).message(), HasSubstr("token 11"));
}

TEST(Sampler, NothingToChooseFromIsAnError) {
  std::vector<float> logits(vocabulary, -infinity);
  EXPECT_EQ(failure(logits).code(), StatusCode::Internal);
  logits[5] = 0;
  EXPECT_TRUE(failure(logits).ok());
  std::vector<uint32_t> allowed((vocabulary + 31) / 32, 0);
  EXPECT_EQ(failure(logits, {}, allowed).code(), StatusCode::InvalidArgument);
  SamplingParams params;
  params.logitBias = {{5, -infinity}};
  EXPECT_EQ(failure(logits, params).code(), StatusCode::InvalidArgument);
}
