#include "pagoda/Runtime/Sampler/SamplingParams.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string complaint(const std::function<void(SamplingParams &)> &change) {
  SamplingParams params;
  change(params);
  return checkSampling(params, 264).message();
}

} // namespace

TEST(SamplingParams, CornerValuesThatMeanSomethingAreTaken) {
  EXPECT_EQ(complaint([](auto &) {}), "");
  for (double temperature : {0.0, 5e-324, 1e-8, 1e-4, 2.0, 1e300})
    EXPECT_EQ(complaint([&](auto &p) { p.temperature = temperature; }), "");
  for (int64_t topK : {-1LL, 0LL, 1LL, 263LL, 264LL, 9999999LL, 2147483648LL})
    EXPECT_EQ(complaint([&](auto &p) { p.topK = topK; }), "");
  for (double share : {0.0, 1e-9, 1.0}) {
    EXPECT_EQ(complaint([&](auto &p) { p.topP = share; }), "");
    EXPECT_EQ(complaint([&](auto &p) { p.minP = share; }), "");
  }
  EXPECT_EQ(complaint([](auto &p) { p.topLogprobs = 264; }), "");
  EXPECT_EQ(complaint([](auto &p) {
              p.logitBias = {{263, -static_cast<float>(infinity)}};
            }),
            "");
}

TEST(SamplingParams, NonsenseIsNamedWithItsRange) {
  EXPECT_EQ(complaint([](auto &p) { p.temperature = -1; }),
            "temperature is -1, expected a number from 0 on");
  EXPECT_EQ(complaint([](auto &p) { p.temperature = notANumber; }),
            "temperature is nan, expected a number from 0 on");
  EXPECT_NE(complaint([](auto &p) { p.temperature = infinity; }), "");
  EXPECT_EQ(complaint([](auto &p) { p.topK = -5; }),
            "top_k is -5, expected a count, or 0 or -1 for none");
  EXPECT_EQ(complaint([](auto &p) { p.topP = 1.5; }),
            "top_p is 1.5, expected a number from 0 to 1");
  EXPECT_NE(complaint([](auto &p) { p.topP = notANumber; }), "");
  EXPECT_NE(complaint([](auto &p) { p.topP = -0.1; }), "");
  EXPECT_NE(complaint([](auto &p) { p.minP = 1.1; }), "");
  EXPECT_NE(complaint([](auto &p) { p.minP = notANumber; }), "");
  EXPECT_NE(complaint([](auto &p) { p.repetitionPenalty = 0; }), "");
  EXPECT_NE(complaint([](auto &p) { p.repetitionPenalty = notANumber; }), "");
  EXPECT_NE(complaint([](auto &p) { p.frequencyPenalty = notANumber; }), "");
  EXPECT_NE(complaint([](auto &p) { p.presencePenalty = infinity; }), "");
  EXPECT_EQ(complaint([](auto &p) { p.logitBias = {{264, 1}}; }),
            "logit_bias names token 264, the vocabulary has 264");
  EXPECT_NE(complaint([](auto &p) { p.logitBias = {{-1, 1}}; }), "");
  EXPECT_NE(complaint([](auto &p) { p.logitBias = {{1, float(notANumber)}}; }),
            "");
  EXPECT_NE(complaint([](auto &p) { p.logitBias = {{1, float(infinity)}}; }),
            "");
  EXPECT_EQ(complaint([](auto &p) { p.topLogprobs = 300; }),
            "top_logprobs is 300, expected 0 to 264");
  EXPECT_NE(complaint([](auto &p) { p.topLogprobs = -1; }), "");
}

TEST(SamplingParams, ChoicesHaveSeedsOfTheirOwn) {
  std::set<uint64_t> seeds;
  for (uint64_t seed : {0, 1, 7})
    for (int32_t choice = 0; choice < 100; ++choice)
      seeds.insert(choiceSeed(seed, choice));
  EXPECT_EQ(seeds.size(), 300u);
  EXPECT_EQ(choiceSeed(7, 0), 7u);
  EXPECT_EQ(choiceSeed(7, 3), choiceSeed(7, 3));
}
