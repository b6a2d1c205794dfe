#include "pagoda/Reference/Ops/QuantOps.h"

#include "pagoda/Base/LargerOf.h"
#include "pagoda/Reference/Ops/Rounding.h"

#include <cmath>

namespace pagoda::reference {

namespace {

/// A tensor of one number a group.
Tensor perGroup(const Tensor &input) {
  Shape shape = input.shape;
  shape.back() /= input.type.format().group;
  return Tensor::zeros(DType::F32, std::move(shape));
}

} // namespace

Tensor quantize(const Tensor &input, const QuantFormat &format) {
  Tensor result = Tensor::zeros(ElementType::quantised(format), input.shape);
  for (size_t group = 0; group < result.scales.size(); ++group) {
    size_t first = group * format.group, last = first + format.group;
    double largest = 0;
    for (size_t i = first; i < last; ++i)
      largest = largerOf(largest, std::abs(input.numbers[i]));
    result.scales[group] = roundTo(DType::F32, largest / format.maxCode());
    if (largest == 0 || !std::isfinite(largest))
      continue;
    for (size_t i = first; i < last; ++i)
      result.codes[i] = static_cast<int16_t>(
          std::nearbyint(input.numbers[i] * format.maxCode() / largest));
  }
  return result;
}

Tensor dequantize(const Tensor &input) {
  return Tensor::ofNumbers(input.shape, input.values());
}

Tensor codesOf(const Tensor &input) {
  return Tensor::ofNumbers(
      input.shape, std::vector<double>(input.codes.begin(), input.codes.end()),
      DType::I16);
}

Tensor scalesOf(const Tensor &input) {
  Tensor result = perGroup(input);
  for (size_t group = 0; group < result.numbers.size(); ++group)
    result.numbers[group] = input.scaleOf(group);
  return result;
}

Tensor zerosOf(const Tensor &input) {
  Tensor result = perGroup(input);
  const QuantFormat &format = input.type.format();
  for (size_t group = 0; group < result.numbers.size(); ++group)
    result.numbers[group] = format.zero == ZeroKind::Middle
                                ? -input.scaleOf(group) * middleCode(format)
                                : input.minimumOf(group);
  return result;
}

StatusOr<Tensor> compose(const QuantFormat &format, const Tensor &codes,
                         const Tensor &scales, const Tensor *zeros) {
  Tensor result = Tensor::zeros(ElementType::quantised(format), codes.shape);
  for (size_t i = 0; i < result.codes.size(); ++i) {
    double code = codes.numbers[i];
    if (!(code >= format.minCode() && code <= format.maxCode()))
      return invalidArgument("code ", code, " is outside ", format.name());
    result.codes[i] = static_cast<int16_t>(code);
  }
  DType storage = format.scale == ScaleKind::F16 ? DType::F16 : DType::F32;
  for (size_t group = 0; group < result.scales.size(); ++group) {
    result.scales[group] = roundTo(storage, scales.numbers[group]);
    if (zeros)
      result.minimums[group] = roundTo(storage, zeros->numbers[group]);
  }
  return result;
}

} // namespace pagoda::reference
