//===- LLMOps.h - Operations of the llm dialect -----------------*- C++ -*-===//

#ifndef PAGODA_DIALECT_LLM_LLMOPS_H
#define PAGODA_DIALECT_LLM_LLMOPS_H

#include "pagoda/Dialect/LLM/LLMDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "pagoda/Dialect/LLM/LLMInterfaces.h.inc"

#define GET_OP_CLASSES
#include "pagoda/Dialect/LLM/LLMOps.h.inc"

namespace pagoda::llm {

/// Whether an op computes a weight if all its operands are weights.
bool computesWeights(mlir::Operation *op);

/// Each element of a weight is computed from its operands' by itself, so that
/// an op is computed as often as it is used.
inline constexpr uint64_t kMostWeightReads = 1000;
/// Fails, with an error, where a weight in the block is an expression of more
/// ops than that.
mlir::LogicalResult verifyWeightReads(mlir::Block &block);

} // namespace pagoda::llm

#endif // PAGODA_DIALECT_LLM_LLMOPS_H
