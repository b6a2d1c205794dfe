//===- GgufWriter.h - Writing GGUF files ------------------------*- C++ -*-===//
//
// Puts metadata and tensors into a GGUF file of version 3. For tests that need
// a model, and for export. What is written is read back by GgufFile before it
// gets its name, so that a file which other tools refuse is an error here.
//
//   GgufWriter writer;
//   writer.addString("general.architecture", "llama");
//   writer.addU32("llama.block_count", 2);
//   PAGODA_RETURN_IF_ERROR(
//       writer.addTensor("output.weight", {264, 64}, DType::F32, bytes));
//   PAGODA_RETURN_IF_ERROR(writer.write("m.gguf"));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_FILES_GGUFWRITER_H
#define PAGODA_FILES_GGUFWRITER_H

#include "pagoda/Base/DType.h"
#include "pagoda/Base/Status.h"
#include "pagoda/Files/GgufTypes.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

class GgufWriter {
public:
  /// `alignment`: of each tensor's data in the file.
  explicit GgufWriter(uint32_t alignment = 32);

  /// Metadata, in the order of the calls. A key added twice is an error of
  /// write().
  void addBool(std::string_view key, bool value);
  void addU32(std::string_view key, uint32_t value);
  void addI32(std::string_view key, int32_t value);
  void addU64(std::string_view key, uint64_t value);
  void addI64(std::string_view key, int64_t value);
  void addF32(std::string_view key, float value);
  void addF64(std::string_view key, double value);
  void addString(std::string_view key, std::string_view value);
  void addBools(std::string_view key, const std::vector<bool> &values);
  void addU32s(std::string_view key, std::span<const uint32_t> values);
  void addI32s(std::string_view key, std::span<const int32_t> values);
  void addF32s(std::string_view key, std::span<const float> values);
  void addStrings(std::string_view key, std::span<const std::string> values);

  /// A tensor of row-major `shape`. `bytes` must stay until the file is
  /// written. Errors: Unsupported where GGUF has no such type;
  /// InvalidArgument where shape and bytes do not agree.
  Status addTensor(std::string_view name, std::vector<int64_t> shape,
                   const ElementType &type, std::span<const std::byte> bytes);

  /// Writes under a temporary name beside `path` and renames.
  Status write(const std::string &path) const;
  /// The file in memory.
  StatusOr<std::string> toBytes() const;

private:
  struct Tensor {
    std::string name;
    std::vector<int64_t> shape;
    const GgufTensorType *type;
    std::span<const std::byte> bytes;
  };
  using Sink = std::function<void(std::string_view)>;

  void addKey(std::string_view key, GgufValueType type);
  void addArrayKey(std::string_view key, GgufValueType type, size_t count);
  std::string tables() const;
  void send(const Sink &sink) const;

  uint32_t alignment;
  uint64_t valueCount = 0;
  /// The metadata as it will stand in the file.
  std::string values;
  std::vector<Tensor> tensors;
};

} // namespace pagoda

#endif // PAGODA_FILES_GGUFWRITER_H
