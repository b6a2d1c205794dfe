#include "KernelInputs.h"

#include "pagoda/Base/Float16.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Reference/Ops/Rounding.h"
#include "pagoda/Reference/Ops/Storage.h"
#include "pagoda/Reference/Ops/WeightOps.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace pagoda::test {

namespace {

using reference::Shape;
using reference::Tensor;

float normal(std::mt19937_64 &random) {
  return std::normal_distribution<float>()(random);
}
int64_t below(int64_t bound, std::mt19937_64 &random) {
  return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
}

Tensor activations(Shape shape, Data data, std::mt19937_64 &random) {
  Tensor x = Tensor::zeros(DType::F32, std::move(shape));
  for (size_t i = 0; i < x.numbers.size(); ++i) {
    double value = normal(random);
    switch (data) {
    case Data::Normal:
      break;
    case Data::Large:
      value *= 0x1p30;
      break;
    case Data::Small:
      value *= 0x1p-100;
      break;
    case Data::Cancelling:
      if (i % 2)
        value = -x.numbers[i - 1] * (1 + 1e-6 * value);
      break;
    case Data::Zeros:
      value = 0;
      break;
    }
    x.numbers[i] = static_cast<float>(value);
  }
  return x;
}

Tensor integers(int64_t count, int64_t bound, std::mt19937_64 &random) {
  Tensor x = Tensor::zeros(DType::I32, {count});
  for (double &number : x.numbers)
    number = static_cast<double>(below(bound, random));
  // The ends are met.
  x.numbers[0] = static_cast<double>(bound - 1);
  if (count > 1)
    x.numbers[1] = 0;
  return x;
}

std::vector<std::byte> integerBytes(const Tensor &tensor) {
  std::vector<std::byte> bytes(tensor.numbers.size() * 4);
  for (size_t i = 0; i < tensor.numbers.size(); ++i) {
    int32_t value = static_cast<int32_t>(tensor.numbers[i]);
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  return bytes;
}

/// Codes, scales, sums of groups and of 16 codes (docs/packing.md).
std::vector<std::byte> activationBytes(const Tensor &tensor) {
  const QuantFormat &format = tensor.type.format();
  size_t width = static_cast<size_t>(tensor.rowElements());
  size_t groups = width / format.group;
  size_t stride = activationRowBytes(format, width);
  std::vector<std::byte> bytes(tensor.rows() * stride);
  for (size_t row = 0; row < static_cast<size_t>(tensor.rows()); ++row) {
    std::byte *out = bytes.data() + row * stride;
    for (size_t k = 0; k < width; ++k)
      out[k] = std::byte(static_cast<uint8_t>(tensor.codes[row * width + k]));
    for (size_t g = 0; g < groups; ++g) {
      float scale = static_cast<float>(tensor.scales[row * groups + g]);
      std::memcpy(out + width + g * 4, &scale, 4);
      float all = 0;
      for (size_t k = g * format.group; k < (g + 1) * format.group; ++k)
        all += static_cast<float>(tensor.codes[row * width + k]);
      std::memcpy(out + width + (groups + g) * 4, &all, 4);
    }
    for (size_t part = 0; part < width / 16; ++part) {
      int16_t sum = 0;
      for (size_t k = part * 16; k < part * 16 + 16; ++k)
        sum = static_cast<int16_t>(sum + tensor.codes[row * width + k]);
      std::memcpy(out + width + groups * 8 + part * 2, &sum, 2);
    }
  }
  return bytes;
}

Tensor roundedActivations(const ElementType &type, Shape shape, Data data,
                          std::mt19937_64 &random) {
  Tensor x = Tensor::zeros(type, std::move(shape));
  for (int16_t &code : x.codes)
    code = data == Data::Zeros ? int16_t{0}
                               : static_cast<int16_t>(below(255, random) - 127);
  double factor = data == Data::Large   ? 0x1p30
                  : data == Data::Small ? 0x1p-100
                                        : 1;
  for (double &scale : x.scales)
    scale = data == Data::Zeros
                ? 0
                : static_cast<float>(std::abs(normal(random)) / 127 * factor);
  // Groups in which every product has the same sign: sums at their largest.
  for (size_t i = 0; i < std::min<size_t>(64, x.codes.size()); ++i)
    if (data == Data::Cancelling)
      x.codes[i] = i < 32 ? 127 : -127;
  return x;
}

/// The numbers that an argument of integers may hold.
int64_t integerBound(BlockArgument argument, int64_t rows) {
  Operation *user = *argument.user_begin();
  if (auto embedding = dyn_cast<llm::EmbeddingOp>(user))
    return cast<RankedTensorType>(embedding.getTable().getType()).getDimSize(0);
  if (auto rope = dyn_cast<llm::RopeOp>(user))
    return cast<RankedTensorType>(rope.getTable().getType()).getDimSize(0);
  return rows; // of a tensor whose rows are chosen
}

bool isGathered(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    auto gather = dyn_cast<llm::GatherRowsOp>(user);
    return gather && gather.getInput() == argument;
  });
}

bool isRotationTable(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    auto rope = dyn_cast<llm::RopeOp>(user);
    return rope && rope.getTable() == argument;
  });
}

/// Rows of a tensor from which rows are chosen: other than there are in the
/// launch.
int64_t gatheredRows(int64_t rows) { return rows + 3; }

KernelInput makeInput(BlockArgument argument, int64_t rows, Data data,
                      std::mt19937_64 &random) {
  KernelInput input;
  if (auto packed = dyn_cast<llm::PackedType>(argument.getType())) {
    RankedTensorType type = packed.getTensor();
    input.tensor = randomMatrix(*llm::getElementType(type.getElementType()),
                                Shape(type.getShape()), random);
    input.bytes = *reference::packTile32(input.tensor);
    return input;
  }
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return input;
  ElementType element = *llm::getElementType(type.getElementType());
  bool isWhole = !type.isDynamicDim(0) || isGathered(argument);
  Shape shape(type.getShape());
  if (type.isDynamicDim(0))
    shape[0] = isGathered(argument) ? gatheredRows(rows) : rows;
  if (element == ElementType(DType::I32)) {
    input.tensor =
        integers(shape[0], integerBound(argument, gatheredRows(rows)), random);
    input.bytes = integerBytes(input.tensor);
  } else if (element.isQuantised()) {
    input.tensor = roundedActivations(element, shape, data, random);
    input.bytes = activationBytes(input.tensor);
  } else if (isRotationTable(argument)) {
    input.tensor = rotationTable(shape[0], shape[1]);
    input.bytes = floatBytes(input.tensor);
  } else {
    // Vectors of weights are numbers like others, also beside odd activations.
    input.tensor =
        activations(shape, type.isDynamicDim(0) ? data : Data::Normal, random);
    input.bytes = floatBytes(input.tensor);
  }
  if (!isWhole)
    input.rowBytes = input.bytes.size() / static_cast<size_t>(shape[0]);
  return input;
}

} // namespace

std::string dataName(Data data) {
  switch (data) {
  case Data::Normal:
    return "normal";
  case Data::Large:
    return "large";
  case Data::Small:
    return "small";
  case Data::Cancelling:
    return "cancelling";
  case Data::Zeros:
    return "zeros";
  }
  return "";
}

std::vector<std::byte> floatBytes(const Tensor &tensor) {
  bool isHalf = tensor.type == ElementType(DType::F16);
  size_t size = isHalf ? 2 : 4;
  std::vector<std::byte> bytes(tensor.numbers.size() * size);
  for (size_t i = 0; i < tensor.numbers.size(); ++i) {
    float value = static_cast<float>(tensor.numbers[i]);
    uint16_t half = floatToHalf(value);
    std::memcpy(bytes.data() + i * size,
                isHalf ? static_cast<const void *>(&half) : &value, size);
  }
  return bytes;
}

Tensor randomMatrix(const ElementType &type, Shape shape,
                    std::mt19937_64 &random) {
  Tensor w = Tensor::zeros(type, std::move(shape));
  if (!type.isQuantised()) {
    for (double &number : w.numbers)
      number = reference::roundTo(type.dtype(), normal(random));
    return w;
  }
  const QuantFormat &format = type.format();
  int lowest = format.minCode(), codes = format.maxCode() - lowest + 1;
  for (int16_t &code : w.codes)
    code = static_cast<int16_t>(below(codes, random) + lowest);
  auto half = [&](size_t index) {
    // Now and then a subnormal scale, or one of a thousand.
    double factor = index % 7 == 3 ? 0x1p-14 : index % 11 == 5 ? 1000 : 0.05;
    return reference::roundTo(DType::F16, normal(random) * factor);
  };
  bool isSuper = format.hasSuperScale();
  int least = format.scale == ScaleKind::SuperI8 ? -128 : 0;
  int range = format.scale == ScaleKind::SuperI8 ? 256 : 64;
  for (size_t g = 0; g < w.scales.size(); ++g)
    w.scales[g] =
        isSuper ? static_cast<double>(below(range, random) + least) : half(g);
  for (size_t g = 0; g < w.minimums.size(); ++g)
    w.minimums[g] =
        isSuper ? static_cast<double>(below(64, random)) : half(g + 2);
  for (size_t g = 0; g < w.superScales.size(); ++g)
    w.superScales[g] = half(g);
  for (size_t g = 0; g < w.superMinimums.size(); ++g)
    w.superMinimums[g] = half(g + 2);
  return w;
}

Tensor rotationTable(int64_t rows, int64_t pairs) {
  std::vector<float> frequencies;
  for (int64_t i = 0; i < pairs; ++i)
    frequencies.push_back(
        static_cast<float>(std::pow(10000.0, -static_cast<double>(i) / pairs)));
  Tensor table = reference::ropeTable(0, rows, frequencies, 1);
  for (double &number : table.numbers)
    number = static_cast<float>(number);
  return table;
}

std::vector<Tensor> KernelInputs::tensors() const {
  std::vector<Tensor> all;
  for (const KernelInput &input : inputs)
    all.push_back(input.tensor);
  return all;
}

KernelInputs makeInputs(exec::KernelOp kernel, int64_t rows, Data data,
                        unsigned seed) {
  std::mt19937_64 random(seed);
  KernelInputs all;
  for (BlockArgument argument : kernel.getContract().front().getArguments())
    all.inputs.push_back(makeInput(argument, rows, data, random));
  return all;
}

} // namespace pagoda::test
