//===- WeightOps.h - Weights rearranged and made up -------------*- C++ -*-===//
//
// The ops of LLMWeightOps.td that move elements without changing them, and the
// tensors that come from no file. Written for reading: lib/Weights is the fast
// form, and a test compares the two bit for bit.
//
//   Tensor value = slice(qkv, /*axis=*/0, /*offset=*/768, /*size=*/192);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_OPS_WEIGHTOPS_H
#define PAGODA_REFERENCE_OPS_WEIGHTOPS_H

#include "pagoda/Reference/Ops/Tensor.h"

#include <span>
#include <string_view>

namespace pagoda::reference {

/// [offset, offset + size) of an axis. Along the last axis of a quantised
/// tensor both are multiples of the block.
Tensor slice(const Tensor &input, size_t axis, int64_t offset, int64_t size);
Tensor concat(std::span<const Tensor> inputs, size_t axis);
/// Axis i of the result is axis permutation[i] of the operand. The last axis
/// of a quantised tensor stays where it is.
Tensor transpose(const Tensor &input, std::span<const int64_t> permutation);
Tensor reshape(Tensor input, Shape shape);

/// Rows [first, first + count) of a table of rotations: element [p, i, 0] is
/// the cosine and [p, i, 1] the sine of an angle, times the magnitude. The
/// angle is float32(p * frequencies[i]); nothing else is rounded.
Tensor ropeTable(int64_t first, int64_t count,
                 std::span<const float> frequencies, float magnitude);

/// Elements [first, first + elements of shape) of the random tensor that a
/// seed, a name and a deviation define, each rounded to float32.
Tensor randomTensor(Shape shape, uint64_t seed, std::string_view name,
                    double deviation, int64_t first);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_OPS_WEIGHTOPS_H
