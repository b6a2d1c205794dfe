//===- ExecOps.h - Operations of the exec dialect ---------------*- C++ -*-===//

#ifndef PAGODA_DIALECT_EXEC_EXECOPS_H
#define PAGODA_DIALECT_EXEC_EXECOPS_H

#include "pagoda/Dialect/Exec/ExecDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "pagoda/Dialect/Exec/ExecOps.h.inc"

#endif // PAGODA_DIALECT_EXEC_EXECOPS_H
