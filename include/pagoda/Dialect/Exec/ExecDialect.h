//===- ExecDialect.h - The exec dialect -------------------------*- C++ -*-===//
//
// Declares the dialect with its types and attributes; ops are in ExecOps.h.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_EXEC_EXECDIALECT_H
#define PAGODA_DIALECT_EXEC_EXECDIALECT_H

#include "pagoda/Dialect/Exec/AffineSize.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "pagoda/Dialect/Exec/ExecDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "pagoda/Dialect/Exec/ExecAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "pagoda/Dialect/Exec/ExecTypes.h.inc"

#endif // PAGODA_DIALECT_EXEC_EXECDIALECT_H
