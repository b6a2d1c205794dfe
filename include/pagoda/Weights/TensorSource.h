//===- TensorSource.h - Tensors of model files by name ----------*- C++ -*-===//
//
// One view of GGUF files and safetensors folders: names, shapes, types and
// mapped bytes. For the importers (which only look at the first three) and the
// evaluation of weights. Views live as long as the source.
//
//   PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<TensorSource> source,
//                           TensorSource::open("models/llama"));
//   PAGODA_ASSIGN_OR_RETURN(SourceTensor norm, source->tensor("model.norm"));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_WEIGHTS_TENSORSOURCE_H
#define PAGODA_WEIGHTS_TENSORSOURCE_H

#include "pagoda/Weights/Expression.h"

#include <string>

namespace pagoda {

struct SourceTensor {
  WeightShape shape;
  ElementType type;
  std::span<const std::byte> bytes;
};

class TensorSource {
public:
  virtual ~TensorSource() = default;

  /// A `.gguf` file, a `.safetensors` file, or a folder of safetensors.
  static StatusOr<std::unique_ptr<TensorSource>> open(const std::string &path);

  virtual std::vector<std::string> names() const = 0;
  virtual bool has(std::string_view name) const = 0;
  /// Errors: NotFound; Unsupported for element types Pagoda does not read.
  virtual StatusOr<SourceTensor> tensor(std::string_view name) const = 0;
};

} // namespace pagoda

#endif // PAGODA_WEIGHTS_TENSORSOURCE_H
