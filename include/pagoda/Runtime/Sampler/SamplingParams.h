//===- SamplingParams.h - How a request wants its tokens chosen -*- C++ -*-===//
//
// One request's wishes, with the defaults of the OpenAI API, and the check that
// turns nonsense away before it is queued. For the engine, the server and the
// command line.
//
//   SamplingParams params;
//   params.temperature = 0.7;
//   params.topP = 0.9;
//   PAGODA_RETURN_IF_ERROR(checkSampling(params, vocabulary));
//
// What happens to a row of logits, in this order (that of vLLM; llama.cpp's
// default chain differs in applying temperature last):
//
//   1. token mask        forbidden tokens to -inf
//   2. logit bias        added
//   3. penalties         repetition, then frequency and presence
//   4. temperature 0     the largest logit wins, the lowest id on ties; done
//   5. temperature       logits divided by it
//   6. top-k             the k largest stay
//   7. top-p             of these, as probabilities that add up to 1, the
//   fewest
//                        largest that reach p stay, at least one
//   8. min-p             of these, what is likelier than min-p times the
//                        likeliest stays
//   9. draw              by the probabilities of what stayed, walked by id
//
// Ties are broken towards the lower id everywhere. Log-probabilities are those
// of the model itself: of the logits before step 1.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_SAMPLER_SAMPLINGPARAMS_H
#define PAGODA_RUNTIME_SAMPLER_SAMPLINGPARAMS_H

#include "pagoda/Base/Status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pagoda::rt {

struct LogitBias {
  int32_t id;
  float bias; // -inf forbids the token
};

struct SamplingParams {
  /// 0, and anything below 1e-5, is greedy: such a division would leave
  /// nothing but the largest logit anyway.
  double temperature = 1.0;
  /// 0, -1 and anything from the vocabulary's size on: off.
  int64_t topK = 0;
  /// 1: off. 0: only the likeliest token.
  double topP = 1.0;
  /// 0: off.
  double minP = 0.0;
  /// Divides the logit of every token that occurs in the prompt or among the
  /// generated ones (multiplies it if negative). 1: off.
  double repetitionPenalty = 1.0;
  /// Subtracted per occurrence, and once, for generated tokens. 0: off.
  double frequencyPenalty = 0.0;
  double presencePenalty = 0.0;
  /// Several for one token add up.
  std::vector<LogitBias> logitBias;
  /// The same seed gives the same tokens, whatever else runs. Without one the
  /// engine draws it.
  std::optional<uint64_t> seed;
  /// Log-probabilities to report beside the chosen token's own; unset: not
  /// even that.
  std::optional<int32_t> topLogprobs;

  bool greedy() const { return temperature < 1e-5; }
  bool hasPenalties() const {
    return repetitionPenalty != 1.0 || frequencyPenalty != 0.0 ||
           presencePenalty != 0.0;
  }
};

/// Whether every field is in its range; else which one is not, and the range.
Status checkSampling(const SamplingParams &params, int32_t vocabulary);

/// The seed of choice number `choice` of a request that wants several: the
/// first has the request's own, each other one its own stream.
uint64_t choiceSeed(uint64_t seed, int32_t choice);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_SAMPLER_SAMPLINGPARAMS_H
