//===- GgufParser.cpp - From bytes to a checked GgufFile ------------------===//
//
// One walk over the tables of a GGUF file. The rules are ggml's own, read from
// its loader and from the format's description, and a few that neither states:
// limits on counts (so that a damaged header cannot ask for all memory), no
// zero byte in a name (C programs would read another one), alignments up to a
// huge page, no overlap of tensors.
//
//===----------------------------------------------------------------------===//

#include "ByteReader.h"
#include "QuotedName.h"
#include "pagoda/Files/Gguf.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace pagoda {

namespace {

// Real models have some dozen keys and some thousand tensors.
constexpr uint64_t maxEntries = uint64_t(1) << 20;
// The smallest entries: a string of one byte, a type, a value of one byte;
// a string of one byte, a rank, one dimension, a type, an offset.
constexpr uint64_t minValueBytes = 8 + 1 + 4 + 1;
constexpr uint64_t minTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;
constexpr uint64_t maxKeyBytes = 65535;
constexpr uint64_t maxNameBytes = 63;
constexpr uint64_t maxAlignment = uint64_t(1) << 21;
constexpr uint64_t defaultAlignment = 32;

constexpr const char *incomplete =
    "; the file is incomplete, download or convert it again";

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// The positions of `items` in the order of their `member`.
template <typename Item>
std::vector<uint32_t> sortedBy(std::string_view Item::*member,
                               const std::vector<Item> &items) {
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](uint32_t i) { return items[i].*member; });
  return order;
}

/// The first text that two neighbours of `order` share; empty if none.
template <typename Item>
std::string_view repeated(std::string_view Item::*member,
                          const std::vector<Item> &items,
                          const std::vector<uint32_t> &order) {
  auto found = std::ranges::adjacent_find(
      order, {}, [&](uint32_t i) { return items[i].*member; });
  return found == order.end() ? std::string_view() : items[*found].*member;
}

} // namespace

class GgufParser {
public:
  GgufParser(std::span<const std::byte> bytes, GgufFile &file)
      : bytes(bytes), reader(bytes), file(file) {}

  Status parse() {
    PAGODA_RETURN_IF_ERROR(readHeader());
    PAGODA_RETURN_IF_ERROR(readValues());
    PAGODA_RETURN_IF_ERROR(readAlignment());
    PAGODA_RETURN_IF_ERROR(readTensors());
    return placeTensors();
  }

private:
  Status readHeader();
  Status readValues();
  Status readValue(uint64_t index);
  Status readArray(GgufValue &value, const std::string &what);
  Status readPayload(GgufValue &value, const std::string &what);
  Status readAlignment();
  Status readTensors();
  Status readTensor(uint64_t index);
  Status readShape(GgufTensor &tensor, const std::string &what);
  Status readTensorType(GgufTensor &tensor, const std::string &what);
  Status placeTensors();
  Status refuseOverlaps();

  Status checkCount(const char *what, uint64_t minBytes, uint64_t count);
  Status readString(const std::string &what, std::string_view &text);
  Status readName(const std::string &what, uint64_t maxBytes,
                  std::string_view &text);
  Status cutShort(const std::string &what) {
    return corruptData("file ends after ", bytes.size(), " bytes, in ", what,
                       incomplete);
  }

  /// Where a tensor's data lies, relative to the start of all data.
  struct Extent {
    uint64_t offset;
    uint64_t bytes;
  };

  std::span<const std::byte> bytes;
  ByteReader reader;
  GgufFile &file;
  uint64_t valueCount = 0;
  uint64_t tensorCount = 0;
  uint64_t alignment = defaultAlignment;
  std::vector<Extent> extents;
};

Status GgufParser::readHeader() {
  std::span<const std::byte> magic;
  if (!reader.take(4, magic) || asText(magic) != "GGUF")
    return corruptData("not a GGUF file: it does not start with 'GGUF'");
  uint32_t version;
  if (!reader.read(version))
    return cutShort("the header");
  // The other byte order shows in the version, which is a small number.
  if ((version & 0xffff) == 0)
    return unsupported("big-endian GGUF is not supported; convert it with "
                       "gguf-py's gguf-convert-endian");
  if (version != 2 && version != 3)
    return unsupported("GGUF version ", version,
                       " is not supported, only 2 and 3; convert the model "
                       "again");
  file.formatVersion = version;
  if (!reader.read(tensorCount) || !reader.read(valueCount))
    return cutShort("the header");
  PAGODA_RETURN_IF_ERROR(checkCount("tensors", minTensorBytes, tensorCount));
  return checkCount("metadata entries", minValueBytes, valueCount);
}

Status GgufParser::checkCount(const char *what, uint64_t minBytes,
                              uint64_t count) {
  if (count > maxEntries)
    return corruptData("header promises ", count, " ", what, "; at most ",
                       maxEntries, " are read");
  if (count > reader.remaining() / minBytes)
    return corruptData("header promises ", count, " ", what, ", but only ",
                       reader.remaining(), " bytes follow", incomplete);
  return Status();
}

Status GgufParser::readString(const std::string &what, std::string_view &text) {
  uint64_t length;
  if (!reader.read(length))
    return cutShort(what);
  std::span<const std::byte> taken;
  if (!reader.take(length, taken))
    return corruptData(what, " has a length of ", length, " bytes, but only ",
                       reader.remaining(), " bytes follow");
  text = asText(taken);
  return Status();
}

Status GgufParser::readName(const std::string &what, uint64_t maxBytes,
                            std::string_view &text) {
  PAGODA_RETURN_IF_ERROR(readString(what, text));
  if (text.empty())
    return corruptData(what, " is empty");
  if (text.size() > maxBytes)
    return corruptData(what, ", ", quotedName(text), ", has ", text.size(),
                       " bytes; at most ", maxBytes, " are allowed");
  if (!isUtf8(text))
    return corruptData(what, ", ", quotedName(text), ", is not UTF-8");
  if (text.find('\0') != text.npos)
    return corruptData(what, ", ", quotedName(text), ", holds a zero byte");
  return Status();
}

Status GgufParser::readValues() {
  file.entries.reserve(valueCount);
  for (uint64_t i = 0; i < valueCount; ++i)
    PAGODA_RETURN_IF_ERROR(readValue(i));
  file.entriesByKey = sortedBy(&GgufValue::key, file.entries);
  std::string_view twice =
      repeated(&GgufValue::key, file.entries, file.entriesByKey);
  if (!twice.empty())
    return corruptData("key ", quotedName(twice), " occurs twice");
  return Status();
}

Status GgufParser::readValue(uint64_t index) {
  GgufValue value;
  PAGODA_RETURN_IF_ERROR(
      readName(concat("key ", index), maxKeyBytes, value.key));
  std::string what = "key " + quotedName(value.key);
  uint32_t type;
  if (!reader.read(type))
    return cutShort(what);
  if (type >= ggufValueTypes)
    return corruptData(what, " has type ", type, ", which GGUF does not have");
  value.type = GgufValueType(type);
  if (value.type == GgufValueType::Array)
    PAGODA_RETURN_IF_ERROR(readArray(value, what));
  PAGODA_RETURN_IF_ERROR(readPayload(value, what));
  file.entries.push_back(value);
  return Status();
}

/// The element type and count in front of an array's elements.
Status GgufParser::readArray(GgufValue &value, const std::string &what) {
  uint32_t type;
  if (!reader.read(type) || !reader.read(value.count))
    return cutShort(what);
  if (type >= ggufValueTypes)
    return corruptData(what, " is an array of type ", type,
                       ", which GGUF does not have");
  value.isArray = true;
  value.type = GgufValueType(type);
  if (value.type == GgufValueType::Array)
    return unsupported(what, " is an array of arrays, which ggml does not "
                             "read either");
  unsigned minBytes = std::max(ggufValueBytes(value.type), 1u);
  if (value.type == GgufValueType::String)
    minBytes = 8;
  if (value.count > reader.remaining() / minBytes)
    return corruptData(what, " promises ", value.count, " elements, but only ",
                       reader.remaining(), " bytes follow");
  return Status();
}

/// The value itself, or the elements of an array (whose count is checked).
Status GgufParser::readPayload(GgufValue &value, const std::string &what) {
  if (value.type != GgufValueType::String) {
    if (!reader.take(value.count * ggufValueBytes(value.type), value.bytes))
      return cutShort(what);
    auto isBool = [](std::byte b) { return b <= std::byte(1); };
    if (value.type == GgufValueType::Bool &&
        !std::ranges::all_of(value.bytes, isBool))
      return corruptData(what, " holds a bool that is neither 0 nor 1");
    return Status();
  }
  uint64_t start = reader.position();
  std::string_view text;
  for (uint64_t i = 0; i < value.count; ++i)
    PAGODA_RETURN_IF_ERROR(readString(what, text));
  value.bytes = value.isArray ? bytes.subspan(start, reader.position() - start)
                              : std::as_bytes(std::span(text));
  return Status();
}

Status GgufParser::readAlignment() {
  const GgufValue *value = file.findValue("general.alignment");
  if (!value)
    return Status();
  if (value->isArray || value->type != GgufValueType::U32)
    return corruptData("key 'general.alignment' must be a u32, but is ",
                       value->isArray ? "an array" : "of type ",
                       value->isArray ? "" : ggufValueTypeName(value->type));
  uint32_t number = 0;
  ByteReader(value->bytes).read(number);
  // Below 8 the format forbids it (and numbers could not be read in place).
  if (!std::has_single_bit(number) || number < 8 || number > maxAlignment)
    return corruptData("key 'general.alignment' is ", number,
                       "; a power of two from 8 to ", maxAlignment,
                       " is expected");
  alignment = number;
  return Status();
}

Status GgufParser::readTensors() {
  file.table.reserve(tensorCount);
  extents.reserve(tensorCount);
  for (uint64_t i = 0; i < tensorCount; ++i)
    PAGODA_RETURN_IF_ERROR(readTensor(i));
  file.tensorsByName = sortedBy(&GgufTensor::name, file.table);
  std::string_view twice =
      repeated(&GgufTensor::name, file.table, file.tensorsByName);
  if (!twice.empty())
    return corruptData("tensor ", quotedName(twice), " occurs twice");
  return Status();
}

Status GgufParser::readTensor(uint64_t index) {
  GgufTensor tensor;
  PAGODA_RETURN_IF_ERROR(readName(concat("the name of tensor ", index),
                                  maxNameBytes, tensor.name));
  std::string what = "tensor " + quotedName(tensor.name);
  PAGODA_RETURN_IF_ERROR(readShape(tensor, what));
  PAGODA_RETURN_IF_ERROR(readTensorType(tensor, what));
  uint64_t offset;
  if (!reader.read(offset))
    return cutShort(what);
  if (offset % alignment != 0)
    return corruptData(what, " has offset ", offset,
                       ", which is not a multiple of the alignment, ",
                       alignment);
  extents.back().offset = offset;
  file.table.push_back(tensor);
  return Status();
}

Status GgufParser::readShape(GgufTensor &tensor, const std::string &what) {
  uint32_t rank;
  if (!reader.read(rank))
    return cutShort(what);
  if (rank < 1 || rank > tensor.dimensions.size())
    return corruptData(what, " has ", rank, " dimensions; 1 to ",
                       tensor.dimensions.size(), " are allowed");
  tensor.rank = rank;
  int64_t elements = 1;
  // The file starts with the contiguous dimension.
  for (unsigned i = rank; i-- > 0;) {
    int64_t &size = tensor.dimensions[i];
    if (!reader.read(size))
      return cutShort(what);
    if (size < 1)
      return corruptData(what, " has a dimension of size ", size);
    if (__builtin_mul_overflow(elements, size, &elements))
      return corruptData(what, " has more elements than 64 bits can count");
  }
  return Status();
}

Status GgufParser::readTensorType(GgufTensor &tensor, const std::string &what) {
  uint32_t id;
  if (!reader.read(id))
    return cutShort(what);
  tensor.type = ggufTensorType(id);
  if (!tensor.type)
    return unsupported(what, " has type id ", id, ", which is not known");
  auto blockElements = static_cast<int64_t>(tensor.type->blockElements);
  int64_t row = tensor.shape().back();
  if (row % blockElements != 0)
    return corruptData(what, " has rows of ", row, " elements; ",
                       tensor.type->name, " needs a multiple of ",
                       blockElements);
  int64_t blocks = row / blockElements;
  for (int64_t size : tensor.shape().first(tensor.rank - 1))
    blocks *= size; // at most the number of elements, which was checked
  uint64_t size;
  if (__builtin_mul_overflow(static_cast<uint64_t>(blocks),
                             uint64_t(tensor.type->blockBytes), &size))
    return corruptData(what, " has more bytes than 64 bits can count");
  extents.push_back({0, size});
  return Status();
}

Status GgufParser::placeTensors() {
  if (file.table.empty())
    return Status(); // a vocabulary alone; such files need no padding
  uint64_t start = (reader.position() + alignment - 1) & ~(alignment - 1);
  uint64_t held = bytes.size() < start ? 0 : bytes.size() - start;
  for (size_t i = 0; i < extents.size(); ++i) {
    const Extent &extent = extents[i];
    GgufTensor &tensor = file.table[i];
    if (extent.offset > held || extent.bytes > held - extent.offset)
      return corruptData("tensor ", quotedName(tensor.name), " needs ",
                         extent.bytes, " bytes at offset ", extent.offset,
                         " of the tensor data, but the file holds only ", held,
                         " bytes of it", incomplete);
    tensor.bytes = bytes.subspan(start + extent.offset, extent.bytes);
  }
  return refuseOverlaps();
}

/// ggml wants tensors one after the other, padded and in order. Order and gaps
/// do no harm; sharing bytes is what no converter does.
Status GgufParser::refuseOverlaps() {
  std::vector<uint32_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](uint32_t i) { return extents[i].offset; });
  for (size_t i = 1; i < order.size(); ++i) {
    const Extent &previous = extents[order[i - 1]];
    if (extents[order[i]].offset - previous.offset < previous.bytes)
      return corruptData("tensors ", quotedName(file.table[order[i - 1]].name),
                         " and ", quotedName(file.table[order[i]].name),
                         " overlap in the file");
  }
  return Status();
}

StatusOr<GgufFile> GgufFile::fromBytes(std::span<const std::byte> bytes,
                                       std::string name) {
  GgufFile file;
  file.name = std::move(name);
  PAGODA_RETURN_IF_ERROR(
      GgufParser(bytes, file).parse().withContext(file.name));
  return file;
}

StatusOr<GgufFile> GgufFile::open(const std::string &path) {
  PAGODA_ASSIGN_OR_RETURN(MappedFile mapping, MappedFile::open(path));
  PAGODA_ASSIGN_OR_RETURN(GgufFile file, fromBytes(mapping.bytes(), path));
  file.mapping = std::move(mapping);
  return file;
}

} // namespace pagoda
