#include "SafetensorsParser.h"

#include "ByteReader.h"
#include "QuotedName.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace pagoda {

namespace {

// The library's own limit.
constexpr uint64_t maxHeaderBytes = 100'000'000;

constexpr const char *incomplete =
    "; the file is incomplete, download it again";

struct TypeRow {
  std::string_view name;
  unsigned bits;
  std::optional<DType> type;
};

/// All types that safetensors 0.8 writes.
constexpr std::array<TypeRow, 22> typeRows = {{
    {"F64", 64, DType::F64}, {"F32", 32, DType::F32},
    {"F16", 16, DType::F16}, {"BF16", 16, DType::BF16},
    {"I64", 64, DType::I64}, {"I32", 32, DType::I32},
    {"I16", 16, DType::I16}, {"I8", 8, DType::I8},
    {"U8", 8, DType::U8},    {"BOOL", 8, DType::Bool},
    {"U64", 64, {}},         {"U32", 32, {}},
    {"U16", 16, {}},         {"C64", 64, {}},
    {"F8_E5M2", 8, {}},      {"F8_E4M3", 8, {}},
    {"F8_E8M0", 8, {}},      {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}},  {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},      {"F4", 4, {}},
}};

const TypeRow *findType(std::string_view name) {
  auto found = std::ranges::find(typeRows, name, &TypeRow::name);
  return found == typeRows.end() ? nullptr : &*found;
}

} // namespace

Status SafetensorsParser::parse() {
  std::string_view header;
  PAGODA_RETURN_IF_ERROR(readHeader(header));
  PAGODA_ASSIGN_OR_RETURN(JsonDocument document,
                          JsonDocument::parse(header, file.name));
  JsonValue root = document.root();
  if (!root.isObject())
    return corrupt("the header must be a JSON object, found ",
                   jsonKindName(root.kind()));
  entries.reserve(root.size());
  for (size_t i = 0; i < root.size(); ++i) {
    if (root.keyAt(i) == "__metadata__")
      PAGODA_RETURN_IF_ERROR(readMetadata(root[i]));
    else
      PAGODA_RETURN_IF_ERROR(readTensor(root.keyAt(i), root[i]));
  }
  return placeTensors();
}

Status SafetensorsParser::readHeader(std::string_view &header) {
  ByteReader reader(bytes);
  uint64_t length;
  if (!reader.read(length))
    return corrupt("a safetensors file has at least 8 bytes, this one has ",
                   bytes.size());
  if (length > maxHeaderBytes)
    return corrupt("not a safetensors file: its first 8 bytes would be a "
                   "header length of ",
                   length);
  std::span<const std::byte> text;
  if (!reader.take(length, text))
    return corrupt("the header should have ", length, " bytes, but only ",
                   reader.remaining(), " follow", incomplete);
  header = {reinterpret_cast<const char *>(text.data()), text.size()};
  data = bytes.subspan(reader.position());
  return Status();
}

Status SafetensorsParser::readMetadata(const JsonValue &value) {
  if (value.isNull())
    return Status();
  if (!value.isObject())
    return value.error(
        concat("must be an object, found ", jsonKindName(value.kind())));
  for (size_t i = 0; i < value.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view text, value[i].asString());
    file.texts.emplace_back(value.keyAt(i), text);
  }
  return Status();
}

Status SafetensorsParser::readTensor(std::string_view name,
                                     const JsonValue &value) {
  Entry entry;
  entry.tensor.name = name;
  PAGODA_ASSIGN_OR_RETURN(std::string_view typeName, value.getString("dtype"));
  const TypeRow *row = findType(typeName);
  if (!row)
    return corrupt("tensor ", quotedName(name), " has dtype ",
                   quotedName(typeName), ", which safetensors does not have");
  entry.tensor.typeName = row->name;
  entry.tensor.type = row->type;

  PAGODA_ASSIGN_OR_RETURN(JsonValue shape, value.getArray("shape"));
  entry.tensor.shape.reserve(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(int64_t size, shape[i].asInt());
    if (size < 0)
      return corrupt("tensor ", quotedName(name), " has a dimension of size ",
                     size);
    entry.tensor.shape.push_back(size);
  }
  PAGODA_RETURN_IF_ERROR(readOffsets(value, entry));
  PAGODA_RETURN_IF_ERROR(checkSize(entry, row->bits));
  entries.push_back(std::move(entry));
  return Status();
}

Status SafetensorsParser::readOffsets(const JsonValue &value, Entry &entry) {
  PAGODA_ASSIGN_OR_RETURN(JsonValue offsets, value.getArray("data_offsets"));
  if (offsets.size() != 2)
    return offsets.error(
        concat("must have 2 elements, found ", offsets.size()));
  PAGODA_ASSIGN_OR_RETURN(entry.begin, offsets[0].asUnsigned());
  PAGODA_ASSIGN_OR_RETURN(entry.end, offsets[1].asUnsigned());
  const std::string &name = entry.tensor.name;
  if (entry.begin > entry.end)
    return corrupt("tensor ", quotedName(name), " begins at byte ", entry.begin,
                   " and ends before it, at ", entry.end);
  return Status();
}

/// Whether type and shape need as many bytes as the offsets enclose.
Status SafetensorsParser::checkSize(const Entry &entry, unsigned bits) {
  const SafetensorsTensor &tensor = entry.tensor;
  uint64_t total = bits;
  // A dimension of 0 makes the tensor empty, however large the others are.
  bool counts = true;
  bool empty = std::ranges::find(tensor.shape, 0) != tensor.shape.end();
  for (int64_t size : tensor.shape)
    counts = counts && !__builtin_mul_overflow(total, size, &total);
  if (empty)
    total = 0;
  else if (!counts)
    return corrupt("tensor ", quotedName(tensor.name),
                   " has more elements than 64 bits can count");
  if (total % 8 != 0)
    return corrupt("tensor ", quotedName(tensor.name), " of type ",
                   tensor.typeName, " does not end at a whole byte");
  if (total / 8 != entry.end - entry.begin)
    return corrupt("tensor ", quotedName(tensor.name), " of type ",
                   tensor.typeName, " and shape [", join(tensor.shape),
                   "] needs ", total / 8, " bytes, but its data_offsets [",
                   entry.begin, ", ", entry.end, "] enclose ",
                   entry.end - entry.begin);
  return Status();
}

/// The tensors must cover the data without overlap, gap or rest: bytes that
/// nothing mentions are a sign of damage, or of something hidden.
Status SafetensorsParser::placeTensors() {
  auto place = [](const Entry &entry) {
    return std::tie(entry.begin, entry.end, entry.tensor.name);
  };
  std::ranges::sort(entries, {}, place);
  file.table.reserve(entries.size());
  uint64_t covered = 0;
  for (Entry &entry : entries) {
    std::string name = quotedName(entry.tensor.name);
    if (entry.end > data.size())
      return corrupt("tensor ", name, " ends at byte ", entry.end,
                     " of the data, but the file holds only ", data.size(),
                     " bytes of it", incomplete);
    if (entry.begin < covered)
      return corrupt("tensors ", quotedName(file.table.back().name), " and ",
                     name, " overlap");
    if (entry.begin > covered)
      return corrupt("bytes ", covered, " to ", entry.begin,
                     " of the data, in front of tensor ", name,
                     ", belong to no tensor");
    covered = entry.end;
    entry.tensor.bytes = data.subspan(entry.begin, entry.end - entry.begin);
    file.table.push_back(std::move(entry.tensor));
  }
  if (covered == data.size())
    return Status();
  if (file.table.empty())
    return corrupt(data.size(), " bytes of data belong to no tensor");
  return corrupt(data.size() - covered, " bytes after the last tensor, ",
                 quotedName(file.table.back().name), ", belong to no tensor");
}

} // namespace pagoda
