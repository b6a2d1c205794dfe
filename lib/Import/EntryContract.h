//===- EntryContract.h - What a hand-written program must have --*- C++ -*-===//

#ifndef PAGODA_LIB_IMPORT_ENTRYCONTRACT_H
#define PAGODA_LIB_IMPORT_ENTRYCONTRACT_H

#include "pagoda/Base/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace pagoda {

/// Whether the module has one entry with the arguments that a step brings and
/// the results that it needs. Entries below the llm dialect are looked at where
/// they are stored. Errors: InvalidArgument, with what the entry should have.
Status checkEntryContract(mlir::ModuleOp module);

/// Whether the files that a module in `folder` takes weights from lie in it
/// (Files/ContainedPath.h), and its expressions of weights are of a size that
/// can be computed. Errors: InvalidArgument, NotFound.
Status checkSources(mlir::ModuleOp module, const std::string &folder);

/// Whether brackets in MLIR text nest no deeper than the parser can follow.
/// Errors: InvalidArgument with the line.
Status checkNesting(std::string_view text);

} // namespace pagoda

#endif // PAGODA_LIB_IMPORT_ENTRYCONTRACT_H
