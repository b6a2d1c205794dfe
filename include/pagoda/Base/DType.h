//===- DType.h - Scalar types and quantised formats -------------*- C++ -*-===//
//
// Names what an element of a tensor is. For every room: the dialects wrap
// these in types, the weights evaluate them, kernels.def is keyed by them.
//
//   ElementType q = ElementType::quantised(QuantFormat::q4_1());
//   q.name();            // "q4_1"
//   q.rowBytes(576);     // 360: 18 blocks of 20 bytes
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_DTYPE_H
#define PAGODA_BASE_DTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pagoda {

/// Scalars that stand in memory as themselves, little-endian.
enum class DType : uint8_t { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };

/// Bytes of one scalar.
unsigned dtypeBytes(DType type);
/// MLIR's spelling: "f32", "bf16", "i32", …; "u8" for unsigned bytes, "i1"
/// for Bool.
std::string_view dtypeName(DType type);
std::optional<DType> dtypeByName(std::string_view name);
bool isFloat(DType type);

/// How the scales (and minimums) of a quantised format are stored.
enum class ScaleKind : uint8_t {
  /// One f16 a group.
  F16,
  /// One f32 a group.
  F32,
  /// A 6-bit unsigned integer a group, times one f16 for 256 elements.
  SuperU6,
  /// An 8-bit signed integer a group, times one f16 for 256 elements.
  SuperI8,
};

/// Where zero lies in the range of codes.
enum class ZeroKind : uint8_t {
  /// Codes are signed: w = scale * code.
  Signed,
  /// Codes are unsigned around the middle: w = scale * (code - 2^(bits-1)).
  Middle,
  /// Codes are unsigned above a minimum a group, stored like the scales (for
  /// SuperU6 it is subtracted, for F16 and F32 added):
  /// w = scale * code + minimum.
  Minimum,
};

/// A format of blocks along a tensor's last dimension: `group` codes of `bits`
/// bits share a scale. With super scales 256 elements share one f16.
struct QuantFormat {
  uint8_t bits;
  uint16_t group;
  ScaleKind scale;
  ZeroKind zero;

  bool operator==(const QuantFormat &) const = default;

  static constexpr QuantFormat q4_0() {
    return {4, 32, ScaleKind::F16, ZeroKind::Middle};
  }
  static constexpr QuantFormat q4_1() {
    return {4, 32, ScaleKind::F16, ZeroKind::Minimum};
  }
  static constexpr QuantFormat q8_0() {
    return {8, 32, ScaleKind::F16, ZeroKind::Signed};
  }
  static constexpr QuantFormat q4_k() {
    return {4, 32, ScaleKind::SuperU6, ZeroKind::Minimum};
  }
  static constexpr QuantFormat q6_k() {
    return {6, 16, ScaleKind::SuperI8, ZeroKind::Middle};
  }

  bool hasSuperScale() const {
    return scale == ScaleKind::SuperU6 || scale == ScaleKind::SuperI8;
  }
  bool hasMinimum() const { return zero == ZeroKind::Minimum; }
  /// Elements of one block: the unit that a row must be a multiple of.
  unsigned blockElements() const { return hasSuperScale() ? 256 : group; }
  /// Bytes of one block in a row-major tensor. For GGUF's formats that is
  /// GGUF's own block, byte for byte.
  unsigned blockBytes() const;
  /// The smallest and largest code, as the formula above takes them.
  int minCode() const {
    return zero == ZeroKind::Signed ? -(1 << (bits - 1)) : 0;
  }
  int maxCode() const {
    return zero == ZeroKind::Signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  }
  /// GGUF's name in lower case ("q4_1") where it has one, else a spelt-out
  /// form such as "q<i8, group = 64, scale = f32>".
  std::string name() const;
};

/// Formats that have a short name, by that name.
std::optional<QuantFormat> quantFormatByName(std::string_view name);

/// Bytes of one row of `elements` activations in a format with signed codes of
/// 8 bits and f32 scales: the codes, all scales (f32), the sum of the codes of
/// each group (f32), that of each 16 codes (i16), padded to 64 bytes.
uint64_t activationRowBytes(const QuantFormat &format, uint64_t elements);

/// A scalar or a quantised format.
class ElementType {
public:
  ElementType(DType type) : scalar(type) {}
  static ElementType quantised(QuantFormat format) {
    ElementType type(DType::F32);
    type.quant = format;
    return type;
  }

  bool isQuantised() const { return quant.has_value(); }
  DType dtype() const { return scalar; }
  const QuantFormat &format() const { return *quant; }
  bool operator==(const ElementType &) const = default;

  std::string name() const {
    return quant ? quant->name() : std::string(dtypeName(scalar));
  }
  /// A row must hold a multiple of this many elements.
  unsigned blockElements() const { return quant ? quant->blockElements() : 1; }
  unsigned blockBytes() const {
    return quant ? quant->blockBytes() : dtypeBytes(scalar);
  }
  /// Bytes of a row of `elements`, a multiple of blockElements().
  uint64_t rowBytes(uint64_t elements) const {
    return elements / blockElements() * blockBytes();
  }

private:
  DType scalar;
  std::optional<QuantFormat> quant;
};

} // namespace pagoda

#endif // PAGODA_BASE_DTYPE_H
