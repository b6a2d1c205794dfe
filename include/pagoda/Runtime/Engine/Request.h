//===- Request.h - What the engine is asked and answers ---------*- C++ -*-===//
//
// A request in token ids, and the interfaces through which its caller hears of
// tokens and restricts them. For Generation, which puts text around it, and
// for whoever wants logits.
//
//   struct Printer : RequestSink {
//     SinkReply onToken(const TokenEvent &event) override {
//       std::printf("%d\n", event.id);
//       return SinkReply::Continue;
//     }
//     void onFinish(const FinishEvent &event) override { ... }
//   };
//   Request request;
//   request.prompt = {1, 4093, 253};
//   request.maxTokens = 16;
//   request.sink = std::make_shared<Printer>();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_ENGINE_REQUEST_H
#define PAGODA_RUNTIME_ENGINE_REQUEST_H

#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Sampler/Sampler.h"
#include "pagoda/Runtime/Sampler/SamplingParams.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pagoda::rt {

using RequestId = int64_t;

enum class FinishReason {
  /// One of the stop ids came, or the sink has seen enough.
  Stop,
  /// As many tokens as were asked for, or as the context and the cache hold.
  Length,
  /// Withdrawn by cancel(), by its sink, or by the engine's end.
  Cancelled,
  /// FinishEvent::status says why.
  Error,
};

/// "stop", "length", "cancelled" or "error".
std::string_view finishReasonName(FinishReason reason);

struct TokenEvent {
  RequestId request;
  int32_t choice;
  int32_t id;
  /// Its place in the sequence; the first one stands at the prompt's length.
  int32_t position;
  /// It is one of Request::stopIds, and the choice's last token.
  bool isStop;
  /// Where SamplingParams::topLogprobs is set.
  float logprob;
  std::span<const TokenLogprob> top;
};

struct FinishEvent {
  RequestId request;
  int32_t choice;
  FinishReason reason;
  /// Not ok for Cancelled and Error.
  Status status;
  int32_t promptTokens;
  /// Stop token included.
  int32_t generatedTokens;
};

enum class SinkReply {
  Continue,
  /// Ends this choice, with FinishReason::Stop.
  Stop,
  /// Ends all choices of the request, with FinishReason::Cancelled.
  Cancel,
};

/// Hears of a request. Called on the thread that owns the engine, between
/// steps: it must not block, and it may add and cancel. What events refer to is
/// valid during the call.
class RequestSink {
public:
  virtual ~RequestSink() = default;
  virtual SinkReply onToken(const TokenEvent &event) = 0;
  /// Where Request::promptLogits is set: once for every position of the prompt,
  /// in order, before the first token. Logits at `position` are those of the
  /// token after it.
  virtual void onPromptLogits(int32_t position, std::span<const float> logits) {
  }
  /// Once for every choice, as its last event, whatever happens.
  virtual void onFinish(const FinishEvent &event) = 0;
};

/// Says which tokens may come next: a grammar, seen from below.
class TokenMask {
public:
  virtual ~TokenMask() = default;
  /// Sets bit i % 32 of word i / 32 for every token i that may come next, and
  /// clears the others. `allowed` is [ceil(vocabulary / 32)].
  virtual void fill(std::span<uint32_t> allowed) = 0;
  /// `token` was chosen.
  virtual void accept(int32_t token) = 0;
  /// A mask in the same state, for another choice.
  virtual std::unique_ptr<TokenMask> clone() const = 0;
};

struct Request {
  std::vector<int32_t> prompt;
  SamplingParams sampling;
  /// Unset: as many as the context and the cache hold. 0: only the prompt's
  /// logits are wanted.
  std::optional<int32_t> maxTokens;
  std::vector<int32_t> stopIds;
  /// Report the logits of all prompt positions (teacher forcing).
  bool promptLogits = false;
  /// Independent continuations, each with its own seed; the prompt is computed
  /// once. See checkChoices.
  int32_t choices = 1;
  std::unique_ptr<TokenMask> mask;
  std::shared_ptr<RequestSink> sink;
};

/// Whether a request may want so many choices: 1 to 128. For whoever allocates
/// by it before the engine has seen the request.
Status checkChoices(int32_t choices);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_ENGINE_REQUEST_H
