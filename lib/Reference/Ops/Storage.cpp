// Row-major tensors, as files hold them.

#include "pagoda/Reference/Ops/Storage.h"

#include "BitPlaces.h"

namespace pagoda::reference {

namespace {

/// A block of a GGUF file, or of a format that Pagoda built after GGUF's idea:
/// scale, minimum if there is one, codes.
struct FileBlock {
  QuantFormat format;

  bool isQ4K() const { return format.scale == ScaleKind::SuperU6; }
  bool isQ6K() const { return format.scale == ScaleKind::SuperI8; }
  int64_t numberBytes() const { return format.scale == ScaleKind::F32 ? 4 : 2; }

  static int bias() { return 0; }
  int64_t scaleAt() const { return isQ6K() ? 208 : 0; }
  int64_t minimumAt() const { return numberBytes(); }

  /// Plain formats: codes of 8 bits lie in order; of two codes of 4 bits in a
  /// byte the low one belongs to the first half of the group. In q4_k groups
  /// 2i and 2i + 1 share 32 bytes in that way. In q6_k the low four bits lie in
  /// 64 bytes for each half of 128 elements, two runs of 32 in the low nibbles
  /// and two in the high ones; the upper two bits of the four runs share 32
  /// bytes, the first run lowest.
  Place code(int64_t k) const {
    if (isQ4K())
      return {{16 + k / 64 * 32 + k % 32, k / 32 % 2 ? 4u : 0u, 4}};
    if (isQ6K()) {
      int64_t half = k / 128, run = k / 32 % 4, i = k % 32;
      return {{64 * half + 32 * (run % 2) + i, run / 2 ? 4u : 0u, 4},
              {128 + 32 * half + i, static_cast<unsigned>(2 * run), 2}};
    }
    int64_t first = numberBytes() * (format.hasMinimum() ? 2 : 1);
    if (format.bits == 8)
      return {{first + k, 0, 8}};
    int64_t half = format.group / 2;
    return {{first + k % half, k / half ? 4u : 0u, 4}};
  }

  /// q4_k: the first four scales, then the first four minimums, fill the low
  /// six bits of eight bytes. The other four have their low nibbles in four
  /// more bytes (scales low, minimums high) and their upper two bits above the
  /// first ones. q6_k: a signed byte each.
  Place scale(int64_t g) const {
    if (isQ6K())
      return {{192 + g, 0, 8}};
    if (g < 4)
      return {{4 + g, 0, 6}};
    return {{8 + g, 0, 4}, {g, 6, 2}};
  }
  Place minimum(int64_t g) const {
    if (g < 4)
      return {{8 + g, 0, 6}};
    return {{8 + g, 4, 4}, {4 + g, 6, 2}};
  }
};

double readInteger(DType type, const std::byte *at) {
  auto load = [&]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
  case DType::I64:
    return load(int64_t());
  case DType::I32:
    return load(int32_t());
  case DType::I16:
    return load(int16_t());
  case DType::I8:
    return load(int8_t());
  default:
    return load(uint8_t());
  }
}

/// Two's complement, little-endian.
void writeInteger(DType type, double value, std::byte *at) {
  auto bits = static_cast<int64_t>(value);
  std::memcpy(at, &bits, dtypeBytes(type));
}

double readScalar(DType type, const std::byte *at) {
  if (type == DType::F64) {
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  return isFloat(type) ? readFloat(type, at) : readInteger(type, at);
}

void writeScalar(DType type, double value, std::byte *at) {
  if (type == DType::F64)
    std::memcpy(at, &value, sizeof value);
  else if (isFloat(type))
    writeFloat(type, value, at);
  else
    writeInteger(type, value, at);
}

Status checkStorable(const ElementType &type) {
  if (!isStorable(type))
    return unsupported("tensors of ", type.name(), " have no storage here");
  return {};
}

} // namespace

bool isStorable(const ElementType &type) {
  if (!type.isQuantised())
    return true;
  const QuantFormat &format = type.format();
  if (format.hasSuperScale())
    return format == QuantFormat::q4_k() || format == QuantFormat::q6_k();
  return (format.bits == 4 || format.bits == 8) && format.group > 0 &&
         format.group % 2 == 0;
}

StatusOr<Tensor> loadRows(const ElementType &type, Shape shape,
                          std::span<const std::byte> bytes) {
  PAGODA_RETURN_IF_ERROR(checkStorable(type));
  int64_t elements = elementCount(shape);
  if (type.rowBytes(static_cast<uint64_t>(elements)) != bytes.size() ||
      elements % type.blockElements() != 0)
    return invalidArgument(elements, " elements of ", type.name(),
                           " do not have ", bytes.size(), " bytes");
  Tensor tensor = Tensor::zeros(type, std::move(shape));
  if (!type.isQuantised()) {
    unsigned size = dtypeBytes(type.dtype());
    for (int64_t i = 0; i < elements; ++i)
      tensor.numbers[i] = readScalar(type.dtype(), bytes.data() + i * size);
    return tensor;
  }
  FileBlock block{type.format()};
  for (int64_t i = 0; i < elements; i += type.blockElements())
    readBlock(block,
              bytes.data() + i / type.blockElements() * type.blockBytes(),
              tensor, i);
  return tensor;
}

StatusOr<std::vector<std::byte>> storeRows(const Tensor &tensor) {
  const ElementType &type = tensor.type;
  PAGODA_RETURN_IF_ERROR(checkStorable(type));
  int64_t elements = tensor.elements();
  std::vector<std::byte> bytes(type.rowBytes(static_cast<uint64_t>(elements)));
  if (!type.isQuantised()) {
    unsigned size = dtypeBytes(type.dtype());
    for (int64_t i = 0; i < elements; ++i)
      writeScalar(type.dtype(), tensor.numbers[i], bytes.data() + i * size);
    return bytes;
  }
  FileBlock block{type.format()};
  for (int64_t i = 0; i < elements; i += type.blockElements())
    writeBlock(block, tensor, i,
               bytes.data() + i / type.blockElements() * type.blockBytes());
  return bytes;
}

} // namespace pagoda::reference
