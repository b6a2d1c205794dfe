//===- Sampler.h - From a row of logits to a token --------------*- C++ -*-===//
//
// Chooses tokens on the host, as SamplingParams.h describes. For the engine,
// which owns one for each thread that samples: a Sampler is nothing but scratch
// memory, so a token is a function of its row and allocates nothing once the
// memory has grown.
//
//   Sampler sampler(vocabulary);
//   SampledToken token;
//   PAGODA_RETURN_IF_ERROR(sampler.sample(
//       {.logits = view.row(0), .params = params, .seed = 7, .position = 12},
//       token));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_SAMPLER_SAMPLER_H
#define PAGODA_RUNTIME_SAMPLER_SAMPLER_H

#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Sampler/SamplingParams.h"
#include "pagoda/Runtime/Sampler/TokenCounts.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pagoda::rt {

struct TokenLogprob {
  int32_t id;
  float logprob;

  bool operator==(const TokenLogprob &) const = default;
};

struct SampledToken {
  int32_t id = -1;
  /// Set, like `top`, where SamplingParams::topLogprobs is.
  float logprob = 0;
  /// The likeliest tokens, best first; fewer than asked for where the rest have
  /// no probability at all.
  std::vector<TokenLogprob> top;
};

/// All that a choice depends on.
struct SamplingRow {
  std::span<const float> logits; // [vocabulary]
  /// The first of the largest logits, -1 where one is NaN or +inf, if whoever
  /// computed them says so.
  std::optional<int32_t> greedy = {};
  const SamplingParams &params; // checked
  uint64_t seed = 0;
  /// Where the token will stand in its sequence.
  int64_t position = 0;
  /// What came before; may be null without penalties.
  const TokenCounts *counts = nullptr;
  /// [ceil(vocabulary / 32)] Bit i % 32 of word i / 32 allows token i. Empty:
  /// all are allowed.
  std::span<const uint32_t> allowed = {};
};

class Sampler {
public:
  explicit Sampler(int32_t vocabulary);

  /// Fails, naming the token, if a logit is NaN or +inf; and if all are -inf or
  /// forbidden.
  Status sample(const SamplingRow &row, SampledToken &token);

private:
  std::span<const float> adjust(const SamplingRow &row);
  void reportLogprobs(std::span<const float> logits, float max, int32_t count,
                      SampledToken &token);
  int32_t draw(std::span<const float> logits, float max,
               const SamplingRow &row);
  int32_t drawFromAll(double u, double total) const;
  int32_t drawFromKept(double u) const;
  uint64_t nucleusEnd(double target, float max, float scale);

  int32_t vocabulary;
  std::vector<float> adjusted;      // [vocabulary] logits after steps 1 to 3
  std::vector<float> weights;       // [vocabulary] e^(logit - max)
  std::vector<double> sums;         // [blocks of weights] their sums
  std::vector<uint64_t> candidates; // by id; logit and id in one integer
  std::vector<float> candidateWeights;
  std::vector<double> buckets;
  std::vector<uint64_t> contenders;
  /// What stays after top-k, top-p and min-p, by id, and its running sum.
  std::vector<int32_t> keptIds;
  std::vector<double> keptSums;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_SAMPLER_SAMPLER_H
