//===- NamedDims.h - Which size of the batch a value has --------*- C++ -*-===//
//
// Follows leading extents through the program to their root. For the lowering
// to exec, where every unknown size must have a name, and for passes that ask
// whether two values have the same rows.
//
//   std::optional<BatchDim> dim = getRowDim(logits); // BatchDim::Rows
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_LLM_NAMEDDIMS_H
#define PAGODA_DIALECT_LLM_NAMEDDIMS_H

#include "pagoda/Dialect/LLM/LLMOps.h"

namespace pagoda::llm {

/// The size that the leading extent of a tensor is, if it is one of the
/// batch's; nothing for static extents and unknown roots.
std::optional<BatchDim> getRowDim(mlir::Value value);

/// The key of an elementwise op in kernels/pointwise.def.
std::string pointwiseKey(mlir::Operation *op);

/// True for ops on floats that treat every element by itself: `arith` and
/// `math` ops on tensors, `llm.gated`.
bool isPointwise(mlir::Operation *op);

} // namespace pagoda::llm

#endif // PAGODA_DIALECT_LLM_NAMEDDIMS_H
