//===- Pointwise.h - The rows of pointwise.def ------------------*- C++ -*-===//
//
// Which elementwise ops kernels can compute, and the C++ for each.
//
//   findPointwise("arith.addf"); // "$0 + $1"
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_KERNELS_POINTWISE_H
#define PAGODA_KERNELS_POINTWISE_H

#include <optional>
#include <string_view>

namespace pagoda {

/// The expression for an op, by its name; for ops with a kind, such as
/// llm.gated, the kind follows after a space. Nothing where there is no code.
std::optional<std::string_view> findPointwise(std::string_view op);

} // namespace pagoda

#endif // PAGODA_KERNELS_POINTWISE_H
