//===- HuggingFace.h - Models as folders ------------------------*- C++ -*-===//

#ifndef PAGODA_LIB_IMPORT_HUGGINGFACE_HUGGINGFACE_H
#define PAGODA_LIB_IMPORT_HUGGINGFACE_HUGGINGFACE_H

#include "pagoda/Import/Import.h"

namespace pagoda {

/// Imports a folder of config.json and safetensors.
StatusOr<ImportedModel> importHuggingFace(const std::string &folder,
                                          mlir::MLIRContext &context,
                                          const ImportOptions &options);

} // namespace pagoda

#endif // PAGODA_LIB_IMPORT_HUGGINGFACE_HUGGINGFACE_H
