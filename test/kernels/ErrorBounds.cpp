#include "ErrorBounds.h"

#include "PointwiseBounds.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Dialect/LLM/NamedDims.h"
#include "pagoda/Reference/Ops/AttentionOps.h"
#include "pagoda/Reference/Ops/QuantOps.h"
#include "pagoda/Reference/Ops/TokenOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>
#include <iostream>

using namespace mlir;

namespace pagoda::test {

namespace {

using reference::Tensor;

/// Scale and minimum of one element, apart: kernels round the one's sum and
/// the other's apart.
struct Decoded {
  double code; // times the scale
  double minimum;
};

Decoded decode(const Tensor &weight, int64_t element) {
  if (!weight.type.isQuantised())
    return {weight.numbers[element], 0};
  int64_t group = element / weight.type.format().group;
  double minimum = weight.minimumOf(group);
  return {weight.value(element) - minimum, minimum};
}

/// linear/linear_f32.h: in a group one rounding a term, then one or two for
/// each group, and 5 for the tree that sums a group's inputs.
Bounded linearF32(const Tensor &x, const Tensor &w, const Tensor *bias) {
  int64_t rows = x.shape[0], inputs = x.shape[1], outputs = w.shape[0];
  int64_t group = w.type.isQuantised() ? w.type.format().group : 32;
  int64_t groups = (inputs + group - 1) / group;
  bool minimum = w.type.isQuantised() && w.type.format().hasMinimum();
  double roundings = static_cast<double>(std::min(inputs, group) +
                                         groups * (minimum ? 2 : 1) + 6);
  Bounded y{reference::linear(x, w, bias), {}, {}};
  y.error.resize(y.value.numbers.size());
  std::vector<double> magnitude(w.elements());
  for (int64_t i = 0; i < w.elements(); ++i) {
    Decoded d = decode(w, i);
    magnitude[i] = std::abs(d.code) + std::abs(d.minimum);
  }
  for (int64_t t = 0; t < rows; ++t)
    for (int64_t n = 0; n < outputs; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < inputs; ++k)
        sum += magnitude[n * inputs + k] * std::abs(x.numbers[t * inputs + k]);
      double &error = y.error[t * outputs + n];
      error = gammaOf(roundings) * sum + (roundings + 1) * kTiny;
      if (bias)
        error += kUnit * (std::abs(y.value.numbers[t * outputs + n]) + error);
    }
  return y;
}

/// linear/linear_i8.h: products of codes are exact; three roundings a group,
/// of which the last adds it to those before.
Bounded linearI8(const Tensor &x, const Tensor &w, const Tensor *bias) {
  int64_t rows = x.shape[0], inputs = x.shape[1], outputs = w.shape[0];
  int64_t group = w.type.format().group;
  int64_t activationGroup = x.type.format().group;
  int64_t groups = inputs / group;
  double roundings = static_cast<double>(groups) + 3;
  Bounded y{reference::linear(x, w, bias), {}, {}};
  y.error.resize(y.value.numbers.size());
  for (int64_t t = 0; t < rows; ++t)
    for (int64_t n = 0; n < outputs; ++n) {
      double sum = 0;
      for (int64_t k0 = 0; k0 < inputs; k0 += group) {
        double products = 0, codes = 0;
        for (int64_t k = k0; k < k0 + group; ++k) {
          double code = x.codes[t * inputs + k];
          products += decode(w, n * inputs + k).code * code;
          codes += code;
        }
        double minimum = decode(w, n * inputs + k0).minimum;
        sum += (std::abs(products) + std::abs(minimum * codes)) *
               x.scales[(t * inputs + k0) / activationGroup];
      }
      double &error = y.error[t * outputs + n];
      error = gammaOf(roundings) * sum + (roundings + 1) * kTiny;
      if (bias)
        error += kUnit * (std::abs(y.value.numbers[t * outputs + n]) + error);
    }
  return y;
}

/// Decoding rounds once: fma(scale, code, minimum), or a product.
Bounded boundedEmbedding(const Tensor &ids, const Tensor &table) {
  Bounded y{*reference::embedding(ids, table), {}, {}};
  for (double number : y.value.numbers)
    y.error.push_back(kUnit * std::abs(number) + kTiny);
  return y;
}

Bounded pointwise(Operation *op, ArrayRef<const Bounded *> operands) {
  const PointwiseRule *rule = findPointwiseRule(llm::pointwiseKey(op));
  if (!rule || rule->operands != operands.size()) {
    std::cerr << "no rule for " << llm::pointwiseKey(op) << '\n';
    std::exit(1);
  }
  Bounded y{operands[0]->value, {}, {}};
  y.error.resize(y.value.numbers.size());
  for (size_t i = 0; i < y.value.numbers.size(); ++i) {
    PointwiseRule::Operands x = {};
    for (unsigned j = 0; j < operands.size(); ++j)
      x[j] = operands[j]->value.numbers[i];
    double value = rule->value(x), error = 0, slack = rule->slack;
    for (double operand : x)
      slack *= std::max(1.0, std::abs(operand));
    // What the operands' errors do, to first order and a bit more.
    for (unsigned j = 0; j < operands.size(); ++j)
      if (double e = operands[j]->errorOf(i); e > 0) {
        PointwiseRule::Operands above = x, below = x;
        above[j] += e;
        below[j] -= e;
        error += 1.001 * std::max(std::abs(rule->value(above) - value),
                                  std::abs(rule->value(below) - value));
      }
    y.value.numbers[i] = value;
    y.error[i] =
        error + rule->units(x) * kUnit * (std::abs(value) + error) + slack;
  }
  return y;
}

/// Half the distance of neighbours in a narrower type.
double halfStep(DType type, double number) {
  int digits = type == DType::F16 ? 11 : 8;
  int least = type == DType::F16 ? -24 : -133;
  int exponent = number == 0 ? least : std::ilogb(number) - digits + 1;
  return std::ldexp(0.5, std::max(exponent, least));
}

Bounded boundedCast(const Bounded &input, DType type) {
  Bounded y = input;
  y.value.type = type;
  if (type == DType::F32)
    return y;
  y.error.resize(y.value.numbers.size());
  for (size_t i = 0; i < y.error.size(); ++i)
    y.error[i] += halfStep(type, std::abs(y.value.numbers[i]) + y.error[i]);
  return y;
}

/// norm/rms_norm.h: the sum of squares has only positive terms, rounded K / 16
/// times in a lane and 4 times between them; mean, epsilon (a float too) and
/// its addition 3 times more. The root halves all that; the root itself, the
/// reciprocal and two products round 4 times.
Bounded boundedRMSNorm(const Tensor &input, const Tensor &weight,
                       double epsilon) {
  Bounded y{reference::rmsNorm(input, weight, epsilon), {}, {}};
  double lane = std::ceil(static_cast<double>(input.rowElements()) / 16);
  double units = gammaOf((lane + 4 + 3) / 2 + 4);
  for (double number : y.value.numbers)
    y.error.push_back(units * std::abs(number) + 2 * kTiny);
  return y;
}

/// attention/rope.h: fma(a, cos, -(b sin)) rounds the second product and the
/// result.
Bounded boundedRope(bool interleaved, const Bounded &input,
                    const Tensor &positions, const Tensor &table) {
  auto style = interleaved ? reference::RopeStyle::Interleaved
                           : reference::RopeStyle::Half;
  Bounded y{*reference::rope(style, input.value, positions, table), {}, {}};
  int64_t half = table.shape[1], width = input.value.rowElements();
  auto partner = [&](int64_t d) {
    if (d >= 2 * half)
      return d;
    return interleaved ? d ^ 1 : (d + half) % (2 * half);
  };
  y.error.resize(y.value.numbers.size());
  int64_t perToken = input.value.elements() / input.value.shape[0];
  for (int64_t i = 0; i < input.value.elements(); ++i) {
    int64_t d = i % width, other = i - d + partner(d);
    if (d >= 2 * half) {
      y.error[i] = input.errorOf(i);
      continue;
    }
    int64_t pair = interleaved ? d / 2 : d % half;
    int64_t position = static_cast<int64_t>(positions.numbers[i / perToken]);
    double cosine = std::abs(table.numbers[(position * half + pair) * 2]);
    double sine = std::abs(table.numbers[(position * half + pair) * 2 + 1]);
    double term = cosine * std::abs(input.value.numbers[i]) +
                  sine * std::abs(input.value.numbers[other]);
    double carried = cosine * input.errorOf(i) + sine * input.errorOf(other);
    y.error[i] = carried + gammaOf(2) * (term + carried) + 2 * kTiny;
  }
  return y;
}

class Evaluator {
public:
  Evaluator(Block &body, const std::vector<Tensor> &inputs) {
    for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
      values[argument] = {input, {}, {}};
    for (Operation &op : body.without_terminator())
      if (!isa<llm::KVAppendOp>(op)) // its test looks at what it stores
        values[op.getResult(0)] = run(&op);
  }

  const Bounded &at(Value value) { return values[value]; }

private:
  const Tensor &exact(Value value) {
    if (!at(value).error.empty()) {
      std::cerr << "a rule wants exact operands\n";
      std::exit(1);
    }
    return at(value).value;
  }

  Bounded run(Operation *op) {
    return llvm::TypeSwitch<Operation *, Bounded>(op)
        .Case([&](llm::WeightUnpackOp unpack) { return at(unpack.getInput()); })
        .Case([&](llm::LinearOp linear) {
          const Tensor *bias =
              linear.getBias() ? &exact(linear.getBias()) : nullptr;
          const Tensor &x = exact(linear.getInput());
          const Tensor &w = exact(linear.getWeight());
          return x.type.isQuantised() ? linearI8(x, w, bias)
                                      : linearF32(x, w, bias);
        })
        .Case([&](llm::EmbeddingOp embedding) {
          return boundedEmbedding(exact(embedding.getIds()),
                                  exact(embedding.getTable()));
        })
        .Case([&](llm::RMSNormOp norm) {
          return boundedRMSNorm(exact(norm.getInput()), exact(norm.getWeight()),
                                norm.getEpsilon().convertToDouble());
        })
        .Case([&](llm::RopeOp rope) {
          return boundedRope(rope.getStyle() == llm::RopeStyle::Interleaved,
                             at(rope.getInput()), exact(rope.getPositions()),
                             exact(rope.getTable()));
        })
        .Case([&](llm::GatherRowsOp gather) {
          return Bounded{*reference::gatherRows(exact(gather.getInput()),
                                                exact(gather.getRows())),
                         {},
                         {}};
        })
        .Case([&](llm::ArgmaxOp argmax) {
          return Bounded{reference::argmax(exact(argmax.getInput())), {}, {}};
        })
        .Case([&](llm::CastOp cast) {
          return boundedCast(
              at(cast.getInput()),
              llm::getElementType(
                  mlir::cast<RankedTensorType>(cast.getType()).getElementType())
                  ->dtype());
        })
        .Case([&](llm::QuantizeOp quantize) {
          Bounded y = at(quantize.getInput());
          y.rounded = mlir::cast<llm::QuantType>(
                          mlir::cast<RankedTensorType>(quantize.getType())
                              .getElementType())
                          .getFormat();
          return y;
        })
        .Default([&](Operation *other) {
          std::vector<const Bounded *> operands;
          for (Value operand : other->getOperands())
            operands.push_back(&at(operand));
          return pointwise(other, operands);
        });
  }

  llvm::DenseMap<Value, Bounded> values;
};

std::string describe(const Bounded &expected, size_t element, double found,
                     double allowed) {
  return concat("element ", element, " is ", found, ", expected ",
                expected.value.numbers[element], " within ", allowed);
}

/// The worst of what is outside its bound.
class Worst {
public:
  void add(const Bounded &expected, size_t element, double value, double found,
           double allowed) {
    double difference = std::abs(found - value);
    if (found == value || (std::isnan(found) && std::isnan(value)) ||
        difference <= allowed)
      return;
    double times = difference / allowed;
    if (!(times <= most)) {
      most = times;
      text = describe(expected, element, found, allowed);
    }
  }
  std::string text;

private:
  double most = 0;
};

std::string compareFloats(const Bounded &expected,
                          std::span<const std::byte> found) {
  const std::vector<double> &numbers = expected.value.numbers;
  if (found.size() != numbers.size() * sizeof(float))
    return concat(found.size(), " bytes for ", numbers.size(), " floats");
  Worst worst;
  for (size_t i = 0; i < numbers.size(); ++i) {
    float value;
    std::memcpy(&value, found.data() + i * sizeof value, sizeof value);
    worst.add(expected, i, numbers[i], value, expected.errorOf(i));
  }
  return worst.text;
}

std::string compareIntegers(const Bounded &expected,
                            std::span<const std::byte> found) {
  const std::vector<double> &numbers = expected.value.numbers;
  if (found.size() != numbers.size() * sizeof(int32_t))
    return concat(found.size(), " bytes for ", numbers.size(), " integers");
  for (size_t i = 0; i < numbers.size(); ++i) {
    int32_t value;
    std::memcpy(&value, found.data() + i * sizeof value, sizeof value);
    if (value != numbers[i])
      return describe(expected, i, value, 0);
  }
  return {};
}

/// scale = max|x| / 127 and code = x * 127 / max|x| with the numbers that the
/// kernel has, which are within their errors of the true ones; its inverse and
/// its product are rounded.
std::string compareCodes(const Bounded &expected,
                         std::span<const std::byte> found) {
  const Tensor &x = expected.value;
  const QuantFormat &format = *expected.rounded;
  int64_t width = x.rowElements(), group = format.group;
  int64_t stride = static_cast<int64_t>(
      activationRowBytes(format, static_cast<uint64_t>(width)));
  Worst worst;
  for (int64_t row = 0; row < x.rows(); ++row) {
    const std::byte *bytes = found.data() + row * stride;
    for (int64_t g = 0; g < width / group; ++g) {
      double top = 0, error = 0;
      for (int64_t k = g * group; k < (g + 1) * group; ++k) {
        top = std::max(top, std::abs(x.numbers[row * width + k]));
        error = std::max(error, expected.errorOf(row * width + k));
      }
      float scale;
      std::memcpy(&scale, bytes + width + g * 4, sizeof scale);
      size_t first = static_cast<size_t>(row * width + g * group);
      worst.add(expected, first, top / 127, scale,
                error / 127 + kUnit * top / 127 + kTiny);
      int sums[2] = {};
      // Where 127 / top is more than float32 holds, groups may come out as 0.
      bool isTiny = top + error < 0x1p-118;
      for (int64_t k = g * group; k < (g + 1) * group; ++k) {
        double code = std::to_integer<int8_t>(bytes[k]);
        sums[k % group / 16] += static_cast<int>(code);
        double value = x.numbers[row * width + k];
        double exact = top > 0 ? value * 127 / top : 0;
        double slack = top > 0 ? 127 * (gammaOf(3) + 2.1 * error / top) : 0;
        worst.add(expected, first + k % group, exact, code,
                  isTiny ? 255 : 0.5 + slack);
      }
      for (int half = 0; half < 2; ++half) {
        int16_t sum;
        std::memcpy(&sum,
                    bytes + width + width / group * 8 + (g * 2 + half) * 2,
                    sizeof sum);
        worst.add(expected, first, sums[half], sum, 0);
      }
      float all;
      std::memcpy(&all, bytes + width + width / group * 4 + g * 4, sizeof all);
      worst.add(expected, first, sums[0] + sums[1], all, 0);
    }
  }
  return worst.text;
}

} // namespace

std::vector<Bounded> evaluate(exec::KernelOp kernel,
                              const std::vector<Tensor> &inputs) {
  ValueRange yielded =
      kernel.getContract().front().getTerminator()->getOperands();
  return evaluate(kernel, inputs, SmallVector<Value>(yielded));
}

std::vector<Bounded> evaluate(exec::KernelOp kernel,
                              const std::vector<Tensor> &inputs,
                              ArrayRef<Value> wanted) {
  Evaluator evaluator(kernel.getContract().front(), inputs);
  std::vector<Bounded> values;
  for (Value value : wanted)
    values.push_back(evaluator.at(value));
  return values;
}

std::string compare(const Bounded &expected, std::span<const std::byte> found) {
  if (expected.value.type == ElementType(DType::I32))
    return compareIntegers(expected, found);
  return expected.rounded ? compareCodes(expected, found)
                          : compareFloats(expected, found);
}

} // namespace pagoda::test
