//===- Decoder.h - Decoder-only transformers as a description ---*- C++ -*-===//
//
// What the front ends fill in from their files, and the one builder that turns
// it into a `step` entry. Everything that tells one family from another is a
// field here; the builder knows no names of models.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_IMPORT_DECODER_H
#define PAGODA_LIB_IMPORT_DECODER_H

#include "pagoda/Dialect/LLM/LLMDialect.h"
#include "pagoda/Import/Import.h"
#include "pagoda/Weights/TensorSource.h"

#include <functional>
#include <string>
#include <vector>

namespace pagoda {

/// Rotary embeddings, reduced to what the table needs.
struct RopeDescription {
  llm::RopeStyle style = llm::RopeStyle::Half;
  /// Radians a position, for each pair of elements; in float32, as models
  /// compute it.
  std::vector<float> frequencies;
  /// Factor on cosines and sines.
  float magnitude = 1.0f;
};

struct DecoderDescription {
  std::string name;         // of the file or folder
  std::string architecture; // as the file spells it
  int64_t vocabulary = 0;
  int64_t hidden = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  int64_t mlp = 0;
  int64_t contextLength = 0;
  double epsilon = 0;
  llm::Activation activation = llm::Activation::Silu;
  RopeDescription rope;
  /// Keys that a query of each layer sees; nothing for all.
  std::vector<std::optional<int64_t>> windows;
  bool tiedHead = false;
  bool qkvBias = false, outputBias = false, mlpBias = false;
  bool headNorms = false;
  int64_t bos = -1;
  std::vector<int32_t> stopTokens;
};

/// The tensors of a decoder, by what they are.
enum class DecoderTensor {
  Embedding,
  FinalNorm,
  Head,
  AttentionNorm,
  Query,
  Key,
  Value,
  Output,
  QueryNorm,
  KeyNorm,
  MlpNorm,
  Gate,
  Up,
  Down,
};

/// A file's spelling of a tensor's name without ".weight" or ".bias"; `layer`
/// is -1 for tensors outside layers.
using TensorNaming = std::function<std::string(DecoderTensor, int64_t layer)>;

/// Builds the module. `sourcePath` is what llm.source names. Errors: NotFound
/// for a missing tensor, InvalidArgument for one of another shape, and for
/// tensors of the file that the description leaves unused.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
buildDecoder(const DecoderDescription &description, const TensorNaming &naming,
             const TensorSource &source, const std::string &sourcePath,
             mlir::MLIRContext &context,
             const std::function<bool(std::string_view)> &mayIgnore);

} // namespace pagoda

#endif // PAGODA_LIB_IMPORT_DECODER_H
