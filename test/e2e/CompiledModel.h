//===- CompiledModel.h - Models for end-to-end tests ------------*- C++ -*-===//
//
// Compiles a model into a temporary file and runs requests on it, the way the
// command line does but with every knob at hand.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_E2E_COMPILEDMODEL_H
#define PAGODA_TEST_E2E_COMPILEDMODEL_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Device/CpuRunner.h"
#include "pagoda/Runtime/Engine/Engine.h"
#include "pagoda/Tools/Compiler.h"

#include <memory>
#include <string>
#include <vector>

namespace pagoda::test {

/// Logits [tokens, vocabulary] of one prompt, and what was generated.
struct RunResult {
  std::vector<float> logits;
  std::vector<int32_t> tokens;
};

struct RunOptions {
  unsigned threads = 2;
  /// Tokens of a step; 0: all at once.
  int32_t chunk = 0;
  std::string target = {};
  bool matrixUnit = true;
  int32_t newTokens = 0;
  /// Blocks of the cache; 0: plenty. Few make the engine preempt.
  int64_t cacheTokens = 0;
};

class CompiledModel {
public:
  /// Kernels are kept under `kernelCache`, so that models with equal kernels
  /// share them.
  static StatusOr<CompiledModel> compile(CompileOptions options);
  CompiledModel(CompiledModel &&) = default;
  CompiledModel &operator=(CompiledModel &&) = default;
  ~CompiledModel();

  const Artifact &artifact() const { return *opened; }
  const std::string &path() const { return file; }

  /// Runs all prompts at once; every run has its prompt's logits.
  StatusOr<std::vector<RunResult>>
  run(const std::vector<std::vector<int32_t>> &prompts,
      const RunOptions &options) const;

private:
  CompiledModel() = default;
  std::string file;
  std::shared_ptr<Artifact> opened;
};

} // namespace pagoda::test

#endif // PAGODA_TEST_E2E_COMPILEDMODEL_H
