//===- Import.h - Models into llm IR ----------------------------*- C++ -*-===//
//
// Reads a model into a module: a Hugging Face folder (config.json and
// safetensors), a GGUF file, or hand-written MLIR. Names and shapes are read,
// weights are not. For the compiler driver.
//
//   PAGODA_ASSIGN_OR_RETURN(ImportedModel model,
//                           importModel("models/llama", context, {}));
//   model.module->dump();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_IMPORT_IMPORT_H
#define PAGODA_IMPORT_IMPORT_H

#include "pagoda/Base/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace pagoda {

struct ImportOptions {
  /// Positions that the program can hold; the model's own maximum if unset.
  std::optional<int64_t> contextLength;
};

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Where relative paths of the module's sources start.
  std::string sourceFolder;
};

/// The context must have Pagoda's dialects loaded. Errors name the file, the
/// field and the remedy; a setting that would change the result and is not
/// understood is one of them.
StatusOr<ImportedModel> importModel(const std::string &path,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options);

} // namespace pagoda

#endif // PAGODA_IMPORT_IMPORT_H
