//===- KernelLaunch.h - Calls a kernel as the executor does -----*- C++ -*-===//
//
// Runs a compiled kernel over rows of its inputs, through the interface of
// core/abi.h, in guarded memory: whole, or tile by tile from the last to the
// first. For kernels without caches.
//
//   Outputs whole = launch(kernel, inputs, {0, rows}, Tiles::AtOnce);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_KERNELLAUNCH_H
#define PAGODA_TEST_KERNELS_KERNELLAUNCH_H

#include "CompiledKernels.h"
#include "KernelInputs.h"

namespace pagoda::test {

enum class Tiles {
  AtOnce,
  /// Each by itself, the last one first, as if every one had a thread.
  Apart,
  /// In two runs, cut at an odd place.
  InTwo,
};

struct Rows {
  int64_t first;
  int64_t last;
};

/// Bytes by output. Fails the running test if a kernel wrote where it should
/// not have.
using Outputs = std::vector<std::vector<std::byte>>;

Outputs launch(const CompiledKernel &kernel, const KernelInputs &inputs,
               Rows rows, Tiles tiles);

/// Calls the kernel's functions for all tiles, in the given order.
void runTiles(const CompiledKernel &kernel, const PagodaLaunch &launch,
              Tiles tiles);

/// Rows [first, last) of outputs that have `rows` rows.
Outputs cut(const Outputs &outputs, int64_t rows, Rows wanted);

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_KERNELLAUNCH_H
