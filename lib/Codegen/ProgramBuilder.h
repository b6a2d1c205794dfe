//===- ProgramBuilder.h - exec IR as a FlatBuffer ---------------*- C++ -*-===//

#ifndef PAGODA_LIB_CODEGEN_PROGRAMBUILDER_H
#define PAGODA_LIB_CODEGEN_PROGRAMBUILDER_H

#include "pagoda/Artifact/ArtifactWriter.h"
#include "pagoda/Codegen/ImageBuilder.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace pagoda {

/// What the parts of a program refer to by number.
struct ProgramParts {
  std::vector<exec::KernelOp> kernels;
  std::vector<KernelUnit> units; // one a kernel
  std::vector<llm::DefineOp> weights;
  std::vector<FileRegion> weightRegions;
  std::vector<KernelImage> images;
  std::vector<FileRegion> imageRegions;
};

/// The program of a module whose images and weights are in the file already.
StatusOr<flatbuffers::DetachedBuffer> buildProgram(mlir::ModuleOp module,
                                                   const ProgramParts &parts);

} // namespace pagoda

#endif // PAGODA_LIB_CODEGEN_PROGRAMBUILDER_H
