//===- Safetensors.h - Reading safetensors files ----------------*- C++ -*-===//
//
// Tensors of a Hugging Face model, mapped: one file, or a folder with one or
// several shards. For the importer, calibration files, adapters. Opening is
// safe on any bytes: the header is read strictly and must account for every
// byte of the data, so that what passes can be read without checks.
//
//   PAGODA_ASSIGN_OR_RETURN(SafetensorsSet model,
//                           SafetensorsSet::open("models/llama"));
//   PAGODA_ASSIGN_OR_RETURN(const SafetensorsTensor *norm,
//                           model.tensor("model.norm.weight"));
//   PAGODA_ASSIGN_OR_RETURN(ElementType type, model.elementType(*norm));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_FILES_SAFETENSORS_H
#define PAGODA_FILES_SAFETENSORS_H

#include "pagoda/Base/DType.h"
#include "pagoda/Base/MappedFile.h"
#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pagoda {

/// A tensor: its description, and a view into the file.
struct SafetensorsTensor {
  std::string name;
  /// As the file spells it: "BF16", "F8_E4M3".
  std::string_view typeName;
  /// Empty for types that Pagoda does not read yet.
  std::optional<DType> type;
  /// Row-major; empty for a scalar. Dimensions may be 0.
  std::vector<int64_t> shape;
  /// Not always aligned for the type: older writers did not pad the header.
  std::span<const std::byte> bytes;
};

class SafetensorsFile {
public:
  /// Errors: those of MappedFile::open; CorruptData.
  static StatusOr<SafetensorsFile> open(const std::string &path);
  /// As open, for bytes that are in memory and stay there. `name` stands for
  /// the path in messages.
  static StatusOr<SafetensorsFile> fromBytes(std::span<const std::byte> bytes,
                                             std::string name);

  const std::string &path() const { return name; }
  /// In the order of their data.
  std::span<const SafetensorsTensor> tensors() const { return table; }
  /// Null if there is none.
  const SafetensorsTensor *findTensor(std::string_view name) const;
  /// A tensor that must be there.
  StatusOr<const SafetensorsTensor *> tensor(std::string_view name) const;
  /// What its elements are, or the error that Pagoda does not read them.
  StatusOr<ElementType> elementType(const SafetensorsTensor &tensor) const;
  /// The texts of "__metadata__", such as {"format", "pt"}.
  std::span<const std::pair<std::string, std::string>> metadata() const {
    return texts;
  }

private:
  friend class SafetensorsParser;

  SafetensorsFile() = default;

  std::optional<MappedFile> mapping;
  std::string name;
  std::vector<SafetensorsTensor> table;
  /// Positions in the table, sorted by name.
  std::vector<uint32_t> byName;
  std::vector<std::pair<std::string, std::string>> texts;
};

/// The tensors of a model folder: model.safetensors, or else the shards that
/// model.safetensors.index.json lists. As in transformers, every tensor of a
/// listed shard belongs to the model, whether the index mentions it or not;
/// but what the index mentions must be where it says, and no name may stand
/// in two shards.
class SafetensorsSet {
public:
  /// Errors: NotFound for a folder without weights; those of the files;
  /// CorruptData where index and shards do not agree.
  static StatusOr<SafetensorsSet> open(const std::string &folder);

  const std::string &path() const { return folder; }
  std::span<const SafetensorsFile> files() const { return shards; }
  /// Sorted by name.
  std::span<const SafetensorsTensor *const> tensors() const { return table; }
  /// As in SafetensorsFile.
  const SafetensorsTensor *findTensor(std::string_view name) const;
  StatusOr<const SafetensorsTensor *> tensor(std::string_view name) const;
  StatusOr<ElementType> elementType(const SafetensorsTensor &tensor) const;

private:
  SafetensorsSet() = default;
  Status openShards(const std::string &index);
  Status collect();

  std::string folder;
  std::vector<SafetensorsFile> shards;
  /// They point into the shards' tables, which do not move with the set.
  std::vector<const SafetensorsTensor *> table;
};

} // namespace pagoda

#endif // PAGODA_FILES_SAFETENSORS_H
