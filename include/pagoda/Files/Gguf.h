//===- Gguf.h - Reading GGUF files ------------------------------*- C++ -*-===//
//
// A GGUF model file (versions 2 and 3, little-endian), mapped: its metadata
// and its tensors. For the importer, the tokenizer and `pagoda inspect`.
// Opening is safe on any bytes: everything that the file says about itself is
// checked before it is used, and what passes can be read without checks. All
// views live as long as the GgufFile; its tables take less memory than four
// times the file's own tables.
//
//   PAGODA_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open("m.gguf"));
//   PAGODA_ASSIGN_OR_RETURN(uint32_t layers, file.getU32("llama.block_count"));
//   PAGODA_ASSIGN_OR_RETURN(const GgufTensor *embedding,
//                           file.tensor("token_embd.weight"));
//   embedding->shape();     // {49152, 576}: rows first, as everywhere here
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_FILES_GGUF_H
#define PAGODA_FILES_GGUF_H

#include "pagoda/Base/MappedFile.h"
#include "pagoda/Base/Status.h"
#include "pagoda/Files/GgufTypes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

/// A metadata entry: a scalar, a string or an array of either.
struct GgufValue {
  std::string_view key;
  /// Of the value; of the elements where it is an array.
  GgufValueType type = GgufValueType::U8;
  bool isArray = false;
  /// 1 unless it is an array.
  uint64_t count = 1;
  /// Little-endian and unaligned. A single string is just its text; in an
  /// array each string has its 8 bytes of length in front.
  std::span<const std::byte> bytes;
};

/// A tensor: a view into the file.
struct GgufTensor {
  std::string_view name;
  const GgufTensorType *type = nullptr;
  /// Row-major; the last dimension is contiguous. (The file itself stores
  /// dimensions in the opposite order.)
  std::span<const int64_t> shape() const { return {dimensions.data(), rank}; }
  /// Starts at a multiple of 8 in the file.
  std::span<const std::byte> bytes;

  std::array<int64_t, 4> dimensions{};
  unsigned rank = 0;
};

class GgufFile {
public:
  /// Errors: those of MappedFile::open; Unsupported for versions, byte orders
  /// and tensor types that cannot be read; CorruptData for everything else.
  static StatusOr<GgufFile> open(const std::string &path);
  /// As open, for bytes that are in memory and stay there. `name` stands for
  /// the path in messages.
  static StatusOr<GgufFile> fromBytes(std::span<const std::byte> bytes,
                                      std::string name);

  const std::string &path() const { return name; }
  uint32_t version() const { return formatVersion; }
  /// In the order of the file.
  std::span<const GgufValue> values() const { return entries; }
  std::span<const GgufTensor> tensors() const { return table; }

  /// Null if there is none.
  const GgufValue *findValue(std::string_view key) const;
  const GgufTensor *findTensor(std::string_view name) const;

  /// Metadata by key. Any stored integer type will do for an integer if the
  /// value fits, either float type for a float. A missing key is NotFound,
  /// unless there is an `otherwise` to take its place; a value of another
  /// kind is an error with or without it.
  StatusOr<bool> getBool(std::string_view key,
                         std::optional<bool> otherwise = {}) const;
  StatusOr<uint32_t> getU32(std::string_view key,
                            std::optional<uint32_t> otherwise = {}) const;
  StatusOr<int32_t> getI32(std::string_view key,
                           std::optional<int32_t> otherwise = {}) const;
  StatusOr<uint64_t> getU64(std::string_view key,
                            std::optional<uint64_t> otherwise = {}) const;
  StatusOr<int64_t> getI64(std::string_view key,
                           std::optional<int64_t> otherwise = {}) const;
  StatusOr<float> getF32(std::string_view key,
                         std::optional<float> otherwise = {}) const;
  StatusOr<double> getF64(std::string_view key,
                          std::optional<double> otherwise = {}) const;
  /// The text's encoding is not checked: vocabularies hold odd bytes.
  StatusOr<std::string_view>
  getString(std::string_view key,
            std::optional<std::string_view> otherwise = {}) const;

  /// Arrays, under the same rules. Numbers are copied, strings are views.
  StatusOr<std::vector<bool>> getBools(std::string_view key) const;
  StatusOr<std::vector<int32_t>> getI32s(std::string_view key) const;
  StatusOr<std::vector<int64_t>> getI64s(std::string_view key) const;
  StatusOr<std::vector<float>> getF32s(std::string_view key) const;
  StatusOr<std::vector<double>> getF64s(std::string_view key) const;
  StatusOr<std::vector<std::string_view>>
  getStrings(std::string_view key) const;

  /// A tensor that must be there.
  StatusOr<const GgufTensor *> tensor(std::string_view name) const;
  /// What its elements are, or the error that Pagoda does not read them.
  StatusOr<ElementType> elementType(const GgufTensor &tensor) const;

private:
  friend class GgufParser;

  GgufFile() = default;
  template <typename T>
  StatusOr<T> get(std::string_view key, std::optional<T> otherwise) const;
  template <typename T>
  StatusOr<std::vector<T>> getArray(std::string_view key) const;

  std::optional<MappedFile> mapping;
  std::string name;
  uint32_t formatVersion = 0;
  std::vector<GgufValue> entries;
  std::vector<GgufTensor> table;
  /// Positions in the two tables, sorted by key and by name.
  std::vector<uint32_t> entriesByKey;
  std::vector<uint32_t> tensorsByName;
};

} // namespace pagoda

#endif // PAGODA_FILES_GGUF_H
