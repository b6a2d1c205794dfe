#include "pagoda/Files/GgufTypes.h"

#include <array>

namespace pagoda {

namespace {

struct ValueRow {
  std::string_view name;
  unsigned bytes;
};

/// By GgufValueType.
constexpr std::array<ValueRow, ggufValueTypes> valueRows = {{
    {"u8", 1},
    {"i8", 1},
    {"u16", 2},
    {"i16", 2},
    {"u32", 4},
    {"i32", 4},
    {"f32", 4},
    {"bool", 1},
    {"string", 0},
    {"array", 0},
    {"u64", 8},
    {"i64", 8},
    {"f64", 8},
}};

using Formats = QuantFormat;

ElementType quantised(QuantFormat format) {
  return ElementType::quantised(format);
}

} // namespace

std::string_view ggufValueTypeName(GgufValueType type) {
  return valueRows[static_cast<uint32_t>(type)].name;
}

unsigned ggufValueBytes(GgufValueType type) {
  return valueRows[static_cast<uint32_t>(type)].bytes;
}

std::span<const GgufTensorType> ggufTensorTypes() {
  // Ids 4, 5, 31 to 33 and 36 to 38 were formats that ggml has withdrawn.
  static const std::array tensorTypes = {
      GgufTensorType{0, "F32", 1, 4, DType::F32},
      GgufTensorType{1, "F16", 1, 2, DType::F16},
      GgufTensorType{2, "Q4_0", 32, 18, quantised(Formats::q4_0())},
      GgufTensorType{3, "Q4_1", 32, 20, quantised(Formats::q4_1())},
      GgufTensorType{6, "Q5_0", 32, 22, {}},
      GgufTensorType{7, "Q5_1", 32, 24, {}},
      GgufTensorType{8, "Q8_0", 32, 34, quantised(Formats::q8_0())},
      GgufTensorType{9, "Q8_1", 32, 36, {}},
      GgufTensorType{10, "Q2_K", 256, 84, {}},
      GgufTensorType{11, "Q3_K", 256, 110, {}},
      GgufTensorType{12, "Q4_K", 256, 144, quantised(Formats::q4_k())},
      GgufTensorType{13, "Q5_K", 256, 176, {}},
      GgufTensorType{14, "Q6_K", 256, 210, quantised(Formats::q6_k())},
      GgufTensorType{15, "Q8_K", 256, 292, {}},
      GgufTensorType{16, "IQ2_XXS", 256, 66, {}},
      GgufTensorType{17, "IQ2_XS", 256, 74, {}},
      GgufTensorType{18, "IQ3_XXS", 256, 98, {}},
      GgufTensorType{19, "IQ1_S", 256, 50, {}},
      GgufTensorType{20, "IQ4_NL", 32, 18, {}},
      GgufTensorType{21, "IQ3_S", 256, 110, {}},
      GgufTensorType{22, "IQ2_S", 256, 82, {}},
      GgufTensorType{23, "IQ4_XS", 256, 136, {}},
      GgufTensorType{24, "I8", 1, 1, DType::I8},
      GgufTensorType{25, "I16", 1, 2, DType::I16},
      GgufTensorType{26, "I32", 1, 4, DType::I32},
      GgufTensorType{27, "I64", 1, 8, DType::I64},
      GgufTensorType{28, "F64", 1, 8, DType::F64},
      GgufTensorType{29, "IQ1_M", 256, 56, {}},
      GgufTensorType{30, "BF16", 1, 2, DType::BF16},
      GgufTensorType{34, "TQ1_0", 256, 54, {}},
      GgufTensorType{35, "TQ2_0", 256, 66, {}},
      GgufTensorType{39, "MXFP4", 32, 17, {}},
      GgufTensorType{40, "NVFP4", 64, 36, {}},
      GgufTensorType{41, "Q1_0", 128, 18, {}},
  };
  return tensorTypes;
}

const GgufTensorType *ggufTensorType(uint32_t id) {
  for (const GgufTensorType &type : ggufTensorTypes())
    if (type.id == id)
      return &type;
  return nullptr;
}

const GgufTensorType *ggufTensorType(const ElementType &element) {
  for (const GgufTensorType &type : ggufTensorTypes())
    if (type.element == element)
      return &type;
  return nullptr;
}

} // namespace pagoda
