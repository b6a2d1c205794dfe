#include "pagoda/Base/DType.h"

#include "pagoda/Base/Concat.h"

#include <array>
#include <utility>

namespace pagoda {

namespace {

struct ScalarRow {
  DType type;
  std::string_view name;
  unsigned bytes;
};

constexpr std::array<ScalarRow, 10> scalars = {{
    {DType::F64, "f64", 8},
    {DType::F32, "f32", 4},
    {DType::F16, "f16", 2},
    {DType::BF16, "bf16", 2},
    {DType::I64, "i64", 8},
    {DType::I32, "i32", 4},
    {DType::I16, "i16", 2},
    {DType::I8, "i8", 1},
    {DType::U8, "u8", 1},
    {DType::Bool, "i1", 1},
}};

constexpr std::array<std::pair<std::string_view, QuantFormat>, 5> namedFormats =
    {{
        {"q4_0", QuantFormat::q4_0()},
        {"q4_1", QuantFormat::q4_1()},
        {"q8_0", QuantFormat::q8_0()},
        {"q4_k", QuantFormat::q4_k()},
        {"q6_k", QuantFormat::q6_k()},
    }};

} // namespace

unsigned dtypeBytes(DType type) {
  return scalars[static_cast<unsigned>(type)].bytes;
}

std::string_view dtypeName(DType type) {
  return scalars[static_cast<unsigned>(type)].name;
}

std::optional<DType> dtypeByName(std::string_view name) {
  for (const ScalarRow &row : scalars)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

bool isFloat(DType type) { return type <= DType::BF16; }

unsigned QuantFormat::blockBytes() const {
  unsigned elements = blockElements();
  unsigned groups = elements / group;
  unsigned codes = elements * bits / 8;
  unsigned arrays = hasMinimum() ? 2 : 1;
  switch (scale) {
  case ScaleKind::F16:
    return codes + arrays * groups * 2;
  case ScaleKind::F32:
    return codes + arrays * groups * 4;
  case ScaleKind::SuperU6:
    return codes + arrays * (2 + groups * 6 / 8);
  case ScaleKind::SuperI8:
    return codes + arrays * (2 + groups);
  }
  return 0;
}

std::string QuantFormat::name() const {
  for (const auto &[name, format] : namedFormats)
    if (format == *this)
      return std::string(name);
  static constexpr std::string_view scaleNames[] = {"f16", "f32", "super_u6",
                                                    "super_i8"};
  std::string_view scaleName = scaleNames[static_cast<unsigned>(scale)];
  std::string text =
      concat("q<", zero == ZeroKind::Signed ? 'i' : 'u', unsigned(bits),
             ", group = ", group, ", scale = ", scaleName);
  if (zero == ZeroKind::Minimum)
    text += concat(", minimum = ", scaleName);
  return text + ">";
}

uint64_t activationRowBytes(const QuantFormat &format, uint64_t elements) {
  uint64_t bytes = elements + elements / format.group * 8 + elements / 16 * 2;
  return (bytes + 63) / 64 * 64;
}

std::optional<QuantFormat> quantFormatByName(std::string_view name) {
  for (const auto &[known, format] : namedFormats)
    if (known == name)
      return format;
  return std::nullopt;
}

} // namespace pagoda
