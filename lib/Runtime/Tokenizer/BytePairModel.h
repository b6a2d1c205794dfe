//===- BytePairModel.h - Byte-level byte-pair encoding ----------*- C++ -*-===//
//
// A piece is its bytes at first; as long as two neighbours have a merge, the
// pair with the lowest rank is joined, the leftmost of equals. Works on ids
// and on the mapped table of pairs alone.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_BYTEPAIRMODEL_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_BYTEPAIRMODEL_H

#include "Stages.h"

namespace pagoda::rt {

class BytePairModel final : public Model {
public:
  static StatusOr<std::unique_ptr<const Model>> open(const FlatReader &reader,
                                                     const TokenTable &tokens);

  std::unique_ptr<Run> start() const override;

private:
  class PairRun;
  BytePairModel(const flat::PairSummary &summary,
                std::span<const uint32_t> bytes, PairTable pairs,
                const TokenTable &tokens)
      : summary(summary), bytes(bytes), pairs(pairs), tokens(tokens) {}

  const flat::PairSummary &summary;
  std::span<const uint32_t> bytes;
  PairTable pairs;
  const TokenTable &tokens;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_BYTEPAIRMODEL_H
