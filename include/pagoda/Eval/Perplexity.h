//===- Perplexity.h - How well a model predicts a text ----------*- C++ -*-===//
//
// The exponential of the mean negative log-likelihood of tokens, over disjoint
// windows: in each, every token but the first is scored by the logits before
// it. The same definition as behind the figures of most quantisation papers,
// except that windows are weighted by their tokens.
//
//   PerplexityOptions options;
//   options.window = 512;
//   PAGODA_ASSIGN_OR_RETURN(PerplexityResult result,
//                           perplexity(engine, ids, options));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_EVAL_PERPLEXITY_H
#define PAGODA_EVAL_PERPLEXITY_H

#include "pagoda/Runtime/Engine/Engine.h"

#include <cstdint>
#include <functional>
#include <span>

namespace pagoda {

struct PerplexityOptions {
  int32_t window = 512;
  /// 0: as many as the text fills; a rest shorter than a window is left out.
  int32_t windows = 0;
  /// Called after each window with the windows done and in all.
  std::function<void(int32_t done, int32_t all)> progress;
};

struct PerplexityResult {
  double perplexity = 0;
  /// Mean negative log-likelihood of a token, in nats, and its standard error.
  double loss = 0;
  double standardError = 0;
  int32_t windows = 0;
  int64_t scoredTokens = 0;
};

/// Runs the windows through the engine, on this thread. Errors:
/// InvalidArgument for a text shorter than one window.
StatusOr<PerplexityResult> perplexity(rt::Engine &engine,
                                      std::span<const int32_t> ids,
                                      const PerplexityOptions &options);

} // namespace pagoda

#endif // PAGODA_EVAL_PERPLEXITY_H
