// Parts of quantised weights and arithmetic on float weights, row by row.

#include "pagoda/Base/Float16.h"
#include "pagoda/Weights/BlockCodec.h"
#include "pagoda/Weights/Expression.h"

#include <cmath>
#include <cstring>

namespace pagoda {

namespace {

/// A weight each of whose rows is made of the same row of its inputs.
template <typename RowFunction>
class RowwiseWeight final : public WeightExpression {
public:
  RowwiseWeight(WeightShape shape, ElementType type, std::vector<Weight> inputs,
                RowFunction function)
      : WeightExpression(std::move(shape), type), inputs(std::move(inputs)),
        function(std::move(function)) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    std::vector<std::vector<std::byte>> rows(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
      rows[i].resize(inputs[i]->rowBytes());
    for (uint64_t row = first; row < first + count; ++row) {
      for (size_t i = 0; i < inputs.size(); ++i)
        PAGODA_RETURN_IF_ERROR(inputs[i]->readRows(row, 1, rows[i].data()));
      PAGODA_RETURN_IF_ERROR(function(rows, out));
      out += rowBytes();
    }
    return {};
  }

private:
  std::vector<Weight> inputs;
  RowFunction function;
};

using Rows = std::vector<std::vector<std::byte>>;

template <typename RowFunction>
Weight rowwise(WeightShape shape, ElementType type, std::vector<Weight> inputs,
               RowFunction function) {
  return std::make_shared<RowwiseWeight<RowFunction>>(
      std::move(shape), type, std::move(inputs), std::move(function));
}

WeightShape groupShape(const Weight &input) {
  WeightShape shape = input->shape();
  shape.back() /= input->type().format().group;
  return shape;
}

Status checkQuantised(const Weight &input) {
  if (!input->type().isQuantised() || !hasBlockCodec(input->type().format()))
    return invalidArgument("a weight of ", input->type().name(),
                           " has no codes and scales");
  return {};
}

template <typename T>
std::span<T> asSpan(std::byte *bytes, int64_t count) {
  return {reinterpret_cast<T *>(bytes), static_cast<size_t>(count)};
}

void storeScale(ScaleKind kind, float value, std::byte *out) {
  if (kind == ScaleKind::F16) {
    uint16_t bits = floatToHalf(value);
    std::memcpy(out, &bits, 2);
  } else {
    std::memcpy(out, &value, 4);
  }
}

} // namespace

StatusOr<Weight> codesOfWeight(Weight input) {
  PAGODA_RETURN_IF_ERROR(checkQuantised(input));
  QuantFormat format = input->type().format();
  int64_t elements = input->rowElements();
  return rowwise(input->shape(), DType::I16, {input},
                 [=](const Rows &rows, std::byte *out) {
                   return unpackCodes(format, rows[0],
                                      asSpan<int16_t>(out, elements));
                 });
}

StatusOr<Weight> scalesOfWeight(Weight input) {
  PAGODA_RETURN_IF_ERROR(checkQuantised(input));
  QuantFormat format = input->type().format();
  int64_t groups = input->rowElements() / format.group;
  return rowwise(groupShape(input), DType::F32, {input},
                 [=](const Rows &rows, std::byte *out) {
                   return unpackScales(format, rows[0],
                                       asSpan<float>(out, groups));
                 });
}

StatusOr<Weight> zerosOfWeight(Weight input) {
  PAGODA_RETURN_IF_ERROR(checkQuantised(input));
  QuantFormat format = input->type().format();
  int64_t groups = input->rowElements() / format.group;
  return rowwise(groupShape(input), DType::F32, {input},
                 [=](const Rows &rows, std::byte *out) -> Status {
                   std::span<float> zeros = asSpan<float>(out, groups);
                   if (format.zero == ZeroKind::Minimum)
                     return unpackMinimums(format, rows[0], zeros);
                   PAGODA_RETURN_IF_ERROR(unpackScales(format, rows[0], zeros));
                   float middle = static_cast<float>(1 << (format.bits - 1));
                   for (float &zero : zeros)
                     zero = format.zero == ZeroKind::Middle ? zero * -middle
                                                            : 0.0f;
                   return {};
                 });
}

StatusOr<Weight> composeWeight(QuantFormat format, Weight codes, Weight scales,
                               Weight zeros) {
  if (format.hasSuperScale() || !hasBlockCodec(format))
    return unsupported("weights of ", format.name(), " cannot be composed");
  if (format.hasMinimum() != (zeros != nullptr))
    return invalidArgument("zeros belong to formats with a minimum");
  std::vector<Weight> inputs = {codes, scales};
  if (zeros)
    inputs.push_back(zeros);
  int64_t groups = codes->rowElements() / format.group;
  size_t scaleBytes = format.scale == ScaleKind::F16 ? 2 : 4;
  return rowwise(
      codes->shape(), ElementType::quantised(format), std::move(inputs),
      [=](const Rows &rows, std::byte *out) -> Status {
        const auto *code = reinterpret_cast<const int16_t *>(rows[0].data());
        const auto *scale = reinterpret_cast<const float *>(rows[1].data());
        for (int64_t g = 0; g < groups; ++g, code += format.group) {
          storeScale(format.scale, scale[g], out);
          out += scaleBytes;
          if (format.hasMinimum()) {
            storeScale(format.scale,
                       reinterpret_cast<const float *>(rows[2].data())[g], out);
            out += scaleBytes;
          }
          for (int k = 0; k < format.group; ++k)
            if (code[k] < format.minCode() || code[k] > format.maxCode())
              return invalidArgument("code ", code[k], " is outside ",
                                     format.name());
          int half = format.group / 2;
          if (format.bits == 4)
            for (int k = 0; k < half; ++k)
              *out++ = std::byte((code[k] & 15) | (code[k + half] & 15) << 4);
          else
            for (int k = 0; k < format.group; ++k)
              *out++ = std::byte(code[k]);
        }
        return {};
      });
}

StatusOr<Weight> dequantizeWeight(Weight input) {
  PAGODA_RETURN_IF_ERROR(checkQuantised(input));
  QuantFormat format = input->type().format();
  int64_t elements = input->rowElements();
  return rowwise(input->shape(), DType::F32, {input},
                 [=](const Rows &rows, std::byte *out) {
                   return decodeRow(format, rows[0],
                                    asSpan<float>(out, elements));
                 });
}

StatusOr<Weight> widenWeight(Weight input) {
  bool isHalf = input->type() == ElementType(DType::F16);
  if (!isHalf && !(input->type() == ElementType(DType::BF16)))
    return invalidArgument("only f16 and bf16 are widened, found ",
                           input->type().name());
  int64_t elements = input->rowElements();
  return rowwise(input->shape(), DType::F32, {input},
                 [=](const Rows &rows, std::byte *out) -> Status {
                   for (int64_t k = 0; k < elements; ++k) {
                     uint16_t bits;
                     std::memcpy(&bits, rows[0].data() + k * 2, 2);
                     float value =
                         isHalf ? halfToFloat(bits) : bfloatToFloat(bits);
                     std::memcpy(out + k * 4, &value, 4);
                   }
                   return {};
                 });
}

StatusOr<Weight> combineWeights(WeightArithmetic operation, Weight left,
                                Weight right) {
  if (left->shape() != right->shape() ||
      !(left->type() == ElementType(DType::F32)) ||
      !(right->type() == ElementType(DType::F32)))
    return invalidArgument("arithmetic on weights takes f32 of one shape, "
                           "found ",
                           left->type().name(), " and ", right->type().name());
  int64_t elements = left->rowElements();
  return rowwise(left->shape(), DType::F32, {left, right},
                 [=](const Rows &rows, std::byte *out) -> Status {
                   for (int64_t k = 0; k < elements; ++k) {
                     float a, b;
                     std::memcpy(&a, rows[0].data() + k * 4, 4);
                     std::memcpy(&b, rows[1].data() + k * 4, 4);
                     float c = 0;
                     switch (operation) {
                     case WeightArithmetic::Add:
                       c = a + b;
                       break;
                     case WeightArithmetic::Subtract:
                       c = a - b;
                       break;
                     case WeightArithmetic::Multiply:
                       c = a * b;
                       break;
                     case WeightArithmetic::Divide:
                       c = a / b;
                       break;
                     }
                     std::memcpy(out + k * 4, &c, 4);
                   }
                   return {};
                 });
}

} // namespace pagoda
