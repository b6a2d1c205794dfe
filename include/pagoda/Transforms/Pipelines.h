//===- Pipelines.h - The order of passes ------------------------*- C++ -*-===//
//
// Puts the passes of a compile into a pass manager, in the order that
// docs/architecture.md explains. For the compiler driver and for
// `pagoda-opt --pagoda-compile`.
//
//   mlir::PassManager manager(&context);
//   PAGODA_RETURN_IF_ERROR(buildCompilePipeline(manager, {}));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TRANSFORMS_PIPELINES_H
#define PAGODA_TRANSFORMS_PIPELINES_H

#include "pagoda/Base/Status.h"

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace pagoda {

struct CompilePipelineOptions {
  /// Storage type of keys and values: "f32" or "f16".
  std::string kvDtype = "f32";
  /// Activations in front of weights of integer codes: "f32" or "i8".
  std::string activations = "f32";
  /// Tokens of one block of the cache.
  unsigned kvBlock = 16;
  /// "PASS:OTHER": runs the registered pass OTHER right after PASS. For
  /// planting faults that --verify-passes must find.
  std::vector<std::string> insertAfter;
};

/// Errors: InvalidArgument where insertAfter names no pass of the pipeline or
/// no registered pass.
Status buildCompilePipeline(mlir::OpPassManager &manager,
                            const CompilePipelineOptions &options);

/// Registers the pipeline as `--pagoda-compile` for pagoda-opt.
void registerCompilePipeline();

} // namespace pagoda

#endif // PAGODA_TRANSFORMS_PIPELINES_H
