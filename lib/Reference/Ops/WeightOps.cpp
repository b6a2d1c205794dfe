#include "pagoda/Reference/Ops/WeightOps.h"

#include "pagoda/Base/Random.h"
#include "pagoda/Reference/Ops/Rounding.h"

#include <cassert>
#include <cmath>

namespace pagoda::reference {

namespace {

/// The shape of an array of which one entry stands for `elements`.
Shape shapeOfArray(Shape shape, int64_t elements) {
  if (!shape.empty())
    shape.back() /= elements;
  return shape;
}

/// Calls `move(from, to, elements)` for the arrays of two tensors side by
/// side; one entry of them stands for `elements` of the last axis.
template <typename Move>
void forEachArrayOf(const Tensor &from, Tensor &to, Move move) {
  move(from.numbers, to.numbers, 1);
  move(from.codes, to.codes, 1);
  int64_t group = from.type.isQuantised() ? from.type.format().group : 1;
  move(from.scales, to.scales, group);
  move(from.minimums, to.minimums, group);
  move(from.superScales, to.superScales, 256);
  move(from.superMinimums, to.superMinimums, 256);
}

/// Splits a shape at an axis: what lies before it, its extent, what lies after.
struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;
  AxisView(const Shape &shape, size_t axis) {
    for (size_t i = 0; i < shape.size(); ++i)
      (i < axis ? outer : i == axis ? extent : inner) *= shape[i];
  }
};

} // namespace

Tensor slice(const Tensor &input, size_t axis, int64_t offset, int64_t size) {
  Shape shape = input.shape;
  shape[axis] = size;
  Tensor result = Tensor::zeros(input.type, shape);
  bool isLast = axis + 1 == shape.size();
  forEachArrayOf(
      input, result, [&](const auto &from, auto &to, int64_t elements) {
        if (from.empty())
          return;
        AxisView source(shapeOfArray(input.shape, elements), axis);
        int64_t unit = isLast ? elements : 1;
        int64_t first = offset / unit, count = size / unit;
        size_t next = 0;
        for (int64_t o = 0; o < source.outer; ++o)
          for (int64_t i = first; i < first + count; ++i)
            for (int64_t j = 0; j < source.inner; ++j)
              to[next++] = from[(o * source.extent + i) * source.inner + j];
      });
  return result;
}

Tensor concat(std::span<const Tensor> inputs, size_t axis) {
  Shape shape = inputs[0].shape;
  for (const Tensor &input : inputs.subspan(1))
    shape[axis] += input.shape[axis];
  Tensor result = Tensor::zeros(inputs[0].type, shape);
  int64_t offset = 0;
  for (const Tensor &input : inputs) {
    bool isLast = axis + 1 == shape.size();
    forEachArrayOf(
        input, result, [&](const auto &from, auto &to, int64_t elements) {
          if (from.empty())
            return;
          AxisView source(shapeOfArray(input.shape, elements), axis);
          AxisView target(shapeOfArray(shape, elements), axis);
          int64_t first = offset / (isLast ? elements : 1);
          size_t next = 0;
          for (int64_t o = 0; o < source.outer; ++o)
            for (int64_t i = 0; i < source.extent; ++i)
              for (int64_t j = 0; j < source.inner; ++j)
                to[(o * target.extent + first + i) * target.inner + j] =
                    from[next++];
        });
    offset += input.shape[axis];
  }
  return result;
}

Tensor transpose(const Tensor &input, std::span<const int64_t> permutation) {
  size_t rank = permutation.size();
  Shape shape(rank);
  for (size_t i = 0; i < rank; ++i)
    shape[i] = input.shape[permutation[i]];
  Tensor result = Tensor::zeros(input.type, shape);
  forEachArrayOf(input, result,
                 [&](const auto &from, auto &to, int64_t elements) {
                   Shape source = shapeOfArray(input.shape, elements);
                   Shape target = shapeOfArray(shape, elements);
                   Shape strides(rank, 1);
                   for (size_t i = rank; i-- > 1;)
                     strides[i - 1] = strides[i] * source[i];
                   Shape index(rank);
                   for (auto &entry : to) {
                     int64_t place = 0;
                     for (size_t i = 0; i < rank; ++i)
                       place += index[i] * strides[permutation[i]];
                     entry = from[place];
                     for (size_t i = rank; i-- > 0 && ++index[i] == target[i];)
                       index[i] = 0;
                   }
                 });
  return result;
}

Tensor reshape(Tensor input, Shape shape) {
  assert(elementCount(shape) == input.elements());
  input.shape = std::move(shape);
  return input;
}

Tensor ropeTable(int64_t first, int64_t count,
                 std::span<const float> frequencies, float magnitude) {
  int64_t pairs = static_cast<int64_t>(frequencies.size());
  Tensor result = Tensor::zeros(DType::F32, {count, pairs, 2});
  for (int64_t p = 0; p < count; ++p)
    for (int64_t i = 0; i < pairs; ++i) {
      double product = static_cast<double>(first + p) * frequencies[i];
      double angle = roundTo(DType::F32, product);
      double *pair = result.numbers.data() + (p * pairs + i) * 2;
      pair[0] = std::cos(angle) * magnitude;
      pair[1] = std::sin(angle) * magnitude;
    }
  return result;
}

Tensor randomTensor(Shape shape, uint64_t seed, std::string_view name,
                    double deviation, int64_t first) {
  Tensor result = Tensor::zeros(DType::F32, std::move(shape));
  uint64_t stream = randomStream(seed, name);
  for (size_t i = 0; i < result.numbers.size(); ++i)
    result.numbers[i] = roundTo(
        DType::F32,
        deviation * randomNormal(stream, static_cast<uint64_t>(first) + i));
  return result;
}

} // namespace pagoda::reference
