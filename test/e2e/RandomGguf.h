//===- RandomGguf.h - Small random models as GGUF files ---------*- C++ -*-===//

#ifndef PAGODA_TEST_E2E_RANDOMGGUF_H
#define PAGODA_TEST_E2E_RANDOMGGUF_H

#include "pagoda/Base/DType.h"
#include "pagoda/Base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pagoda::test {

/// A Llama-shaped model. Widths must hold whole blocks of the types.
struct RandomGguf {
  int64_t hidden = 64, layers = 2, heads = 2, kvHeads = 1, headDim = 32;
  int64_t mlp = 128, vocabulary = 96, context = 256;
  ElementType linears = DType::F32;
  /// Of attn_v and ffn_down, as mixtures of formats have them.
  ElementType sensitive = DType::F32;
  ElementType embedding = DType::F32;
  bool tied = true;
  uint64_t seed = 1;

  /// Writes the file. Weights are normal with a deviation at which attention
  /// matters (1.5 / sqrt(width)), quantised by the reference encoders.
  Status write(const std::string &path) const;
};

} // namespace pagoda::test

#endif // PAGODA_TEST_E2E_RANDOMGGUF_H
