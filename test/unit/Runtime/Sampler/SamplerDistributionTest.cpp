// Whether tokens come with the probabilities that SamplingParams.h promises:
// chi-square against a plain float64 computation for every filter, and token by
// token against the same for random rows and parameters.

#include "pagoda/Runtime/Sampler/Philox.h"
#include "pagoda/Runtime/Sampler/Sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

/// Tokens that may be drawn, by id as the draw walks them, with their
/// probabilities. Everything sorted, everything in double.
struct Distribution {
  std::vector<int32_t> ids;
  std::vector<double> probabilities;
};

Distribution reference(const std::vector<float> &logits,
                       const SamplingParams &params) {
  int32_t size = static_cast<int32_t>(logits.size());
  Distribution result;
  result.ids.resize(size);
  std::iota(result.ids.begin(), result.ids.end(), 0);
  bool topK = params.topK > 0 && params.topK < size;
  bool ranked = topK || params.topP < 1;
  auto better = [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  if (ranked)
    std::sort(result.ids.begin(), result.ids.end(), better);
  if (topK)
    result.ids.resize(params.topK);

  double max = *std::max_element(logits.begin(), logits.end());
  auto weight = [&](int32_t id) {
    return std::exp((double(logits[id]) - max) / params.temperature);
  };
  double total = 0;
  for (int32_t id : result.ids)
    total += weight(id);
  if (params.topP < 1) {
    double sum = 0;
    size_t keep = 0;
    while (keep < result.ids.size() && (keep == 0 || sum < params.topP * total))
      sum += weight(result.ids[keep++]);
    result.ids.resize(keep);
  }
  std::erase_if(result.ids,
                [&](int32_t id) { return weight(id) < params.minP; });
  std::sort(result.ids.begin(), result.ids.end());
  total = 0;
  for (int32_t id : result.ids)
    total += weight(id);
  for (int32_t id : result.ids)
    result.probabilities.push_back(weight(id) / total);
  return result;
}

/// The chi-square that chance exceeds once in ten thousand times (Wilson and
/// Hilferty's approximation).
double chiSquareBound(int degrees) {
  double spread = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1 - spread + 3.719 * std::sqrt(spread), 3);
}

void expectDistribution(const char *name, const std::vector<float> &logits,
                        SamplingParams params) {
  constexpr int draws = 100000;
  Sampler sampler(static_cast<int32_t>(logits.size()));
  std::vector<int> count(logits.size(), 0);
  SampledToken token;
  for (int position = 0; position < draws; ++position) {
    ASSERT_TRUE(sampler
                    .sample({.logits = logits,
                             .params = params,
                             .seed = 4711,
                             .position = position},
                            token)
                    .ok());
    ++count[token.id];
  }
  Distribution expected = reference(logits, params);
  double chiSquare = 0;
  int seen = 0;
  for (size_t i = 0; i < expected.ids.size(); ++i) {
    int n = count[expected.ids[i]];
    double mean = draws * expected.probabilities[i];
    chiSquare += (n - mean) * (n - mean) / mean;
    seen += n;
  }
  EXPECT_EQ(seen, draws) << name << ": a token that was filtered out came";
  if (expected.ids.size() > 1) {
    EXPECT_LT(chiSquare, chiSquareBound(int(expected.ids.size()) - 1)) << name;
  }
}

} // namespace

TEST(SamplerDistribution, EveryFilterLeavesItsDistribution) {
  // Probabilities from a half down to some thousandths, in no order, with a
  // tie; not a multiple of the lanes.
  std::vector<float> logits = {-1.1f, 2.3f, 0.4f,  -2.0f, 1.7f, 0.4f, 3.1f,
                               -0.3f, 1.2f, -1.6f, 0.9f,  2.0f, 0.1f, -0.8f,
                               1.5f,  0.6f, -0.5f, 1.0f,  2.7f};
  SamplingParams base;
  expectDistribution("plain", logits, base);
  SamplingParams params = base;
  params.temperature = 0.5;
  expectDistribution("temperature 0.5", logits, params);
  params.temperature = 3;
  expectDistribution("temperature 3", logits, params);
  for (int64_t topK : {1, 2, 5, 12, 18}) {
    params = base;
    params.topK = topK;
    expectDistribution("top-k", logits, params);
  }
  for (double topP : {0.0, 0.3, 0.7, 0.95, 0.999}) {
    params = base;
    params.topP = topP;
    expectDistribution("top-p", logits, params);
  }
  for (double minP : {0.02, 0.1, 0.5, 1.0}) {
    params = base;
    params.minP = minP;
    expectDistribution("min-p", logits, params);
  }
  params = base;
  params.temperature = 1.5;
  params.topK = 15;
  params.topP = 0.9;
  params.minP = 0.08;
  expectDistribution("all of them", logits, params);
}

TEST(SamplerDistribution, LargeVocabulariesAreWalkedInBlocks) {
  std::mt19937 random(8);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> logits(700);
  for (float &logit : logits)
    logit = normal(random);
  for (int id = 256; id < 512; ++id)
    logits[id] = -200; // a block without any weight
  SamplingParams params;
  Distribution expected = reference(logits, params);
  std::erase_if(expected.ids, [](int32_t id) { return id >= 256 && id < 512; });
  Sampler sampler(700);
  SampledToken token;
  for (int position = 0; position < 20000; ++position) {
    ASSERT_TRUE(
        sampler
            .sample({.logits = logits, .params = params, .position = position},
                    token)
            .ok());
    ASSERT_TRUE(
        std::binary_search(expected.ids.begin(), expected.ids.end(), token.id));
  }
}

// Token by token: the drawn token is the one whose interval of the cumulative
// distribution holds the random number, up to float32 rounding of the bounds.
TEST(SamplerDistribution, EveryTokenIsTheOneThatItsNumberPointsAt) {
  std::mt19937 random(6);
  auto pick = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int kept = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    int32_t size = trial % 50 ? 1 + int32_t(random() % 2000) : 50000;
    std::vector<float> logits(size);
    double spread = pick(0.1, 6);
    for (float &logit : logits)
      logit = trial % 7 ? float(std::normal_distribution<>(0, spread)(random))
                        : float(int(random() % 10));
    SamplingParams params;
    params.temperature = pick(0.2, 2);
    if (random() % 2)
      params.topK = 1 + random() % (2 * size);
    if (random() % 2)
      params.topP = pick(0, 1);
    if (random() % 2)
      params.minP = pick(0, 0.3);
    uint64_t seed = random();
    Sampler sampler(size);
    SampledToken token;
    ASSERT_TRUE(sampler
                    .sample({.logits = logits,
                             .params = params,
                             .seed = seed,
                             .position = trial},
                            token)
                    .ok());
    Distribution expected = reference(logits, params);
    kept += int(expected.ids.size());
    size_t index =
        std::find(expected.ids.begin(), expected.ids.end(), token.id) -
        expected.ids.begin();
    ASSERT_LT(index, expected.ids.size());
    double before =
        std::accumulate(expected.probabilities.begin(),
                        expected.probabilities.begin() + index, 0.0);
    double u = uniformAt(seed, trial);
    EXPECT_GE(u, before - 1e-5) << trial;
    EXPECT_LE(u, before + expected.probabilities[index] + 1e-5) << trial;
  }
  EXPECT_GT(kept, 100000);
}
