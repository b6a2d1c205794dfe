#include "pagoda/Eval/Perplexity.h"

#include <algorithm>
#include <cmath>

namespace pagoda {

namespace {

/// -log softmax(logits)[target], in double.
double negativeLogLikelihood(std::span<const float> logits, int32_t target) {
  double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits)
    sum += std::exp(double(logit) - top);
  return std::log(sum) + top - double(logits[static_cast<size_t>(target)]);
}

class WindowSink final : public rt::RequestSink {
public:
  explicit WindowSink(std::span<const int32_t> ids) : ids(ids) {}

  rt::SinkReply onToken(const rt::TokenEvent &) override {
    return rt::SinkReply::Stop;
  }
  void onPromptLogits(int32_t position,
                      std::span<const float> logits) override {
    size_t next = static_cast<size_t>(position) + 1;
    if (next < ids.size())
      losses.push_back(negativeLogLikelihood(logits, ids[next]));
  }
  void onFinish(const rt::FinishEvent &event) override {
    status = event.status;
  }

  std::vector<double> losses;
  Status status;

private:
  std::span<const int32_t> ids;
};

} // namespace

StatusOr<PerplexityResult> perplexity(rt::Engine &engine,
                                      std::span<const int32_t> ids,
                                      const PerplexityOptions &options) {
  if (options.window < 2)
    return invalidArgument("a window holds at least 2 tokens, found ",
                           options.window);
  int32_t all =
      static_cast<int32_t>(ids.size() / static_cast<size_t>(options.window));
  if (options.windows > 0)
    all = std::min(all, options.windows);
  if (all == 0)
    return invalidArgument("the text has ", ids.size(),
                           " tokens, less than one window of ", options.window);
  PerplexityResult result;
  double sum = 0, squares = 0;
  for (int32_t index = 0; index < all; ++index) {
    auto window = ids.subspan(static_cast<size_t>(index) *
                                  static_cast<size_t>(options.window),
                              static_cast<size_t>(options.window));
    auto sink = std::make_shared<WindowSink>(window);
    rt::Request request;
    request.prompt.assign(window.begin(), window.end());
    request.promptLogits = true;
    request.maxTokens = 0;
    request.sink = sink;
    PAGODA_ASSIGN_OR_RETURN([[maybe_unused]] rt::RequestId id,
                            engine.add(std::move(request)));
    while (engine.step()) {
    }
    PAGODA_RETURN_IF_ERROR(Status(sink->status));
    for (double loss : sink->losses) {
      sum += loss;
      squares += loss * loss;
    }
    result.scoredTokens += static_cast<int64_t>(sink->losses.size());
    if (options.progress)
      options.progress(index + 1, all);
  }
  double count = static_cast<double>(result.scoredTokens);
  result.windows = all;
  result.loss = sum / count;
  double variance = squares / count - result.loss * result.loss;
  result.standardError = std::sqrt(std::max(0.0, variance) / count);
  result.perplexity = std::exp(result.loss);
  return result;
}

} // namespace pagoda
