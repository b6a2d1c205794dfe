//===- TextStream.h - From token events to text events ----------*- C++ -*-===//
//
// The sink that stands between the engine and a caller who wants text, and the
// collector that makes one result of what it says.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_GENERATION_TEXTSTREAM_H
#define PAGODA_LIB_RUNTIME_GENERATION_TEXTSTREAM_H

#include "pagoda/Runtime/Generation/GenerationRequest.h"
#include "pagoda/Runtime/Generation/ModelText.h"
#include "pagoda/Runtime/Generation/StopFilter.h"

#include <memory>
#include <vector>

namespace pagoda::rt {

class TextStream : public RequestSink {
public:
  TextStream(const ModelText &text, const GenerationRequest &request,
             TextCallback onText);

  SinkReply onToken(const TokenEvent &event) override;
  void onFinish(const FinishEvent &event) override;

private:
  struct Choice {
    std::unique_ptr<TextDecoder> decoder;
    StopFilter filter;
  };

  std::vector<Choice> choices;
  TextCallback onText;
};

/// What the engine is to be asked, with a TextStream as its sink; or what is
/// wrong with the text part of the request.
StatusOr<Request> makeEngineRequest(const ModelText &text,
                                    GenerationRequest request,
                                    TextCallback onText);

class ResultCollector {
public:
  explicit ResultCollector(int32_t choices) : open(choices) {}

  void add(const TextEvent &event);
  /// Whether all choices have ended.
  bool complete() const { return open == 0; }
  StatusOr<GenerationResult> take() &&;

private:
  GenerationResult result;
  Status failure;
  int32_t open;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_GENERATION_TEXTSTREAM_H
