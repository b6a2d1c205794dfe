//===- Compiler.h - From a model to an artifact -----------------*- C++ -*-===//
//
// The whole of `pagoda compile`: import, passes, verification, serialisation.
// For the compiler library, which is what the CLI opens, and for tests.
//
//   CompileOptions options;
//   options.model = "model.gguf";
//   options.output = "model.pgd";
//   PAGODA_RETURN_IF_ERROR(compileModel(options));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TOOLS_COMPILER_H
#define PAGODA_TOOLS_COMPILER_H

#include "pagoda/Base/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pagoda {

struct CompileOptions {
  /// A Hugging Face folder, a .gguf or an .mlir file.
  std::string model;
  /// Empty: everything but the artifact is done.
  std::string output;
  /// "fast": activations in 8 bits in front of quantised weights, keys and
  /// values in f16. "exact": float32 throughout.
  std::string precision = "fast";
  /// Storage of keys and values, "f32" or "f16"; empty: by the precision.
  std::string kvDtype;
  std::optional<int64_t> contextLength;
  /// CPU targets; empty: all that there are.
  std::vector<std::string> targets;
  /// Numbered files of IR go here, one a pass that changed something.
  std::string dumpFolder;
  /// Execute the IR before and after every pass, and the compiled program.
  bool verifyPasses = false;
  /// Shared libraries of further passes (upstream's pass plugins).
  std::vector<std::string> passPlugins;
  /// "PASS:OTHER": run OTHER right after PASS.
  std::vector<std::string> insertAfter;
  /// Print remarks of passes.
  bool remarks = false;
  /// Empty: kernels are not kept.
  std::string kernelCache;
  /// Keep sources and ELF files of kernels here.
  std::string keepKernels;
  /// Progress by phase, 0 to 1.
  std::function<void(const char *phase, double fraction)> progress;
  /// Lines for the person at the terminal (remarks, the verification's log).
  std::function<void(const std::string &line)> log;
};

Status compileModel(const CompileOptions &options);

} // namespace pagoda

#endif // PAGODA_TOOLS_COMPILER_H
