//===- CompilerLibrary.h - The compiler, opened when needed -----*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_COMPILERLIBRARY_H
#define PAGODA_LIB_TOOLS_CLI_COMPILERLIBRARY_H

#include "pagoda-c/compiler.h"
#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Device/KernelCode.h"

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
  /// The kernels of an artifact, compiled from its sources. `foreign` gets the
  /// templates that are not this build's.
  StatusOr<rt::KernelCode> rebuildKernels(const std::string &artifact,
                                          const std::string &target,
                                          const std::string &kernelCache,
                                          std::string &foreign) const;
  /// The JSON of pagodaCompilerReport.
  std::string report() const;

private:
  Status statusOf(int code, char *error) const;

  decltype(&pagodaCompile) compileFunction = nullptr;
  decltype(&pagodaRebuildKernels) rebuildFunction = nullptr;
  decltype(&pagodaFreeRebuiltKernels) freeRebuiltFunction = nullptr;
  decltype(&pagodaCompilerReport) reportFunction = nullptr;
  decltype(&pagodaFree) freeFunction = nullptr;
};

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_COMPILERLIBRARY_H
