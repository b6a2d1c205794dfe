//===- WeightLowering.h - From llm.define to expressions --------*- C++ -*-===//
//
// Builds the evaluator's expression (pagoda/Weights) for a definition of the
// module, with its sources opened. For the serializer and for tests.
//
//   PAGODA_ASSIGN_OR_RETURN(WeightLowering lowering,
//                           WeightLowering::create(module, "models"));
//   PAGODA_ASSIGN_OR_RETURN(LoweredWeight weight, lowering.lower(define));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_CODEGEN_WEIGHTLOWERING_H
#define PAGODA_CODEGEN_WEIGHTLOWERING_H

#include "pagoda/Weights/Packing.h"
#include "pagoda/Weights/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace pagoda {

namespace llm {
class DefineOp;
} // namespace llm

/// A definition as units that can be evaluated by themselves: tiles of a
/// packed matrix, or rows of a plain tensor.
struct LoweredWeight {
  Weight plain;
  std::optional<PackedWeight> packed;

  uint64_t units() const { return packed ? packed->tiles() : plain->rows(); }
  uint64_t unitBytes() const {
    return packed ? packed->tileBytes() : plain->rowBytes();
  }
  Status read(uint64_t first, uint64_t count, std::byte *out) const {
    return packed ? packed->readTiles(first, count, out)
                  : plain->readRows(first, count, out);
  }
};

class WeightLowering {
public:
  /// Opens the files that the module's sources name; relative paths start at
  /// `folder`.
  static StatusOr<WeightLowering> create(mlir::ModuleOp module,
                                         const std::string &folder);

  /// Errors name the definition: a tensor that the file does not have, or has
  /// in another shape or type than the module says.
  StatusOr<LoweredWeight> lower(llm::DefineOp define) const;

  /// The opened file behind a source symbol; null for random sources.
  const TensorSource *source(const std::string &symbol) const;

private:
  struct Source {
    std::unique_ptr<TensorSource> file; // null: random
    uint64_t seed = 0;
    double deviation = 0;
  };
  friend class DefinitionLowering;
  std::map<std::string, Source> sources;
};

} // namespace pagoda

#endif // PAGODA_CODEGEN_WEIGHTLOWERING_H
