#include "TextStream.h"

#include <algorithm>
#include <utility>

namespace pagoda::rt {

TextStream::TextStream(const ModelText &text, const GenerationRequest &request,
                       TextCallback onText)
    : onText(std::move(onText)) {
  for (int32_t choice = 0; choice < request.choices; ++choice)
    choices.push_back({text.makeDecoder(), StopFilter(request.stop)});
}

SinkReply TextStream::onToken(const TokenEvent &event) {
  Choice &choice = choices[event.choice];
  std::string piece;
  if (!event.isStop)
    piece = choice.filter.push(choice.decoder->push(event.id));
  bool goOn = onText({.request = event.request,
                      .choice = event.choice,
                      .text = piece,
                      .token = &event,
                      .finish = std::nullopt,
                      .status = Status()});
  if (!goOn)
    return SinkReply::Cancel;
  return choice.filter.stopped() ? SinkReply::Stop : SinkReply::Continue;
}

void TextStream::onFinish(const FinishEvent &event) {
  Choice &choice = choices[event.choice];
  // Bytes that never became a character may still complete a stop string.
  std::string tail = choice.filter.push(choice.decoder->flush());
  tail += choice.filter.flush();
  FinishReason reason = event.reason;
  if (reason == FinishReason::Length && choice.filter.stopped())
    reason = FinishReason::Stop;
  onText({.request = event.request,
          .choice = event.choice,
          .text = tail,
          .token = nullptr,
          .finish = reason,
          .status = event.status,
          .promptTokens = event.promptTokens,
          .generatedTokens = event.generatedTokens});
}

StatusOr<Request> makeEngineRequest(const ModelText &text,
                                    GenerationRequest request,
                                    TextCallback onText) {
  PAGODA_RETURN_IF_ERROR(checkChoices(request.choices));
  PAGODA_RETURN_IF_ERROR(checkStopStrings(request.stop));
  if (!onText)
    onText = [](const TextEvent &) { return true; };
  Request result;
  result.sink = std::make_shared<TextStream>(text, request, std::move(onText));
  result.prompt = std::move(request.prompt);
  result.sampling = std::move(request.sampling);
  result.maxTokens = request.maxTokens;
  result.stopIds = std::move(request.stopIds);
  if (!request.ignoreEos)
    result.stopIds.insert(result.stopIds.end(), text.eosIds.begin(),
                          text.eosIds.end());
  result.choices = request.choices;
  return result;
}

void ResultCollector::add(const TextEvent &event) {
  if (result.choices.size() <= size_t(event.choice))
    result.choices.resize(event.choice + 1);
  GeneratedChoice &choice = result.choices[event.choice];
  choice.text += event.text;
  if (event.token)
    choice.tokens.push_back(
        {event.token->id,
         event.token->logprob,
         {event.token->top.begin(), event.token->top.end()}});
  if (!event.finish)
    return;
  --open;
  choice.finish = *event.finish;
  if (*event.finish == FinishReason::Error && failure.ok())
    failure = event.status;
  result.promptTokens = event.promptTokens;
  result.generatedTokens += event.generatedTokens;
}

StatusOr<GenerationResult> ResultCollector::take() && {
  PAGODA_RETURN_IF_ERROR(failure);
  return std::move(result);
}

} // namespace pagoda::rt
