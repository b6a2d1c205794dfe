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

#endif // PAGODA_DIALECT_LLM_LLMOPS_H
