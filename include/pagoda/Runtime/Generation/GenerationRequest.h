//===- GenerationRequest.h - Asking for text --------------------*- C++ -*-===//
//
// What the command line, the server and the C API ask for, and what they get:
// piece by piece through a callback, and as a whole.
//
//   GenerationRequest request;
//   request.prompt = tokenizer.encode("Once upon a time");
//   request.maxTokens = 64;
//   request.stop = {"\n\n"};
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_GENERATION_GENERATIONREQUEST_H
#define PAGODA_RUNTIME_GENERATION_GENERATIONREQUEST_H

#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Engine/Request.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt {

struct GenerationRequest {
  std::vector<int32_t> prompt;
  /// Log-probabilities are asked for here too.
  SamplingParams sampling;
  /// Unset: as many as the context and the cache hold.
  std::optional<int32_t> maxTokens;
  /// Texts that end an answer and are no part of it.
  std::vector<std::string> stop;
  /// The same by id, beside the model's own end-of-sequence ids.
  std::vector<int32_t> stopIds;
  /// Go on after the model's end-of-sequence ids.
  bool ignoreEos = false;
  int32_t choices = 1;
};

/// One piece of one choice. What it refers to is valid during the call.
struct TextEvent {
  RequestId request;
  int32_t choice;
  /// Follows the choice's text so far; often empty, as a token may complete no
  /// character or begin a stop string. The pieces of a choice, joined, are its
  /// text.
  std::string_view text;
  /// The token that came; null in a choice's last event, which has none.
  const TokenEvent *token;
  /// Set in a choice's last event only.
  std::optional<FinishReason> finish;
  /// Why, where `finish` is Cancelled or Error.
  Status status;
  int32_t promptTokens = 0;
  int32_t generatedTokens = 0;
};

/// Returns false to withdraw the whole request.
using TextCallback = std::function<bool(const TextEvent &)>;

struct GeneratedToken {
  int32_t id;
  /// Where SamplingParams::topLogprobs is set.
  float logprob;
  std::vector<TokenLogprob> top;
};

struct GeneratedChoice {
  std::string text;
  /// All that were generated: also the ones that made up a stop string, and
  /// the stop id, if one ended it.
  std::vector<GeneratedToken> tokens;
  FinishReason finish = FinishReason::Error;
};

struct GenerationResult {
  std::vector<GeneratedChoice> choices;
  // Usage, as it is billed: the prompt once, the tokens of all choices.
  int32_t promptTokens = 0;
  int32_t generatedTokens = 0;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_GENERATION_GENERATIONREQUEST_H
