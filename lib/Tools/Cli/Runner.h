//===- Runner.h - An engine for a command -----------------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_RUNNER_H
#define PAGODA_LIB_TOOLS_CLI_RUNNER_H

#include "Model.h"
#include "pagoda/Runtime/Device/CpuRunner.h"
#include "pagoda/Runtime/Engine/Engine.h"

#include <memory>

namespace pagoda::cli {

/// Options of commands that run a model.
struct RunnerOptions {
  unsigned threads = 0;
  /// Token budget of a step; 0: the default.
  int32_t chunk = 0;
  int32_t maxSequences = 1;
  /// The logits of every token of a step are wanted.
  bool allRows = false;
  std::string target;
  /// Kernels are compiled from the artifact's sources.
  bool rebuildKernels = false;
};

/// A model with a device and an engine over it.
struct LoadedModel {
  Model model;
  std::unique_ptr<rt::CpuRunner> runner;
  std::unique_ptr<rt::Engine> engine;
};

StatusOr<LoadedModel> loadModel(const ModelOptions &model,
                                const RunnerOptions &options);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_RUNNER_H
