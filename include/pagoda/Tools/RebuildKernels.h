//===- RebuildKernels.h - An artifact's kernels, built again ----*- C++ -*-===//
//
// Compiles the kernels of an artifact from the sources in it, with the flags of
// a compile. For people who would rather trust sources than machine code, and
// for the compiler library. For an untouched file of this build the result is
// the image in the file, byte for byte.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TOOLS_REBUILDKERNELS_H
#define PAGODA_TOOLS_REBUILDKERNELS_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Codegen/ImageBuilder.h"

#include <string>
#include <vector>

namespace pagoda {

struct RebuiltKernels {
  KernelImage image;
  /// Templates of the artifact that this build does not have in the same
  /// words.
  std::vector<std::string> foreignTemplates;
};

/// `kernelCache` as in CompileOptions. Errors: CorruptData for sources of
/// another form; Unavailable without Clang; Internal if they do not compile.
StatusOr<RebuiltKernels> rebuildKernels(const Artifact &artifact,
                                        const std::string &target,
                                        const std::string &kernelCache);

} // namespace pagoda

#endif // PAGODA_TOOLS_REBUILDKERNELS_H
