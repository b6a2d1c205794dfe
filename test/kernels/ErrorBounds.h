//===- ErrorBounds.h - How far a kernel may be from the truth ---*- C++ -*-===//
//
// Runs the ops of a contract in float64 and says for each number how far a
// kernel that computes in float32, in the order that its template states, may
// be from it. Bounds follow from the format and the number of terms, by the
// rules of Higham (Accuracy and Stability of Numerical Algorithms, 2002): n
// roundings one after the other change a sum of terms a_i by at most
// gamma(n) * sum |a_i|, with gamma(n) = n u / (1 - n u) and u = 2^-24.
//
//   std::vector<Bounded> expected = evaluate(kernel, inputs);
//   EXPECT_EQ(compare(expected[0], memory), "");
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_ERRORBOUNDS_H
#define PAGODA_TEST_KERNELS_ERRORBOUNDS_H

#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagoda::test {

/// Half the distance of 1 and the next float.
inline constexpr double kUnit = 0x1p-24;
/// What one rounding of a subnormal number may change; also what a product
/// that underflows leaves behind.
inline constexpr double kTiny = 0x1p-149;

/// How much n roundings, one after the other, may change a number by.
inline double gammaOf(double n) { return n * kUnit / (1 - n * kUnit); }

struct Bounded {
  reference::Tensor value;
  /// For each element; empty: the numbers are exact.
  std::vector<double> error;
  /// The numbers are then rounded to this format, by whatever they come out as.
  std::optional<QuantFormat> rounded;

  double errorOf(size_t element) const {
    return error.empty() ? 0 : error[element];
  }
};

/// What a contract yields, given the values of its block arguments; or other
/// values of it. Ends the process for ops without a rule.
std::vector<Bounded> evaluate(exec::KernelOp kernel,
                              const std::vector<reference::Tensor> &inputs);
std::vector<Bounded> evaluate(exec::KernelOp kernel,
                              const std::vector<reference::Tensor> &inputs,
                              llvm::ArrayRef<mlir::Value> wanted);

/// Of an f32 output, or of rows in 8 bits (docs/packing.md): "" or the worst
/// element that is not within its bound.
std::string compare(const Bounded &expected, std::span<const std::byte> found);

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_ERRORBOUNDS_H
