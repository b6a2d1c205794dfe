//===- PointwiseBounds.h - Elementwise ops and their errors -----*- C++ -*-===//
//
// The truth and the accuracy of every row of kernels/pointwise.def. For the
// machine's operations that is one rounding; for functions it is what
// kernels/templates/core/math.h states, to which MathTest.cpp holds them.
//
//   const PointwiseRule &rule = *findPointwiseRule("math.exp");
//   rule.value({1.0, 0, 0}); // 2.718281828459045
//   rule.units({1.0, 0, 0}); // 1.5
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_POINTWISEBOUNDS_H
#define PAGODA_TEST_KERNELS_POINTWISEBOUNDS_H

#include <array>
#include <string_view>

namespace pagoda::test {

struct PointwiseRule {
  using Operands = std::array<double, 3>;

  /// The key in pointwise.def.
  std::string_view op;
  unsigned operands;
  double (*value)(const Operands &);
  /// In u = 2^-24, relative to the result; of float32 operands.
  double (*units)(const Operands &);
  /// What may come out as 0, or be off by, in any case: times the operands that
  /// are larger than 1.
  double slack = 0x1p-149;
};

/// Null where there is none, which a test forbids for rows of pointwise.def.
const PointwiseRule *findPointwiseRule(std::string_view op);

/// The functions of math.h in float64, without cancellation, and their stated
/// errors in u.
namespace exact {
double silu(double x);
double gelu(double x);
double geluTanh(double x);
} // namespace exact
namespace stated {
double exp(double x);
double tanh(double x);
double erfc(double x);
double silu(double x);
double gelu(double x);
double geluTanh(double x);
} // namespace stated

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_POINTWISEBOUNDS_H
