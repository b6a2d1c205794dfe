#include "pagoda/Files/GgufWriter.h"

#include "QuotedName.h"
#include "pagoda/Files/Gguf.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace pagoda {

namespace {

template <typename T>
void append(std::string &out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void appendString(std::string &out, std::string_view text) {
  append(out, uint64_t(text.size()));
  out += text;
}

uint64_t alignUp(uint64_t size, uint64_t alignment) {
  if (alignment == 0)
    return size; // which the reader refuses
  return (size + alignment - 1) / alignment * alignment;
}

} // namespace

GgufWriter::GgufWriter(uint32_t alignment) : alignment(alignment) {
  if (alignment != 32)
    addU32("general.alignment", alignment);
}

void GgufWriter::addKey(std::string_view key, GgufValueType type) {
  appendString(values, key);
  append(values, type);
  ++valueCount;
}

void GgufWriter::addArrayKey(std::string_view key, GgufValueType type,
                             size_t count) {
  addKey(key, GgufValueType::Array);
  append(values, type);
  append(values, uint64_t(count));
}

void GgufWriter::addBool(std::string_view key, bool value) {
  addKey(key, GgufValueType::Bool);
  append(values, uint8_t(value));
}
void GgufWriter::addU32(std::string_view key, uint32_t value) {
  addKey(key, GgufValueType::U32);
  append(values, value);
}
void GgufWriter::addI32(std::string_view key, int32_t value) {
  addKey(key, GgufValueType::I32);
  append(values, value);
}
void GgufWriter::addU64(std::string_view key, uint64_t value) {
  addKey(key, GgufValueType::U64);
  append(values, value);
}
void GgufWriter::addI64(std::string_view key, int64_t value) {
  addKey(key, GgufValueType::I64);
  append(values, value);
}
void GgufWriter::addF32(std::string_view key, float value) {
  addKey(key, GgufValueType::F32);
  append(values, value);
}
void GgufWriter::addF64(std::string_view key, double value) {
  addKey(key, GgufValueType::F64);
  append(values, value);
}
void GgufWriter::addString(std::string_view key, std::string_view value) {
  addKey(key, GgufValueType::String);
  appendString(values, value);
}

void GgufWriter::addBools(std::string_view key,
                          const std::vector<bool> &elements) {
  addArrayKey(key, GgufValueType::Bool, elements.size());
  for (bool element : elements)
    append(values, uint8_t(element));
}
void GgufWriter::addU32s(std::string_view key,
                         std::span<const uint32_t> elements) {
  addArrayKey(key, GgufValueType::U32, elements.size());
  for (uint32_t element : elements)
    append(values, element);
}
void GgufWriter::addI32s(std::string_view key,
                         std::span<const int32_t> elements) {
  addArrayKey(key, GgufValueType::I32, elements.size());
  for (int32_t element : elements)
    append(values, element);
}
void GgufWriter::addF32s(std::string_view key,
                         std::span<const float> elements) {
  addArrayKey(key, GgufValueType::F32, elements.size());
  for (float element : elements)
    append(values, element);
}
void GgufWriter::addStrings(std::string_view key,
                            std::span<const std::string> elements) {
  addArrayKey(key, GgufValueType::String, elements.size());
  for (const std::string &element : elements)
    appendString(values, element);
}

Status GgufWriter::addTensor(std::string_view name, std::vector<int64_t> shape,
                             const ElementType &type,
                             std::span<const std::byte> bytes) {
  const GgufTensorType *stored = ggufTensorType(type);
  if (!stored)
    return unsupported("tensor ", quotedName(name), ": GGUF has no type for ",
                       type.name());
  // The reader checks dimensions one by one; here only the sum has to agree.
  uint64_t rows = 1;
  bool counts = !shape.empty();
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    counts &= shape[i] > 0 && !__builtin_mul_overflow(rows, shape[i], &rows);
  uint64_t needed = 0;
  counts &= counts && shape.back() > 0 &&
            shape.back() % stored->blockElements == 0 &&
            !__builtin_mul_overflow(rows, type.rowBytes(shape.back()), &needed);
  if (!counts || needed != bytes.size())
    return invalidArgument("tensor ", quotedName(name), " of shape [",
                           join(shape), "] and type ", stored->name,
                           " cannot have ", bytes.size(), " bytes");
  tensors.push_back({std::string(name), std::move(shape), stored, bytes});
  return Status();
}

/// All that stands in front of the tensor data, padded.
std::string GgufWriter::tables() const {
  std::string out = "GGUF";
  append(out, uint32_t(3));
  append(out, uint64_t(tensors.size()));
  append(out, valueCount);
  out += values;
  uint64_t offset = 0;
  for (const Tensor &tensor : tensors) {
    appendString(out, tensor.name);
    append(out, uint32_t(tensor.shape.size()));
    for (size_t i = tensor.shape.size(); i-- > 0;)
      append(out, tensor.shape[i]);
    append(out, tensor.type->id);
    append(out, offset);
    offset += alignUp(tensor.bytes.size(), alignment);
  }
  out.resize(alignUp(out.size(), alignment));
  return out;
}

void GgufWriter::send(const Sink &sink) const {
  sink(tables());
  for (const Tensor &tensor : tensors) {
    size_t size = tensor.bytes.size();
    sink({reinterpret_cast<const char *>(tensor.bytes.data()), size});
    sink(std::string(alignUp(size, alignment) - size, '\0'));
  }
}

StatusOr<std::string> GgufWriter::toBytes() const {
  std::string out;
  send([&](std::string_view piece) { out += piece; });
  auto check = GgufFile::fromBytes(std::as_bytes(std::span(out)), "new GGUF");
  if (!check.ok())
    return std::move(check).status();
  return out;
}

Status GgufWriter::write(const std::string &path) const {
  std::string temporary = path + ".partial";
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  send([&](std::string_view piece) {
    stream.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  });
  stream.close();
  Status status;
  if (!stream)
    status = ioError("cannot write '", temporary, "': ", std::strerror(errno));
  if (status.ok())
    status = GgufFile::open(temporary).status();
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0)
    status = ioError("cannot write '", path, "': ", std::strerror(errno));
  if (!status.ok())
    std::remove(temporary.c_str());
  return status;
}

} // namespace pagoda
