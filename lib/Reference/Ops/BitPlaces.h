//===- BitPlaces.h - Where the bits of quantised blocks lie -----*- C++ -*-===//
//
// A layout is a class that says, for each part of one block, where its bits
// are: the code of element k, the integer scale and minimum of group g, and
// the numbers (f16 or f32) that the block has. Reading and writing blocks is
// then the same for all layouts:
//
//   readBlock(FileBlock{format}, bytes, tensor, /*firstElement=*/64);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_REFERENCE_OPS_BITPLACES_H
#define PAGODA_LIB_REFERENCE_OPS_BITPLACES_H

#include "pagoda/Base/Float16.h"
#include "pagoda/Reference/Ops/Rounding.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include <cstddef>
#include <cstring>

namespace pagoda::reference {

/// `count` bits of a byte, from `shift` on.
struct Bits {
  int64_t byte = 0;
  unsigned shift = 0, count = 0;
};

/// An unsigned number in one or two pieces.
struct Place {
  Bits low, high = {};
};

inline unsigned readBits(const std::byte *base, const Bits &bits) {
  return std::to_integer<unsigned>(base[bits.byte]) >> bits.shift &
         ((1u << bits.count) - 1);
}
inline unsigned readPlace(const std::byte *base, const Place &place) {
  unsigned value = readBits(base, place.low);
  if (place.high.count)
    value |= readBits(base, place.high) << place.low.count;
  return value;
}

/// Into bytes where these bits are zero.
inline void writeBits(std::byte *base, const Bits &bits, unsigned value) {
  base[bits.byte] |=
      std::byte((value & ((1u << bits.count) - 1)) << bits.shift);
}
inline void writePlace(std::byte *base, const Place &place, unsigned value) {
  writeBits(base, place.low, value);
  if (place.high.count)
    writeBits(base, place.high, value >> place.low.count);
}

/// A float in memory as a float64, and back, with one rounding.
inline double readFloat(DType type, const std::byte *at) {
  if (type == DType::F32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return type == DType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}
inline void writeFloat(DType type, double value, std::byte *at) {
  float rounded = static_cast<float>(roundTo(type, value));
  if (type == DType::F32) {
    std::memcpy(at, &rounded, sizeof rounded);
    return;
  }
  uint16_t bits =
      type == DType::F16 ? floatToHalf(rounded) : floatToBfloat(rounded);
  std::memcpy(at, &bits, sizeof bits);
}

/// The number of `bits` bits, read as two's complement.
inline int signExtend(unsigned value, unsigned bits) {
  int sign = 1 << (bits - 1);
  return (static_cast<int>(value) ^ sign) - sign;
}

/// Copies one block from memory into a tensor. Layouts have:
///   format                      the QuantFormat
///   code(k)                     Place of an element's code
///   bias()                      what was added to the code before storing it
///   scale(g), minimum(g)        Places of a group's integers (super formats)
///   scaleAt(), minimumAt()      bytes of the block's numbers
template <typename Layout>
void readBlock(const Layout &layout, const std::byte *bytes, Tensor &tensor,
               int64_t firstElement) {
  const QuantFormat &format = layout.format;
  int64_t elements = format.blockElements();
  bool isSigned = format.zero == ZeroKind::Signed && layout.bias() == 0;
  for (int64_t k = 0; k < elements; ++k) {
    unsigned raw = readPlace(bytes, layout.code(k));
    int code = isSigned ? signExtend(raw, format.bits) : static_cast<int>(raw);
    tensor.codes[firstElement + k] = static_cast<int16_t>(code - layout.bias());
  }
  DType number = format.scale == ScaleKind::F32 ? DType::F32 : DType::F16;
  int64_t group = firstElement / format.group, super = firstElement / 256;
  double scale = readFloat(number, bytes + layout.scaleAt());
  double minimum =
      format.hasMinimum() ? readFloat(number, bytes + layout.minimumAt()) : 0;
  if (!format.hasSuperScale()) {
    tensor.scales[group] = scale;
    if (format.hasMinimum())
      tensor.minimums[group] = minimum;
    return;
  }
  tensor.superScales[super] = scale;
  if (format.hasMinimum())
    tensor.superMinimums[super] = minimum;
  for (int64_t g = 0; g < elements / format.group; ++g) {
    unsigned raw = readPlace(bytes, layout.scale(g));
    tensor.scales[group + g] =
        format.scale == ScaleKind::SuperI8 ? signExtend(raw, 8) : int(raw);
    if (format.hasMinimum())
      tensor.minimums[group + g] = readPlace(bytes, layout.minimum(g));
  }
}

/// The inverse, into zero bytes.
template <typename Layout>
void writeBlock(const Layout &layout, const Tensor &tensor,
                int64_t firstElement, std::byte *bytes) {
  const QuantFormat &format = layout.format;
  int64_t elements = format.blockElements();
  for (int64_t k = 0; k < elements; ++k)
    writePlace(
        bytes, layout.code(k),
        static_cast<unsigned>(tensor.codes[firstElement + k] + layout.bias()));
  DType number = format.scale == ScaleKind::F32 ? DType::F32 : DType::F16;
  int64_t group = firstElement / format.group, super = firstElement / 256;
  bool isSuper = format.hasSuperScale();
  writeFloat(number, isSuper ? tensor.superScales[super] : tensor.scales[group],
             bytes + layout.scaleAt());
  if (format.hasMinimum())
    writeFloat(number,
               isSuper ? tensor.superMinimums[super] : tensor.minimums[group],
               bytes + layout.minimumAt());
  for (int64_t g = 0; isSuper && g < elements / format.group; ++g) {
    writePlace(bytes, layout.scale(g),
               static_cast<unsigned>(int(tensor.scales[group + g])));
    if (format.hasMinimum())
      writePlace(bytes, layout.minimum(g),
                 static_cast<unsigned>(tensor.minimums[group + g]));
  }
}

} // namespace pagoda::reference

#endif // PAGODA_LIB_REFERENCE_OPS_BITPLACES_H
