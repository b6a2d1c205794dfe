#include "pagoda/Reference/Ops/TokenOps.h"

#include "pagoda/Reference/Ops/Rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pagoda::reference {

namespace {

/// Sums that run side by side. Each has its own order; only the processor
/// sees that there are several.
constexpr int64_t kAbreast = 8;

/// sums[n] = sum_k x[k] * rows[n][k], over k in order, for `count` rows that
/// follow each other.
void dotRows(const double *x, const double *rows, int64_t count, int64_t size,
             double *sums) {
  for (int64_t first = 0; first < count; first += kAbreast) {
    int64_t abreast = std::min(kAbreast, count - first);
    const double *row = rows + first * size;
    double sum[kAbreast] = {};
    if (abreast == kAbreast)
      for (int64_t k = 0; k < size; ++k)
        for (int64_t n = 0; n < kAbreast; ++n)
          sum[n] += x[k] * row[n * size + k];
    else
      for (int64_t n = 0; n < abreast; ++n)
        for (int64_t k = 0; k < size; ++k)
          sum[n] += x[k] * row[n * size + k];
    std::copy(sum, sum + abreast, sums + first);
  }
}

} // namespace

StatusOr<Tensor> embedding(const Tensor &ids, const Tensor &table) {
  int64_t vocabulary = table.shape[0], width = table.shape[1];
  Tensor result = Tensor::zeros(DType::F32, {ids.elements(), width});
  for (int64_t t = 0; t < ids.elements(); ++t) {
    double id = ids.numbers[t];
    if (!(id >= 0 && id < static_cast<double>(vocabulary)))
      return invalidArgument("id ", id, " is not in a table of ", vocabulary);
    for (int64_t k = 0; k < width; ++k)
      result.numbers[t * width + k] =
          table.value(static_cast<int64_t>(id) * width + k);
  }
  return result;
}

Tensor linear(const Tensor &input, const Tensor &weight, const Tensor *bias) {
  int64_t tokens = input.shape[0], inputs = input.shape[1];
  int64_t outputs = weight.shape[0];
  std::vector<double> x = input.values(), decoded;
  if (weight.type.isQuantised())
    decoded = weight.values();
  const std::vector<double> &w = decoded.empty() ? weight.numbers : decoded;
  Tensor result = Tensor::zeros(DType::F32, {tokens, outputs});
  for (int64_t t = 0; t < tokens; ++t) {
    double *row = result.numbers.data() + t * outputs;
    dotRows(x.data() + t * inputs, w.data(), outputs, inputs, row);
    if (bias)
      for (int64_t n = 0; n < outputs; ++n)
        row[n] += bias->value(n);
  }
  return result;
}

Tensor rmsNorm(const Tensor &input, const Tensor &weight, double epsilon) {
  int64_t size = input.rowElements();
  Tensor result = input;
  for (int64_t row = 0; row < input.rows(); ++row) {
    const double *x = input.numbers.data() + row * size;
    double squares = 0;
    for (int64_t k = 0; k < size; ++k)
      squares += x[k] * x[k];
    double root = std::sqrt(squares / static_cast<double>(size) + epsilon);
    for (int64_t k = 0; k < size; ++k)
      result.numbers[row * size + k] = x[k] / root * weight.value(k);
  }
  return result;
}

double activate(Activation activation, double x) {
  switch (activation) {
  case Activation::Silu:
    return x / (1 + std::exp(-x));
  case Activation::Gelu:
    return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
  case Activation::GeluTanh:
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                          (x + 0.044715 * x * x * x)));
  case Activation::Relu:
    return x > 0 ? x : (x == x ? 0 : x); // NaN stays
  }
  return x;
}

Tensor gated(Activation activation, const Tensor &gate, const Tensor &up) {
  Tensor result = gate;
  for (size_t i = 0; i < result.numbers.size(); ++i)
    result.numbers[i] = activate(activation, gate.numbers[i]) * up.numbers[i];
  return result;
}

StatusOr<Tensor> gatherRows(const Tensor &input, const Tensor &rows) {
  int64_t size = input.rowElements();
  Tensor result = Tensor::zeros(input.type, {rows.elements(), size});
  for (int64_t r = 0; r < rows.elements(); ++r) {
    double row = rows.numbers[r];
    if (!(row >= 0 && row < static_cast<double>(input.shape[0])))
      return invalidArgument("row ", row, " is not in a tensor of ",
                             input.shape[0], " rows");
    std::copy_n(input.numbers.begin() + static_cast<int64_t>(row) * size, size,
                result.numbers.begin() + r * size);
  }
  return result;
}

Tensor argmax(const Tensor &input) {
  int64_t size = input.rowElements();
  Tensor result = Tensor::zeros(DType::I32, {input.rows()});
  for (int64_t r = 0; r < input.rows(); ++r) {
    auto first = input.numbers.begin() + r * size, last = first + size;
    bool broken = std::any_of(first, last, [](double x) {
      return std::isnan(x) || x == std::numeric_limits<double>::infinity();
    });
    result.numbers[r] =
        broken ? -1 : double(std::max_element(first, last) - first);
  }
  return result;
}

Tensor cast(const Tensor &input, DType type) {
  Tensor result = input;
  result.type = type;
  for (double &number : result.numbers)
    number = roundTo(type, number);
  return result;
}

} // namespace pagoda::reference
