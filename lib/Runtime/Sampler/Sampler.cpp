#include "pagoda/Runtime/Sampler/Sampler.h"

#include "Candidates.h"
#include "LogitScan.h"
#include "pagoda/Runtime/Sampler/Philox.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pagoda::rt {

namespace {

constexpr float negativeInfinity = -std::numeric_limits<float>::infinity();

void applyMask(std::span<const uint32_t> allowed, std::span<float> logits) {
  for (size_t id = 0; id < logits.size(); ++id)
    if (!(allowed[id / 32] >> id % 32 & 1))
      logits[id] = negativeInfinity;
}

void applyPenalties(const SamplingParams &params, const TokenCounts &counts,
                    std::span<float> logits) {
  float repetition = static_cast<float>(params.repetitionPenalty);
  float frequency = static_cast<float>(params.frequencyPenalty);
  float presence = static_cast<float>(params.presencePenalty);
  for (const TokenCounts::Entry &entry : counts.entries()) {
    float &logit = logits[entry.id];
    logit = logit > 0 ? logit / repetition : logit * repetition;
    if (entry.generated)
      logit -= frequency * static_cast<float>(entry.generated) + presence;
  }
}

LogitMaximum maximumAt(std::span<const float> logits, int32_t id) {
  assert(id < static_cast<int32_t>(logits.size()) && "a token of another row");
  if (id < 0)
    return {0, 0, true};
  return {logits[id], id, false};
}

Status explainBroken(std::span<const float> logits) {
  for (size_t id = 0; id < logits.size(); ++id)
    if (std::isnan(logits[id]) || (std::isinf(logits[id]) && logits[id] > 0))
      return internalError("the logit of token ", id, " is ", logits[id]);
  return internalError("a logit is not a number");
}

} // namespace

Sampler::Sampler(int32_t vocabulary) : vocabulary(vocabulary) {}

Status Sampler::sample(const SamplingRow &row, SampledToken &token) {
  assert(static_cast<int32_t>(row.logits.size()) == vocabulary &&
         "a row of another vocabulary");
  // The model's own logits first: a mask must not hide that they are broken.
  LogitMaximum best =
      row.greedy ? maximumAt(row.logits, *row.greedy) : findMaximum(row.logits);
  if (best.broken)
    return explainBroken(row.logits);
  float modelMax = best.value;

  std::span<const float> logits = adjust(row);
  if (logits.data() != row.logits.data()) {
    best = findMaximum(logits);
    if (best.broken)
      return explainBroken(logits).withContext("after bias and penalties");
  }
  if (best.value == negativeInfinity)
    return row.allowed.empty() && row.params.logitBias.empty()
               ? internalError("the logits of all tokens are -inf")
               : invalidArgument("no token is allowed here: mask and "
                                 "logit_bias leave none with a probability");

  token.id = row.params.greedy() ? best.id : draw(logits, best.value, row);
  token.top.clear();
  if (row.params.topLogprobs)
    reportLogprobs(row.logits, modelMax, *row.params.topLogprobs, token);
  return {};
}

/// Steps 1 to 3; the row itself where there is nothing to do.
std::span<const float> Sampler::adjust(const SamplingRow &row) {
  const SamplingParams &params = row.params;
  bool penalties = params.hasPenalties() && row.counts;
  if (row.allowed.empty() && params.logitBias.empty() && !penalties)
    return row.logits;
  adjusted.assign(row.logits.begin(), row.logits.end());
  if (!row.allowed.empty())
    applyMask(row.allowed, adjusted);
  for (const LogitBias &entry : params.logitBias)
    adjusted[entry.id] += entry.bias;
  if (penalties)
    applyPenalties(params, *row.counts, adjusted);
  return adjusted;
}

void Sampler::reportLogprobs(std::span<const float> logits, float max,
                             int32_t count, SampledToken &token) {
  weights.resize(vocabulary);
  sums.resize((vocabulary + weightBlock - 1) / weightBlock);
  double norm = max + std::log(exponentials(logits, max, 1, weights, sums));
  auto logprob = [norm](float logit) {
    return static_cast<float>(logit - norm);
  };
  token.logprob = logprob(logits[token.id]);
  selectBest(logits, static_cast<size_t>(count), candidates);
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  for (Candidate candidate : candidates)
    token.top.push_back(
        {candidateId(candidate), logprob(candidateLogit(candidate))});
}

/// Steps 5 to 9.
int32_t Sampler::draw(std::span<const float> logits, float max,
                      const SamplingRow &row) {
  const SamplingParams &params = row.params;
  double u = uniformAt(row.seed, row.position);
  float scale = static_cast<float>(1 / params.temperature);
  float least = static_cast<float>(params.minP);
  double total = 0;
  candidates.clear();
  candidateWeights.clear();

  if (params.topK > 0 && params.topK < vocabulary) {
    selectBest(logits, static_cast<size_t>(params.topK), candidates);
    // By id, as everywhere: the selection leaves them in no order.
    std::sort(candidates.begin(), candidates.end(),
              [](Candidate a, Candidate b) {
                return candidateId(a) < candidateId(b);
              });
    for (Candidate candidate : candidates) {
      float x = (candidateLogit(candidate) - max) * scale;
      candidateWeights.push_back(expNonPositive(x));
      total += candidateWeights.back();
    }
  } else {
    weights.resize(vocabulary);
    sums.resize((vocabulary + weightBlock - 1) / weightBlock);
    total = exponentials(logits, max, scale, weights, sums);
    if (params.topP >= 1 && least <= 0)
      return drawFromAll(u, total);
    // All tokens below the floor together weigh less than half of what top-p
    // leaves out, so it needs none of them; min-p wants none either.
    double floor = 0.5 * (1 - params.topP) * total / vocabulary;
    for (int32_t id = 0; id < vocabulary; ++id)
      if (weights[id] > floor && weights[id] >= least) {
        candidates.push_back(makeCandidate(logits[id], id));
        candidateWeights.push_back(weights[id]);
      }
  }

  Candidate worst =
      params.topP < 1 ? nucleusEnd(params.topP * total, max, scale) : 0;
  keptIds.clear();
  keptSums.clear();
  double sum = 0;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i] >= worst && candidateWeights[i] >= least &&
        candidateWeights[i] > 0) {
      keptIds.push_back(candidateId(candidates[i]));
      keptSums.push_back(sum += candidateWeights[i]);
    }
  return drawFromKept(u);
}

/// The candidate with which the best ones reach the weight `target`. Sorting
/// all to find it would be most of the work: they are put into narrow buckets
/// by weight, and only the bucket where the sum passes the target is sorted.
Candidate Sampler::nucleusEnd(double target, float max, float scale) {
  // e^(-1/32) from one bucket to the next, down to where weights are 0.
  constexpr float bucketsPerUnit = 32;
  constexpr size_t bucketCount = 87 * 32 + 2;
  auto bucketOf = [&](Candidate candidate) {
    float x = (max - candidateLogit(candidate)) * scale;
    return std::min(static_cast<size_t>(std::min(x, 1e3f) * bucketsPerUnit),
                    bucketCount - 1);
  };
  buckets.assign(bucketCount, 0.0);
  for (size_t i = 0; i < candidates.size(); ++i)
    buckets[bucketOf(candidates[i])] += candidateWeights[i];
  size_t last = 0;
  double before = 0;
  while (last < bucketCount && before + buckets[last] < target)
    before += buckets[last++];
  if (last == bucketCount)
    return 0; // rounding: all of them are needed

  contenders.clear();
  for (Candidate candidate : candidates)
    if (bucketOf(candidate) == last)
      contenders.push_back(candidate);
  if (contenders.empty()) // a target of 0
    return *std::max_element(candidates.begin(), candidates.end());
  Ranking ranking(contenders);
  size_t rank = 0;
  for (; rank + 1 < ranking.size(); ++rank) {
    before += expNonPositive((candidateLogit(ranking[rank]) - max) * scale);
    if (before >= target)
      break;
  }
  return ranking[rank];
}

int32_t Sampler::drawFromKept(double u) const {
  double target = u * keptSums.back();
  auto place = std::upper_bound(keptSums.begin(), keptSums.end(), target);
  // The product can round up to the whole sum.
  if (place == keptSums.end())
    --place;
  return keptIds[place - keptSums.begin()];
}

int32_t Sampler::drawFromAll(double u, double total) const {
  double target = u * total;
  // The block where the running sum passes the target; the last one that has
  // any weight, should rounding keep the sum from passing it.
  size_t block = 0;
  double before = 0, running = 0;
  for (size_t b = 0; b < sums.size() && running <= target; ++b) {
    if (sums[b] > 0) {
      block = b;
      before = running;
    }
    running += sums[b];
  }
  // The same within the block, whose sum was made in another order.
  int32_t chosen = -1;
  size_t end = std::min((block + 1) * weightBlock, weights.size());
  for (size_t id = block * weightBlock; id < end && before <= target; ++id)
    if (weights[id] > 0) {
      chosen = static_cast<int32_t>(id);
      before += weights[id];
    }
  return chosen;
}

} // namespace pagoda::rt
