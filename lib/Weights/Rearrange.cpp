// Slices, joins, transposes and reshapes of weights. All of them that keep the
// last axis in place map rows to rows; a transpose that moves it gathers
// elements from the whole input, which is then held in memory once.

#include "pagoda/Weights/Expression.h"

#include <cstring>
#include <mutex>

namespace pagoda {

namespace {

/// Row-major strides of the leading axes, counted in rows.
std::vector<uint64_t> rowStrides(const WeightShape &shape) {
  std::vector<uint64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size() - 1; axis-- > 0;)
    strides[axis] = axis + 2 == shape.size()
                        ? 1
                        : strides[axis + 1] * uint64_t(shape[axis + 1]);
  return strides;
}

class ReshapedWeight final : public WeightExpression {
public:
  ReshapedWeight(Weight input, WeightShape shape)
      : WeightExpression(std::move(shape), input->type()),
        input(std::move(input)) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    uint64_t inputBytes = input->rowBytes();
    if (inputBytes == rowBytes())
      return input->readRows(first, count, out);
    // Rows of another length: read the input's rows that cover the range.
    uint64_t begin = first * rowBytes(), end = (first + count) * rowBytes();
    uint64_t firstInput = begin / inputBytes;
    uint64_t lastInput = (end + inputBytes - 1) / inputBytes;
    std::vector<std::byte> rows((lastInput - firstInput) * inputBytes);
    PAGODA_RETURN_IF_ERROR(
        input->readRows(firstInput, lastInput - firstInput, rows.data()));
    std::memcpy(out, rows.data() + (begin - firstInput * inputBytes),
                end - begin);
    return {};
  }

private:
  Weight input;
};

class SlicedWeight final : public WeightExpression {
public:
  SlicedWeight(Weight input, WeightShape shape, size_t axis, uint64_t offset)
      : WeightExpression(std::move(shape), input->type()),
        input(std::move(input)), axis(axis), offset(offset) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    if (axis + 1 == shape().size())
      return readColumns(first, count, out);
    // Rows run in blocks that the axis repeats: `inner` rows for each index.
    uint64_t inner = 1;
    for (size_t i = axis + 1; i + 1 < shape().size(); ++i)
      inner *= static_cast<uint64_t>(shape()[i]);
    uint64_t size = static_cast<uint64_t>(shape()[axis]) * inner;
    uint64_t inputSize = static_cast<uint64_t>(input->shape()[axis]) * inner;
    while (count > 0) {
      uint64_t outer = first / size, within = first % size;
      uint64_t some = std::min(count, size - within);
      PAGODA_RETURN_IF_ERROR(input->readRows(
          outer * inputSize + offset * inner + within, some, out));
      first += some;
      count -= some;
      out += some * rowBytes();
    }
    return {};
  }

private:
  Status readColumns(uint64_t first, uint64_t count, std::byte *out) const {
    std::vector<std::byte> row(input->rowBytes());
    uint64_t skip = type().rowBytes(offset);
    for (uint64_t i = 0; i < count; ++i) {
      PAGODA_RETURN_IF_ERROR(input->readRows(first + i, 1, row.data()));
      std::memcpy(out + i * rowBytes(), row.data() + skip, rowBytes());
    }
    return {};
  }

  Weight input;
  size_t axis;
  uint64_t offset;
};

class JoinedWeight final : public WeightExpression {
public:
  JoinedWeight(std::vector<Weight> inputs, WeightShape shape, size_t axis)
      : WeightExpression(std::move(shape), inputs.front()->type()),
        inputs(std::move(inputs)), axis(axis) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    if (axis + 1 == shape().size()) {
      for (uint64_t i = 0; i < count; ++i)
        for (const Weight &input : inputs) {
          PAGODA_RETURN_IF_ERROR(input->readRows(first + i, 1, out));
          out += input->rowBytes();
        }
      return {};
    }
    uint64_t inner = 1;
    for (size_t i = axis + 1; i + 1 < shape().size(); ++i)
      inner *= static_cast<uint64_t>(shape()[i]);
    uint64_t size = static_cast<uint64_t>(shape()[axis]) * inner;
    while (count > 0) {
      uint64_t outer = first / size, within = first % size;
      for (const Weight &input : inputs) {
        uint64_t rows = static_cast<uint64_t>(input->shape()[axis]) * inner;
        if (within >= rows) {
          within -= rows;
          continue;
        }
        uint64_t some = std::min(count, rows - within);
        PAGODA_RETURN_IF_ERROR(
            input->readRows(outer * rows + within, some, out));
        first += some;
        count -= some;
        out += some * rowBytes();
        break;
      }
    }
    return {};
  }

private:
  std::vector<Weight> inputs;
  size_t axis;
};

/// A transpose that keeps the last axis: rows change places.
class RowTransposedWeight final : public WeightExpression {
public:
  RowTransposedWeight(Weight input, WeightShape shape,
                      std::vector<int64_t> permutation)
      : WeightExpression(std::move(shape), input->type()),
        input(std::move(input)), permutation(std::move(permutation)) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    std::vector<uint64_t> strides = rowStrides(input->shape());
    for (uint64_t row = first; row < first + count; ++row) {
      uint64_t rest = row, source = 0;
      for (size_t axis = shape().size() - 1; axis-- > 0;) {
        uint64_t extent = static_cast<uint64_t>(shape()[axis]);
        source +=
            rest % extent * strides[static_cast<size_t>(permutation[axis])];
        rest /= extent;
      }
      PAGODA_RETURN_IF_ERROR(input->readRows(source, 1, out));
      out += rowBytes();
    }
    return {};
  }

private:
  Weight input;
  std::vector<int64_t> permutation;
};

/// A transpose that moves the last axis, of scalars.
class TransposedWeight final : public WeightExpression {
public:
  TransposedWeight(Weight input, WeightShape shape,
                   std::vector<int64_t> permutation)
      : WeightExpression(std::move(shape), input->type()),
        input(std::move(input)), permutation(std::move(permutation)) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    std::call_once(loaded, [&] {
      data.resize(input->rows() * input->rowBytes());
      status = input->readRows(0, input->rows(), data.data());
    });
    PAGODA_RETURN_IF_ERROR(Status(status));
    size_t rank = shape().size();
    std::vector<uint64_t> strides(rank, 1); // of the input, in elements
    for (size_t axis = rank - 1; axis-- > 0;)
      strides[axis] = strides[axis + 1] * uint64_t(input->shape()[axis + 1]);
    size_t bytes = type().blockBytes();
    uint64_t columns = static_cast<uint64_t>(rowElements());
    uint64_t step = strides[static_cast<size_t>(permutation.back())];
    for (uint64_t row = first; row < first + count; ++row) {
      uint64_t rest = row, source = 0;
      for (size_t axis = rank - 1; axis-- > 0;) {
        uint64_t extent = static_cast<uint64_t>(shape()[axis]);
        source +=
            rest % extent * strides[static_cast<size_t>(permutation[axis])];
        rest /= extent;
      }
      for (uint64_t column = 0; column < columns; ++column, out += bytes)
        std::memcpy(out, data.data() + (source + column * step) * bytes, bytes);
    }
    return {};
  }

private:
  Weight input;
  std::vector<int64_t> permutation;
  mutable std::once_flag loaded;
  mutable std::vector<std::byte> data;
  mutable Status status;
};

uint64_t elementsOf(const WeightShape &shape) {
  uint64_t elements = 1;
  for (int64_t extent : shape)
    elements *= static_cast<uint64_t>(extent);
  return elements;
}

Status checkAxis(const Weight &input, int64_t axis) {
  if (axis < 0 || axis >= static_cast<int64_t>(input->shape().size()))
    return invalidArgument("axis ", axis, " of a weight of rank ",
                           input->shape().size());
  return {};
}

} // namespace

StatusOr<Weight> sliceWeight(Weight input, int64_t axis, int64_t offset,
                             int64_t size) {
  PAGODA_RETURN_IF_ERROR(checkAxis(input, axis));
  WeightShape shape = input->shape();
  int64_t extent = shape[static_cast<size_t>(axis)];
  int64_t unit = axis + 1 == static_cast<int64_t>(shape.size())
                     ? input->type().blockElements()
                     : 1;
  if (offset < 0 || size < 0 || size > extent || offset > extent - size ||
      offset % unit || size % unit)
    return invalidArgument("cannot take ", size, " elements from ", offset,
                           " on of an axis of ", extent);
  shape[static_cast<size_t>(axis)] = size;
  return Weight(std::make_shared<SlicedWeight>(
      std::move(input), std::move(shape), static_cast<size_t>(axis),
      static_cast<uint64_t>(offset)));
}

StatusOr<Weight> concatWeights(std::vector<Weight> inputs, int64_t axis) {
  if (inputs.empty())
    return invalidArgument("there is nothing to join");
  PAGODA_RETURN_IF_ERROR(checkAxis(inputs.front(), axis));
  WeightShape shape = inputs.front()->shape();
  int64_t total = 0;
  for (const Weight &input : inputs) {
    WeightShape other = input->shape();
    if (other.size() == shape.size()) {
      total += other[static_cast<size_t>(axis)];
      other[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)];
    }
    if (other != shape || !(input->type() == inputs.front()->type()))
      return invalidArgument("weights of different shapes or types are joined");
  }
  shape[static_cast<size_t>(axis)] = total;
  return Weight(std::make_shared<JoinedWeight>(
      std::move(inputs), std::move(shape), static_cast<size_t>(axis)));
}

StatusOr<Weight> transposeWeight(Weight input,
                                 std::vector<int64_t> permutation) {
  size_t rank = input->shape().size();
  std::vector<bool> seen(rank, false);
  WeightShape shape;
  for (int64_t axis : permutation) {
    if (axis < 0 || axis >= static_cast<int64_t>(rank) ||
        seen[static_cast<size_t>(axis)])
      return invalidArgument("not a permutation of ", rank, " axes");
    seen[static_cast<size_t>(axis)] = true;
    shape.push_back(input->shape()[static_cast<size_t>(axis)]);
  }
  if (permutation.size() != rank)
    return invalidArgument("not a permutation of ", rank, " axes");
  if (rank == 0 || permutation.back() + 1 == static_cast<int64_t>(rank))
    return Weight(std::make_shared<RowTransposedWeight>(
        std::move(input), std::move(shape), std::move(permutation)));
  if (input->type().isQuantised())
    return invalidArgument(
        "the last axis of a quantised weight must stay last");
  return Weight(std::make_shared<TransposedWeight>(
      std::move(input), std::move(shape), std::move(permutation)));
}

StatusOr<Weight> reshapeWeight(Weight input, WeightShape shape) {
  if (elementsOf(shape) != elementsOf(input->shape()))
    return invalidArgument("a weight of ", elementsOf(input->shape()),
                           " elements cannot have ", elementsOf(shape));
  if (input->type().isQuantised() &&
      (shape.empty() || shape.back() != input->rowElements()))
    return invalidArgument("the last extent of a quantised weight must stay");
  return Weight(
      std::make_shared<ReshapedWeight>(std::move(input), std::move(shape)));
}

} // namespace pagoda
