//===- KernelSources.h - The sources that an artifact carries ---*- C++ -*-===//
//
// Artifacts hold the sources of their kernels, so that anybody can read them
// and build the kernels again. For --rebuild-kernels.
//
//   PAGODA_ASSIGN_OR_RETURN(KernelSources sources, kernelSources(artifact));
//   builder.build(sources.units, "avx512-vnni", sources.templates);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_CODEGEN_KERNELSOURCES_H
#define PAGODA_CODEGEN_KERNELSOURCES_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Codegen/ImageBuilder.h"

namespace pagoda {

/// What ImageBuilder makes an image of.
struct KernelSources {
  std::vector<KernelUnit> units;
  std::vector<TemplateFile> templates;
};

/// Takes the sources out of an artifact. Nothing in a file is trusted: paths
/// must stay below the folder that they will be written to. Errors:
/// CorruptData.
StatusOr<KernelSources> kernelSources(const Artifact &artifact);

} // namespace pagoda

#endif // PAGODA_CODEGEN_KERNELSOURCES_H
