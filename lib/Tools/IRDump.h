//===- IRDump.h - One file of IR a pass, and a page -------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_IRDUMP_H
#define PAGODA_LIB_TOOLS_IRDUMP_H

#include "pagoda/Base/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <memory>
#include <string>

namespace pagoda {

/// Writes the module to "00-import.mlir" now and to "NN-PASS.mlir" after every
/// pass that changed it. Numbers count passes, so that a gap shows where
/// nothing changed. When the passes are done (or one of them failed), an
/// "index.html" shows any two steps side by side. Errors: IoError.
StatusOr<std::unique_ptr<mlir::PassInstrumentation>>
createIRDump(const std::string &folder, mlir::ModuleOp module);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_IRDUMP_H
