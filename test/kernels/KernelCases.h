//===- KernelCases.h - Which kernels are tested -----------------*- C++ -*-===//
//
// A grid of kernels for every row of kernels.def: formats, shapes with tails,
// and everything that a group of the family may hold. A new row needs a
// function `<family>Cases` here, or this does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_KERNELCASES_H
#define PAGODA_TEST_KERNELS_KERNELCASES_H

#include <string>
#include <vector>

namespace pagoda::test {

struct KernelCase {
  std::string family;
  /// Of the kernel, as its IR has it, and of the test.
  std::string name;
  std::string ir;
};

#define KERNEL_FAMILY(name, ...) std::vector<KernelCase> name##Cases();
#include "kernels/kernels.def"

/// Families whose kernels have no cache: every row depends on its own inputs.
const std::vector<KernelCase> &tokenwiseCases();
/// All families, in the order of kernels.def.
const std::vector<KernelCase> &allCases();

/// For messages of GoogleTest.
void PrintTo(const KernelCase &kernelCase, std::ostream *stream);

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_KERNELCASES_H
