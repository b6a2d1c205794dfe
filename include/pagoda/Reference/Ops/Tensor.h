//===- Tensor.h - What the reference computes with --------------*- C++ -*-===//
//
// A tensor as plain arrays: float64 numbers, or the parts of a quantised
// tensor, each kept exactly as it stands in memory. For the reference ops, the
// interpreter and the conformance tests of kernels; nothing here is fast.
//
//   Tensor x = Tensor::ofNumbers({2, 3}, {1, 2, 3, 4, 5, 6});
//   x.value(4); // 5
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_OPS_TENSOR_H
#define PAGODA_REFERENCE_OPS_TENSOR_H

#include "pagoda/Base/DType.h"

#include <cstdint>
#include <vector>

namespace pagoda::reference {

using Shape = std::vector<int64_t>;

inline int64_t elementCount(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

struct Tensor {
  /// What storage would hold. It rounds nothing: numbers of an f32 tensor are
  /// float64 all the same, until an op rounds them.
  ElementType type = DType::F32;
  Shape shape;

  /// Scalars, row-major. Integers too, which are exact up to 2^53.
  std::vector<double> numbers;

  /// Quantised elements instead: a code for each, a scale (and a minimum, if
  /// the format stores one) for each group along the last axis. Where scales
  /// are integers under a super scale these are the integers, and the last two
  /// hold one number for each 256 elements.
  std::vector<int16_t> codes;
  std::vector<double> scales, minimums;
  std::vector<double> superScales, superMinimums;

  /// A tensor of f32 (or another scalar type) from its numbers.
  static Tensor ofNumbers(Shape shape, std::vector<double> numbers,
                          DType type = DType::F32);
  /// All zero; quantised ones too.
  static Tensor zeros(ElementType type, Shape shape);

  int64_t elements() const { return elementCount(shape); }
  /// The last extent; 1 for a scalar.
  int64_t rowElements() const { return shape.empty() ? 1 : shape.back(); }
  int64_t rows() const {
    return rowElements() ? elements() / rowElements() : 0;
  }

  /// Scale of a group, with the super scale multiplied in: exact.
  double scaleOf(int64_t group) const;
  /// What is added to scale * (code - middle): 0 where nothing is stored.
  double minimumOf(int64_t group) const;
  /// The number that an element stands for. Exact: a code of at most 8 bits
  /// times a scale of at most 24 bits, plus a minimum, where float64 has 53.
  double value(int64_t element) const;
  /// All of them.
  std::vector<double> values() const;
};

/// 2^(bits-1) where codes lie around the middle, else 0.
inline int middleCode(const QuantFormat &format) {
  return format.zero == ZeroKind::Middle ? 1 << (format.bits - 1) : 0;
}

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_OPS_TENSOR_H
