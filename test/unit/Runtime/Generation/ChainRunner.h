//===- ChainRunner.h - A model of which byte follows which ------*- C++ -*-===//
//
// A StepRunner over bytes: id = byte value, 257 ends the text, the vocabulary
// has 264 ids, logits depend on the last token alone. And the decoder and
// ModelText that go with it.
//
//   ChainRunner runner(chain(">ABCDE"));     // after 'A' comes 'B', …
//   ChainRunner coin(fork('A', 'B', 0.6));   // always 'A' or 'B'
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_RUNTIME_GENERATION_CHAINRUNNER_H
#define PAGODA_TEST_UNIT_RUNTIME_GENERATION_CHAINRUNNER_H

#include "pagoda/Runtime/Engine/Engine.h"
#include "pagoda/Runtime/Generation/GenerationRequest.h"
#include "pagoda/Runtime/Generation/ModelText.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt {

inline constexpr int32_t endId = 257;

/// Writes the logits [264] that follow `id`; they are all 0 before.
using NextByte = std::function<void(int32_t id, std::span<float> logits)>;

/// Spells `text`, whose bytes must differ; the last one leads to the end.
inline NextByte chain(std::string text) {
  return [text = std::move(text)](int32_t id, std::span<float> logits) {
    size_t at = id < 256 ? text.find(char(id)) : std::string::npos;
    bool last = at == std::string::npos || at + 1 == text.size();
    logits[last ? endId : uint8_t(text[at + 1])] = 16.246f;
  };
}

/// `likely` with probability p, else `other`, whatever came before.
inline NextByte fork(int32_t likely, int32_t other, double p) {
  return [=](int32_t, std::span<float> logits) {
    logits[likely] = float(16.246 + std::log(p));
    logits[other] = float(16.246 + std::log(1 - p));
  };
}

class ChainRunner : public StepRunner {
public:
  explicit ChainRunner(NextByte next, int32_t maxContext = 4096)
      : next(std::move(next)) {
    declared.vocabulary = 264;
    declared.maxContext = maxContext;
    declared.blockSize = 16;
    declared.blockCount = maxContext / 8; // two of the longest
    declared.maxTokens = 64;
    declared.maxSequences = 16;
    declared.maxRows = 16;
  }

  const RunnerLimits &limits() const override { return declared; }
  Status submit(const StepBatch &batch) override {
    PAGODA_RETURN_IF_ERROR(checkStepBatch(batch, declared));
    if (fails)
      return unavailable("the device fell over");
    logits.assign(batch.rows.size() * 264, 0.0f);
    for (size_t row = 0; row < batch.rows.size(); ++row)
      next(batch.ids[batch.rows[row]],
           std::span(logits).subspan(row * 264, 264));
    return Status();
  }
  StatusOr<LogitsView> collect() override {
    return LogitsView{logits.data(), int32_t(logits.size() / 264), 264};
  }

  bool fails = false;

private:
  RunnerLimits declared;
  NextByte next;
  std::vector<float> logits;
};

/// Bytes to text, a character at a time; ids from 256 on have none.
class ByteDecoder : public TextDecoder {
public:
  std::string push(int32_t id) override {
    if (id < 256)
      pending.push_back(char(id));
    size_t size = pending.empty() ? 0 : characterSize(uint8_t(pending[0]));
    return pending.size() >= size ? std::exchange(pending, {}) : std::string();
  }
  std::string flush() override {
    bool broken = !std::exchange(pending, {}).empty();
    return broken ? "\xEF\xBF\xBD" : ""; // U+FFFD
  }

private:
  static size_t characterSize(uint8_t lead) {
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  }
  std::string pending;
};

inline ModelText byteText() {
  return {[] { return std::make_unique<ByteDecoder>(); }, {endId}};
}

inline std::vector<int32_t> bytes(std::string_view text) {
  std::vector<int32_t> ids;
  for (char byte : text)
    ids.push_back(uint8_t(byte));
  return ids;
}

inline GenerationRequest greedyRequest(std::string_view prompt) {
  GenerationRequest request;
  request.prompt = bytes(prompt);
  request.sampling.temperature = 0;
  return request;
}

} // namespace pagoda::rt

#endif // PAGODA_TEST_UNIT_RUNTIME_GENERATION_CHAINRUNNER_H
