#include "pagoda/Runtime/Sampler/SamplingParams.h"

#include "pagoda/Runtime/Sampler/Philox.h"

#include <cmath>
#include <limits>

namespace pagoda::rt {

Status checkSampling(const SamplingParams &params, int32_t vocabulary) {
  // Written so that NaN fails each test.
  if (!(params.temperature >= 0 && std::isfinite(params.temperature)))
    return invalidArgument("temperature is ", params.temperature,
                           ", expected a number from 0 on");
  if (params.topK < -1)
    return invalidArgument("top_k is ", params.topK,
                           ", expected a count, or 0 or -1 for none");
  if (!(params.topP >= 0 && params.topP <= 1))
    return invalidArgument("top_p is ", params.topP,
                           ", expected a number from 0 to 1");
  if (!(params.minP >= 0 && params.minP <= 1))
    return invalidArgument("min_p is ", params.minP,
                           ", expected a number from 0 to 1");
  // Both it and its inverse are factors of a float32.
  if (!(params.repetitionPenalty >= 1e-6 && params.repetitionPenalty <= 1e6))
    return invalidArgument("repetition_penalty is ", params.repetitionPenalty,
                           ", expected a number above 0, 1 for none");
  if (!(std::abs(params.frequencyPenalty) <= 1e6))
    return invalidArgument("frequency_penalty is ", params.frequencyPenalty,
                           ", expected a number, 0 for none");
  if (!(std::abs(params.presencePenalty) <= 1e6))
    return invalidArgument("presence_penalty is ", params.presencePenalty,
                           ", expected a number, 0 for none");
  for (const LogitBias &entry : params.logitBias) {
    if (entry.id < 0 || entry.id >= vocabulary)
      return invalidArgument("logit_bias names token ", entry.id,
                             ", the vocabulary has ", vocabulary);
    if (!(entry.bias <= std::numeric_limits<float>::max()))
      return invalidArgument("logit_bias of token ", entry.id, " is ",
                             entry.bias, ", expected a number or -inf");
  }
  if (params.topLogprobs &&
      (*params.topLogprobs < 0 || *params.topLogprobs > vocabulary))
    return invalidArgument("top_logprobs is ", *params.topLogprobs,
                           ", expected 0 to ", vocabulary);
  return {};
}

uint64_t choiceSeed(uint64_t seed, int32_t choice) {
  if (choice == 0)
    return seed;
  // A stream that no position of the seed itself ever uses.
  PhiloxCounter words =
      philox4x32({uint32_t(choice), 0, 0, philoxChoices}, seed);
  return uint64_t{words[1]} << 32 | words[0];
}

} // namespace pagoda::rt
