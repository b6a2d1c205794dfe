#include "pagoda/Weights/Packing.h"

#include "pagoda/Weights/BlockCodec.h"

#include <cstring>

namespace pagoda {

namespace {

/// Bytes of a record, and the inputs it covers, for each element type.
struct Record {
  int64_t elements;
  uint64_t bytes;
};

std::optional<Record> recordOf(const ElementType &type) {
  if (type.isQuantised()) {
    const QuantFormat &format = type.format();
    if (format == QuantFormat::q4_0())
      return Record{32, 512 + 64};
    if (format == QuantFormat::q4_1())
      return Record{32, 512 + 128};
    if (format == QuantFormat::q8_0())
      return Record{32, 1024 + 64};
    if (format == QuantFormat::q4_k())
      return Record{256, 128 + 8 * (512 + 64)};
    if (format == QuantFormat::q6_k())
      return Record{256, 64 + 8 * (512 + 256 + 64)};
    return std::nullopt;
  }
  switch (type.dtype()) {
  case DType::F32:
    return Record{32, 4096};
  case DType::F16:
  case DType::BF16:
    return Record{32, 2048};
  default:
    return std::nullopt;
  }
}

uint32_t loadWord(const std::byte *p) {
  uint32_t word;
  std::memcpy(&word, p, 4);
  return word;
}
void storeWord(std::byte *p, uint32_t word) { std::memcpy(p, &word, 4); }

/// Puts one row's block of a format with f16 scales into place `n` of a
/// record. GGUF pairs element j with j + 16 in a byte as the record does, so
/// nibbles move as words.
void packHalfScaled(const QuantFormat &format, const std::byte *block, int n,
                    std::byte *record) {
  bool minimum = format.hasMinimum();
  const std::byte *codes = block + (minimum ? 4 : 2);
  int words = format.bits == 4 ? 4 : 8;
  // Signed codes of 8 bits are stored with 128 added.
  uint32_t flip = format.bits == 8 ? 0x80808080 : 0;
  for (int s = 0; s < words; ++s)
    storeWord(record + s * 128 + n * 4, loadWord(codes + s * 4) ^ flip);
  std::byte *scales = record + words * 128;
  std::memcpy(scales + n * 2, block, 2);
  if (minimum)
    std::memcpy(scales + 64 + n * 2, block + 2, 2);
}

/// The 6-bit scale and minimum of group `g` in 12 bytes of a q4_k block.
struct ScalePair {
  uint8_t scale, minimum;
};
ScalePair unpackPair(const std::byte *bytes, int g) {
  auto at = [&](int i) { return std::to_integer<unsigned>(bytes[i]); };
  if (g < 4)
    return {static_cast<uint8_t>(at(g) & 63),
            static_cast<uint8_t>(at(g + 4) & 63)};
  return {static_cast<uint8_t>((at(g + 4) & 15) | (at(g - 4) >> 6) << 4),
          static_cast<uint8_t>((at(g + 4) >> 4) | (at(g) >> 6) << 4)};
}

void packQ4K(const std::byte *block, int n, std::byte *record) {
  std::memcpy(record + n * 2, block, 2);
  std::memcpy(record + 64 + n * 2, block + 2, 2);
  for (int g = 0; g < 8; ++g) {
    std::byte *part = record + 128 + g * 576;
    const std::byte *codes = block + 16 + g / 2 * 32;
    int shift = g % 2 * 4;
    for (int s = 0; s < 4; ++s) {
      uint32_t low = loadWord(codes + s * 4) >> shift & 0x0f0f0f0f;
      uint32_t high = loadWord(codes + 16 + s * 4) >> shift & 0x0f0f0f0f;
      storeWord(part + s * 128 + n * 4, low | high << 4);
    }
    ScalePair pair = unpackPair(block + 4, g);
    part[512 + n] = std::byte(pair.scale);
    part[544 + n] = std::byte(pair.minimum);
  }
}

void packQ6K(const std::byte *block, int n, std::byte *record) {
  int16_t codes[256];
  (void)unpackCodes(QuantFormat::q6_k(), {block, 210}, codes);
  std::memcpy(record + n * 2, block + 208, 2);
  for (int g = 0; g < 8; ++g) {
    std::byte *part = record + 64 + g * 832;
    for (int k = 0; k < 32; ++k) {
      unsigned code = static_cast<unsigned>(codes[g * 32 + k]);
      part[k % 16 / 4 * 128 + n * 4 + k % 4] |=
          std::byte((code & 15) << (k / 16 * 4));
      part[512 + k % 8 / 4 * 128 + n * 4 + k % 4] |=
          std::byte((code >> 4) << (k / 8 * 2));
    }
    part[768 + n] = block[192 + 2 * g];
    part[800 + n] = block[192 + 2 * g + 1];
  }
}

/// Spreads a row of 2- or 4-byte floats over the tile: element k goes to row
/// k of the records, or, for bf16, to half k % 2 of row k / 2.
void packFloats(DType type, const std::byte *row, int64_t elements, int n,
                std::byte *tile) {
  if (type == DType::F32) {
    for (int64_t k = 0; k < elements; ++k)
      std::memcpy(tile + (k * 32 + n) * 4, row + k * 4, 4);
  } else if (type == DType::F16) {
    for (int64_t k = 0; k < elements; ++k)
      std::memcpy(tile + (k * 32 + n) * 2, row + k * 2, 2);
  } else {
    for (int64_t k = 0; k < elements; ++k)
      std::memcpy(tile + k / 2 * 128 + n * 4 + k % 2 * 2, row + k * 2, 2);
  }
}

void packRow(const ElementType &type, const std::byte *row, int64_t elements,
             int n, const Record &record, std::byte *tile) {
  if (!type.isQuantised())
    return packFloats(type.dtype(), row, elements, n, tile);
  const QuantFormat &format = type.format();
  unsigned blockBytes = format.blockBytes();
  for (int64_t k = 0; k < elements; k += record.elements) {
    if (format == QuantFormat::q4_k())
      packQ4K(row, n, tile);
    else if (format == QuantFormat::q6_k())
      packQ6K(row, n, tile);
    else
      packHalfScaled(format, row, n, tile);
    row += blockBytes;
    tile += record.bytes;
  }
}

} // namespace

StatusOr<uint64_t> packedTileBytes(const ElementType &type, int64_t elements) {
  auto record = recordOf(type);
  if (!record)
    return unsupported("weights of ", type.name(),
                       " have no packed form for kernels yet");
  return static_cast<uint64_t>((elements + record->elements - 1) /
                               record->elements) *
         record->bytes;
}

StatusOr<PackedWeight> PackedWeight::create(Weight matrix) {
  if (matrix->shape().size() != 2)
    return invalidArgument("only matrices are packed, found rank ",
                           matrix->shape().size());
  PAGODA_ASSIGN_OR_RETURN(
      uint64_t bytes, packedTileBytes(matrix->type(), matrix->rowElements()));
  return PackedWeight(std::move(matrix), bytes);
}

uint64_t PackedWeight::tiles() const {
  return (matrix->rows() + kTileRows - 1) / kTileRows;
}

Status PackedWeight::readTiles(uint64_t first, uint64_t count,
                               std::byte *out) const {
  std::memset(out, 0, count * bytesOfTile);
  Record record = *recordOf(matrix->type());
  uint64_t rowBytes = matrix->rowBytes();
  std::vector<std::byte> rows(kTileRows * rowBytes);
  for (uint64_t tile = first; tile < first + count; ++tile) {
    uint64_t begin = tile * kTileRows;
    uint64_t size = std::min<uint64_t>(kTileRows, matrix->rows() - begin);
    PAGODA_RETURN_IF_ERROR(matrix->readRows(begin, size, rows.data()));
    for (uint64_t n = 0; n < size; ++n)
      packRow(matrix->type(), rows.data() + n * rowBytes, matrix->rowElements(),
              static_cast<int>(n), record, out);
    out += bytesOfTile;
  }
  return {};
}

} // namespace pagoda
