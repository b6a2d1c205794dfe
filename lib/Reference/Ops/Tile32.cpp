// Matrices in the layout `tile32` (docs/packing.md). A matrix [N, K] is cut
// into tiles of 32 rows, a tile into records of 32 (or 256) columns. Row n of
// a tile is a lane of its records: what belongs to it lies at a fixed distance
// from what belongs to row 0.

#include "pagoda/Reference/Ops/Storage.h"

#include "BitPlaces.h"

#include <optional>

namespace pagoda::reference {

namespace {

constexpr int64_t kLanes = 32;

/// Four columns share a 32-bit word in each lane, and the words of all lanes
/// follow each other: this is the byte of column k, counted from the word of
/// columns 0 to 3.
int64_t laneByte(int64_t k, int64_t lane) {
  return k / 4 * (kLanes * 4) + lane * 4 + k % 4;
}

/// One lane of a record of quantised columns.
struct TileLane {
  QuantFormat format;
  int64_t lane;

  bool isQ4K() const { return format.scale == ScaleKind::SuperU6; }
  bool isQ6K() const { return format.scale == ScaleKind::SuperI8; }

  /// Columns k and k + 16 share a byte, the second in the upper half.
  Bits nibble(int64_t k) const {
    return {laneByte(k % 16, lane), k / 16 ? 4u : 0u, 4};
  }
  /// Two bits each of columns k, k + 8, k + 16 and k + 24 share a byte.
  Bits pair(int64_t k) const {
    return {laneByte(k % 8, lane), static_cast<unsigned>(k / 8 * 2), 2};
  }
  static Bits after(int64_t bytes, Bits bits) {
    bits.byte += bytes;
    return bits;
  }

  /// A record of q4_k and q6_k starts with 32 f16 scales (and minimums) for
  /// all its 256 columns; then come eight parts of 32 columns.
  int64_t part(int64_t index) const {
    return isQ4K() ? 128 + index * 576 : 64 + index * 832;
  }
  int64_t codeBytes() const { return format.bits == 4 ? 512 : 1024; }

  // Signed bytes are stored with 128 added, so that they are unsigned.
  int bias() const {
    return format.zero == ZeroKind::Signed ? 1 << (format.bits - 1) : 0;
  }

  Place code(int64_t k) const {
    if (isQ4K())
      return {after(part(k / 32), nibble(k % 32))};
    if (isQ6K())
      return {after(part(k / 32), nibble(k % 32)),
              after(part(k / 32) + 512, pair(k % 32))};
    if (format.bits == 4)
      return {nibble(k)};
    return {{laneByte(k, lane), 0, 8}};
  }
  Place scale(int64_t g) const {
    if (isQ4K())
      return {{part(g) + 512 + lane, 0, 8}};
    return {{part(g / 2) + 768 + g % 2 * kLanes + lane, 0, 8}};
  }
  Place minimum(int64_t g) const { return {{part(g) + 544 + lane, 0, 8}}; }
  int64_t scaleAt() const {
    return (format.hasSuperScale() ? 0 : codeBytes()) + lane * 2;
  }
  int64_t minimumAt() const { return scaleAt() + kLanes * 2; }
};

/// Columns and bytes of a record.
struct Record {
  int64_t columns, bytes;
};

std::optional<Record> recordOf(const ElementType &type) {
  if (!type.isQuantised()) {
    if (type.dtype() == DType::F32)
      return Record{32, 32 * kLanes * 4};
    if (type.dtype() == DType::F16 || type.dtype() == DType::BF16)
      return Record{32, 32 * kLanes * 2};
    return std::nullopt;
  }
  const QuantFormat &format = type.format();
  int64_t numbers = kLanes * 2 * (format.hasMinimum() ? 2 : 1);
  if (format == QuantFormat::q4_k())
    return Record{256, numbers + 8 * (512 + 2 * kLanes)};
  if (format == QuantFormat::q6_k())
    return Record{256, numbers + 8 * (512 + 256 + 2 * kLanes)};
  if (format == QuantFormat::q4_0() || format == QuantFormat::q4_1())
    return Record{32, 512 + numbers};
  if (format == QuantFormat::q8_0())
    return Record{32, 1024 + numbers};
  return std::nullopt;
}

/// The byte of a float in a tile. f32 and f16: a line of 32 lanes for each
/// column. bf16: columns 2i and 2i + 1 of a lane are neighbours.
int64_t floatByte(DType type, int64_t k, int64_t lane) {
  if (type == DType::BF16)
    return k / 2 * (kLanes * 4) + lane * 4 + k % 2 * 2;
  return (k * kLanes + lane) * dtypeBytes(type);
}

} // namespace

StatusOr<int64_t> tile32Bytes(const ElementType &type, int64_t columns) {
  std::optional<Record> record = recordOf(type);
  if (!record)
    return unsupported("matrices of ", type.name(), " have no tile32 form");
  return (columns + record->columns - 1) / record->columns * record->bytes;
}

StatusOr<std::vector<std::byte>> packTile32(const Tensor &matrix) {
  int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  PAGODA_ASSIGN_OR_RETURN(int64_t tileBytes, tile32Bytes(matrix.type, columns));
  Record record = *recordOf(matrix.type);
  int64_t tiles = (rows + kLanes - 1) / kLanes;
  std::vector<std::byte> bytes(static_cast<size_t>(tiles * tileBytes));
  for (int64_t row = 0; row < rows; ++row) {
    std::byte *tile = bytes.data() + row / kLanes * tileBytes;
    int64_t lane = row % kLanes;
    if (!matrix.type.isQuantised()) {
      DType type = matrix.type.dtype();
      for (int64_t k = 0; k < columns; ++k)
        writeFloat(type, matrix.numbers[row * columns + k],
                   tile + floatByte(type, k, lane));
      continue;
    }
    TileLane layout{matrix.type.format(), lane};
    for (int64_t k = 0; k < columns; k += record.columns)
      writeBlock(layout, matrix, row * columns + k,
                 tile + k / record.columns * record.bytes);
  }
  return bytes;
}

StatusOr<Tensor> unpackTile32(const ElementType &type, int64_t columns,
                              std::span<const std::byte> bytes,
                              int64_t firstRow, int64_t rows) {
  PAGODA_ASSIGN_OR_RETURN(int64_t tileBytes, tile32Bytes(type, columns));
  Record record = *recordOf(type);
  Tensor matrix = Tensor::zeros(type, {rows, columns});
  for (int64_t row = 0; row < rows; ++row) {
    int64_t tileIndex = (firstRow + row) / kLanes;
    int64_t lane = (firstRow + row) % kLanes;
    if ((tileIndex + 1) * tileBytes > static_cast<int64_t>(bytes.size()))
      return invalidArgument("row ", firstRow + row,
                             " lies behind the packed tiles");
    const std::byte *tile = bytes.data() + tileIndex * tileBytes;
    if (!type.isQuantised()) {
      for (int64_t k = 0; k < columns; ++k)
        matrix.numbers[row * columns + k] =
            readFloat(type.dtype(), tile + floatByte(type.dtype(), k, lane));
      continue;
    }
    TileLane layout{type.format(), lane};
    for (int64_t k = 0; k < columns; k += record.columns)
      readBlock(layout, tile + k / record.columns * record.bytes, matrix,
                row * columns + k);
  }
  return matrix;
}

} // namespace pagoda::reference
