//===- CompiledKernels.h - Kernels of a test, ready to call -----*- C++ -*-===//
//
// Compiles exec.kernels, given as IR, with Clang for every CPU target that runs
// here, a few units for all of them, and maps the images. Finished images are
// kept in $XDG_CACHE_HOME by their content, for the next run and for the other
// shards of this one.
//
//   CompiledKernels kernels({R"(exec.kernel @norm family "rms_norm" … )"});
//   for (const std::string &target : kernels.targets()) {
//     CompiledKernel kernel = kernels.find("norm", target);
//     kernel.tiles(&launch);
//   }
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_COMPILEDKERNELS_H
#define PAGODA_TEST_KERNELS_COMPILEDKERNELS_H

#include "core/abi.h"
#include "pagoda/Codegen/ImageBuilder.h"
#include "pagoda/Dialect/Exec/ExecOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>

namespace pagoda::test {

struct CompiledKernel {
  PagodaTiles *tiles;
  PagodaRun *run;
  unsigned scratchBytes;
  const KernelUnit *unit;
  exec::KernelOp op; // null for units written by hand
};

class CompiledKernels {
public:
  /// Ends the process, with the compiler's words, if a kernel does not parse or
  /// compile: there is nothing to test then. Units `written` by hand follow the
  /// kernels.
  explicit CompiledKernels(const std::vector<std::string> &kernels,
                           std::vector<KernelUnit> written = {});
  ~CompiledKernels();
  CompiledKernels(const CompiledKernels &) = delete;
  CompiledKernels &operator=(const CompiledKernels &) = delete;

  /// Those that run here, least able first; none on machines without AVX2.
  const std::vector<std::string> &targets() const { return names; }
  CompiledKernel find(const std::string &kernel,
                      const std::string &target) const;
  exec::KernelOp op(const std::string &kernel) const;
  const KernelImage &image(const std::string &target) const;
  const std::vector<KernelUnit> &units() const { return allUnits; }

private:
  struct Mapped {
    KernelImage image;
    std::byte *code;
  };

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<KernelUnit> allUnits;
  std::map<std::string, unsigned> numbers;
  std::vector<std::string> names;
  std::map<std::string, Mapped> images;
};

/// Where compiled kernels are kept; empty: nowhere.
std::string kernelCacheFolder();

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_COMPILEDKERNELS_H
