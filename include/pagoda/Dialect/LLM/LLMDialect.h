//===- LLMDialect.h - The llm dialect ---------------------------*- C++ -*-===//
//
// Declares the dialect and all its attributes and types. For everything that
// reads or writes llm IR; ops are in LLMOps.h.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_LLM_LLMDIALECT_H
#define PAGODA_DIALECT_LLM_LLMDIALECT_H

#include "pagoda/Base/DType.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

namespace pagoda {
llvm::hash_code hash_value(const QuantFormat &format);
} // namespace pagoda

#include "pagoda/Dialect/LLM/LLMEnums.h.inc"

#include "pagoda/Dialect/LLM/LLMDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "pagoda/Dialect/LLM/LLMAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "pagoda/Dialect/LLM/LLMTypes.h.inc"

namespace pagoda::llm {

/// The element type that a builtin or quantised MLIR type stands for; nothing
/// for types that no tensor of Pagoda holds.
std::optional<ElementType> getElementType(mlir::Type type);

/// The MLIR type of an element type.
mlir::Type getMLIRType(mlir::MLIRContext *context, ElementType type);

} // namespace pagoda::llm

#endif // PAGODA_DIALECT_LLM_LLMDIALECT_H
