//===- Serializer.h - From exec IR to an artifact ---------------*- C++ -*-===//
//
// Writes a module of exec entries, kernels and weight definitions as a `.pgd`
// file: prints and compiles kernels, evaluates weights streaming, on all
// cores, and stores the program. The last step of a compile.
//
//   SerializeOptions options;
//   options.output = "model.pgd";
//   options.targets = {"x86-64-v3", "avx512-vnni"};
//   PAGODA_RETURN_IF_ERROR(serialize(module, options));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_CODEGEN_SERIALIZER_H
#define PAGODA_CODEGEN_SERIALIZER_H

#include "pagoda/Base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pagoda {

struct SerializeOptions {
  std::string output;
  /// CPU targets, least able first; the runtime takes the last that runs.
  std::vector<std::string> targets;
  /// Where relative paths of sources start.
  std::string sourceFolder;
  /// Flat tables of the tokenizer; empty: the model has none.
  std::vector<std::byte> tokenizer;
  /// Where compiled kernels are kept; empty: nowhere.
  std::string kernelCache;
  /// Where sources and an ELF file of the kernels are kept for debuggers.
  std::string keepKernels;
  /// Called with a phase ("kernels", "weights") and how much of it is done.
  std::function<void(const char *phase, double fraction)> progress;
};

Status serialize(mlir::ModuleOp module, const SerializeOptions &options);

} // namespace pagoda

#endif // PAGODA_CODEGEN_SERIALIZER_H
