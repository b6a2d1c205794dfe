//===- ProgramContract.h - What an exec program must have ------*- C++ -*-===//

#ifndef PAGODA_LIB_CODEGEN_PROGRAMCONTRACT_H
#define PAGODA_LIB_CODEGEN_PROGRAMCONTRACT_H

#include "pagoda/Base/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace pagoda {

/// Whether a module at the exec level can be stored and run: one entry whose
/// arguments a step brings and whose results launches write, kernels of known
/// families with their parameters, and layers of the cache that agree. What the
/// passes make always can; IR that was written by hand may not. Errors:
/// InvalidArgument, with the op and what it should have.
Status checkProgramContract(mlir::ModuleOp module);

} // namespace pagoda

#endif // PAGODA_LIB_CODEGEN_PROGRAMCONTRACT_H
