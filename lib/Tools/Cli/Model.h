//===- Model.h - The MODEL argument of commands -----------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_MODEL_H
#define PAGODA_LIB_TOOLS_CLI_MODEL_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <memory>
#include <optional>
#include <string>

namespace pagoda::cli {

/// How a model is compiled if it is not an artifact yet.
struct ModelOptions {
  std::string path;
  /// Empty: what an artifact has, or the default of a compile.
  std::string precision;
  std::string kvDtype;
  int64_t contextLength = 0;
};

/// An opened artifact with its tokenizer.
struct Model {
  std::shared_ptr<Artifact> artifact;
  std::optional<rt::Tokenizer> tokenizer;
};

/// Opens a .pgd, or compiles anything else into the cache first, once for each
/// content and set of options. Errors: those of compiling; InvalidArgument if
/// an artifact has another precision than asked for.
StatusOr<Model> openModel(const ModelOptions &options);

/// $XDG_CACHE_HOME/pagoda, or ~/.cache/pagoda; empty if neither is known.
std::string cacheFolder();

/// The default precision of a compile.
inline constexpr const char *kDefaultPrecision = "fast";

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_MODEL_H
