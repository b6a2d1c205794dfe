#include "pagoda/Reference/Ops/Tensor.h"

#include <cassert>

namespace pagoda::reference {

namespace {
/// Elements under one super scale.
constexpr int64_t kSuper = 256;
} // namespace

Tensor Tensor::ofNumbers(Shape shape, std::vector<double> numbers, DType type) {
  assert(static_cast<int64_t>(numbers.size()) == elementCount(shape));
  Tensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.numbers = std::move(numbers);
  return tensor;
}

Tensor Tensor::zeros(ElementType type, Shape shape) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  size_t elements = static_cast<size_t>(tensor.elements());
  if (!type.isQuantised()) {
    tensor.numbers.resize(elements);
    return tensor;
  }
  const QuantFormat &format = type.format();
  tensor.codes.resize(elements);
  tensor.scales.resize(elements / format.group);
  if (format.hasMinimum())
    tensor.minimums.resize(elements / format.group);
  if (format.hasSuperScale()) {
    tensor.superScales.resize(elements / kSuper);
    if (format.hasMinimum())
      tensor.superMinimums.resize(elements / kSuper);
  }
  return tensor;
}

double Tensor::scaleOf(int64_t group) const {
  if (superScales.empty())
    return scales[group];
  return superScales[group * type.format().group / kSuper] * scales[group];
}

double Tensor::minimumOf(int64_t group) const {
  if (minimums.empty())
    return 0;
  if (superMinimums.empty())
    return minimums[group];
  // Under a super scale minimums are subtracted.
  return -(superMinimums[group * type.format().group / kSuper] *
           minimums[group]);
}

double Tensor::value(int64_t element) const {
  if (!type.isQuantised())
    return numbers[element];
  const QuantFormat &format = type.format();
  int64_t group = element / format.group;
  double product = scaleOf(group) * (codes[element] - middleCode(format));
  // Adding 0 where there is no minimum would lose the sign of -0.
  return format.hasMinimum() ? product + minimumOf(group) : product;
}

std::vector<double> Tensor::values() const {
  if (!type.isQuantised())
    return numbers;
  const QuantFormat &format = type.format();
  int middle = middleCode(format);
  std::vector<double> values(codes.size());
  for (size_t group = 0; group < scales.size(); ++group) {
    double scale = scaleOf(group), minimum = minimumOf(group);
    for (size_t i = group * format.group; i < (group + 1) * format.group; ++i) {
      values[i] = scale * (codes[i] - middle);
      if (format.hasMinimum())
        values[i] += minimum;
    }
  }
  return values;
}

} // namespace pagoda::reference
