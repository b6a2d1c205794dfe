//===- Expression.h - Weight expressions, evaluated row by row --*- C++ -*-===//
//
// What llm.define holds, as plain C++: a tensor that is computed on demand,
// any range of rows at a time, so that a model streams through memory. For the
// artifact writer. A row is the last axis; rows are counted over all leading
// axes in row-major order, and hold the element type's blocks. Expressions are
// immutable, shared, and safe to read from many threads.
//
//   PAGODA_ASSIGN_OR_RETURN(Weight w, sourceWeight({576, 576}, type, bytes));
//   PAGODA_ASSIGN_OR_RETURN(Weight half, sliceWeight(w, 0, 0, 288));
//   std::vector<std::byte> row(half->rowBytes());
//   PAGODA_RETURN_IF_ERROR(half->readRows(7, 1, row.data()));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_WEIGHTS_EXPRESSION_H
#define PAGODA_WEIGHTS_EXPRESSION_H

#include "pagoda/Base/DType.h"
#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace pagoda {

using WeightShape = std::vector<int64_t>;

class WeightExpression {
public:
  virtual ~WeightExpression() = default;

  const WeightShape &shape() const { return extents; }
  const ElementType &type() const { return element; }
  int64_t rowElements() const { return extents.empty() ? 1 : extents.back(); }
  uint64_t rowBytes() const {
    return element.rowBytes(static_cast<uint64_t>(rowElements()));
  }
  uint64_t rows() const;

  /// Writes rows [first, first + count) to `out`, count * rowBytes() bytes.
  virtual Status readRows(uint64_t first, uint64_t count,
                          std::byte *out) const = 0;

protected:
  WeightExpression(WeightShape shape, ElementType type)
      : extents(std::move(shape)), element(type) {}

private:
  WeightShape extents;
  ElementType element;
};

using Weight = std::shared_ptr<const WeightExpression>;

/// Row-major bytes that outlive the expression. InvalidArgument if they are
/// not as many as shape and type need.
StatusOr<Weight> sourceWeight(WeightShape shape, ElementType type,
                              std::span<const std::byte> bytes);
/// Normal numbers of one deviation; of type f32.
Weight randomWeight(WeightShape shape, uint64_t seed, std::string_view name,
                    double deviation);
/// Numbers that stand in the program itself; as many as the shape needs.
Weight constantWeight(WeightShape shape, std::vector<float> numbers);
/// cos and sin of float(position) * frequency, times the magnitude:
/// [positions, frequencies, 2] of f32.
Weight ropeTableWeight(int64_t positions, std::vector<float> frequencies,
                       float magnitude);

/// The four below move elements without changing them. The verifiers of the
/// ops of the same names state what they ask of their operands.
StatusOr<Weight> sliceWeight(Weight input, int64_t axis, int64_t offset,
                             int64_t size);
StatusOr<Weight> concatWeights(std::vector<Weight> inputs, int64_t axis);
StatusOr<Weight> transposeWeight(Weight input,
                                 std::vector<int64_t> permutation);
StatusOr<Weight> reshapeWeight(Weight input, WeightShape shape);

/// Parts of a quantised weight, and back (see llm.weight.codes and others).
StatusOr<Weight> codesOfWeight(Weight input);
StatusOr<Weight> scalesOfWeight(Weight input);
StatusOr<Weight> zerosOfWeight(Weight input);
StatusOr<Weight> composeWeight(QuantFormat format, Weight codes, Weight scales,
                               Weight zeros);
/// The numbers of a quantised weight, each rounded once to f32.
StatusOr<Weight> dequantizeWeight(Weight input);

/// f16 or bf16 as f32, exactly.
StatusOr<Weight> widenWeight(Weight input);

enum class WeightArithmetic { Add, Subtract, Multiply, Divide };
/// Elementwise on two f32 weights of one shape, in float32.
StatusOr<Weight> combineWeights(WeightArithmetic operation, Weight left,
                                Weight right);

} // namespace pagoda

#endif // PAGODA_WEIGHTS_EXPRESSION_H
