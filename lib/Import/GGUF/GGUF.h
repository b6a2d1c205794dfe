//===- GGUF.h - Models as GGUF files ----------------------------*- C++ -*-===//

#ifndef PAGODA_LIB_IMPORT_GGUF_GGUF_H
#define PAGODA_LIB_IMPORT_GGUF_GGUF_H

#include "pagoda/Import/Import.h"

namespace pagoda {

/// Imports a GGUF file.
StatusOr<ImportedModel> importGguf(const std::string &path,
                                   mlir::MLIRContext &context,
                                   const ImportOptions &options);

} // namespace pagoda

#endif // PAGODA_LIB_IMPORT_GGUF_GGUF_H
