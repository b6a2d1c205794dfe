//===- CompilerLibrary.h - The compiler, opened when needed -----*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_COMPILERLIBRARY_H
#define PAGODA_LIB_TOOLS_CLI_COMPILERLIBRARY_H

#include "pagoda-c/compiler.h"
#include "pagoda/Base/Status.h"

#include <string>

namespace pagoda::cli {

/// libpagoda-compiler.so: $PAGODA_COMPILER_LIBRARY, or beside this program in
/// ../lib, or wherever the loader finds it. Opening it loads LLVM, so commands
/// that do not compile never come here.
class CompilerLibrary {
public:
  /// Errors: Unavailable, with what to install.
  static StatusOr<CompilerLibrary> open();
  /// The file that open() would load, empty if only the loader knows.
  static std::string path();

  Status compile(const PagodaCompileOptions &options) const;

private:
  decltype(&pagodaCompile) compileFunction = nullptr;
  decltype(&pagodaFree) freeFunction = nullptr;
};

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_COMPILERLIBRARY_H
