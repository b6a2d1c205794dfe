//===- HashRunner.h - A model whose answer is its whole input ---*- C++ -*-===//
//
// A StepRunner whose "keys and values" are the token and the position written
// to a slot, and whose logits are a hash of everything a query sees, read back
// through the block table it was given. Any wrong slot, table, position, length
// or copy, any block that two sequences write, changes the tokens; a block that
// is free is overwritten with poison before each step.
//
//   HashRunner runner(limits);
//   expectedLogits(history, runner.limits()); // what it must return
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_RUNTIME_ENGINE_HASHRUNNER_H
#define PAGODA_TEST_UNIT_RUNTIME_ENGINE_HASHRUNNER_H

#include "pagoda/Runtime/Step/StepRunner.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace pagoda::rt {

inline RunnerLimits hashRunnerLimits() {
  RunnerLimits limits;
  limits.vocabulary = 61;
  limits.maxContext = 200;
  limits.blockSize = 4;
  limits.blockCount = 64;
  limits.maxTokens = 32;
  limits.maxSequences = 8;
  limits.maxRows = 16;
  limits.copiesBlocks = true;
  return limits;
}

/// What one cached token leaves in the cache.
struct CachedToken {
  int32_t id = -1;
  int32_t position = -1;

  bool operator==(const CachedToken &) const = default;
};
inline constexpr CachedToken poison{-666, -666};

inline uint64_t mixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Logits in [-4, 4] of a query that sees `history`.
inline void hashLogits(std::span<const CachedToken> history,
                       std::span<float> logits) {
  uint64_t state = 1;
  for (const CachedToken &token : history)
    state = mixBits(state + (uint64_t(uint32_t(token.id)) << 32) +
                    uint32_t(token.position));
  for (size_t id = 0; id < logits.size(); ++id)
    logits[id] =
        float(mixBits(state + id * 0x9e3779b97f4a7c15u) >> 40) * 0x1p-21f - 4;
}

/// The logits after a sequence of tokens, without any runner.
inline std::vector<float> expectedLogits(std::span<const int32_t> tokens,
                                         const RunnerLimits &limits) {
  int32_t count = static_cast<int32_t>(tokens.size());
  int32_t first =
      limits.slidingWindow ? std::max(0, count - limits.slidingWindow) : 0;
  std::vector<CachedToken> history;
  for (int32_t position = first; position < count; ++position)
    history.push_back({tokens[position], position});
  std::vector<float> logits(limits.vocabulary);
  hashLogits(history, logits);
  return logits;
}

class HashRunner : public StepRunner {
public:
  explicit HashRunner(const RunnerLimits &limits)
      : declared(limits),
        cache(size_t(limits.blockCount) * limits.blockSize, poison) {}

  const RunnerLimits &limits() const override { return declared; }

  Status submit(const StepBatch &batch) override {
    PAGODA_RETURN_IF_ERROR(checkStepBatch(batch, declared));
    ++steps;
    if (failSubmit && failSubmit(batch))
      return unavailable("the device fell over");
    mostTokens = std::max(mostTokens, batch.tokens());
    for (size_t i = 0; i < batch.copySource.size(); ++i, ++copies)
      std::copy_n(block(batch.copySource[i]), declared.blockSize,
                  block(batch.copyDestination[i]));
    if (isFree)
      for (int32_t b = 0; b < declared.blockCount; ++b)
        if (isFree(b))
          std::fill_n(block(b), declared.blockSize, poison);
    for (int32_t i = 0; i < batch.tokens(); ++i)
      cache[batch.slot[i]] = {batch.ids[i], batch.position[i]};
    logits.resize(batch.rows.size() * declared.vocabulary);
    for (int32_t s = 0, row = 0; s < batch.sequences(); ++s)
      while (row < batch.rowCount() && batch.rows[row] < batch.qStart[s + 1])
        computeRow(batch, s, row++);
    rows = batch.rowCount();
    return Status();
  }

  StatusOr<LogitsView> collect() override {
    if (failCollect && failCollect())
      return unavailable("the device never answered");
    return LogitsView{logits.data(), rows, declared.vocabulary};
  }

  /// Faults to order.
  std::function<bool(const StepBatch &)> failSubmit;
  std::function<bool()> failCollect;
  /// A token id after which the logits are NaN.
  int32_t brokenAfter = -1;
  /// Tells which blocks may be poisoned.
  std::function<bool(int32_t)> isFree;

  int64_t steps = 0;
  int64_t copies = 0;
  int64_t poisonSeen = 0;
  int32_t mostTokens = 0;

private:
  CachedToken *block(int32_t index) {
    return cache.data() + size_t(index) * declared.blockSize;
  }

  void computeRow(const StepBatch &batch, int32_t sequence, int32_t row) {
    const int32_t *table =
        batch.blockTable.data() + size_t(sequence) * batch.tableWidth;
    int32_t position = batch.position[batch.rows[row]];
    int32_t first = declared.slidingWindow
                        ? std::max(0, position - declared.slidingWindow + 1)
                        : 0;
    history.clear();
    for (int32_t p = first; p <= position; ++p) {
      history.push_back(
          block(table[p / declared.blockSize])[p % declared.blockSize]);
      poisonSeen += history.back() == poison;
    }
    std::span<float> out{logits.data() + size_t(row) * declared.vocabulary,
                         size_t(declared.vocabulary)};
    hashLogits(history, out);
    if (history.back().id == brokenAfter)
      out[declared.vocabulary / 2] = std::numeric_limits<float>::quiet_NaN();
  }

  RunnerLimits declared;
  std::vector<CachedToken> cache; // [blockCount, blockSize]
  std::vector<float> logits;      // [rows, vocabulary]
  int32_t rows = 0;
  std::vector<CachedToken> history;
};

} // namespace pagoda::rt

#endif // PAGODA_TEST_UNIT_RUNTIME_ENGINE_HASHRUNNER_H
