//===- AffineSize.h - Sizes as functions of named dims ----------*- C++ -*-===//
//
// bytes = constant + sum over dims of factor * dim. For the exec dialect's
// sizes and the memory planner.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_EXEC_AFFINESIZE_H
#define PAGODA_DIALECT_EXEC_AFFINESIZE_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace pagoda::exec {

struct AffineSize {
  int64_t constant = 0;
  /// Bytes for each unit of a named dim; sorted, so that printing is stable.
  std::map<std::string, int64_t> factors;

  bool operator==(const AffineSize &) const = default;

  /// Makes this at least `other` for all non-negative values of the dims.
  void growTo(const AffineSize &other) {
    constant = std::max(constant, other.constant);
    for (const auto &[dim, factor] : other.factors)
      factors[dim] = std::max(factors[dim], factor);
  }
};

} // namespace pagoda::exec

#endif // PAGODA_DIALECT_EXEC_AFFINESIZE_H
