//===- FlatReader.h - Looking into a tokenizer's tables ---------*- C++ -*-===//
//
// Views of a blob in FlatFormat. open() checks the directory; the views then
// cannot leave the blob whatever it holds: ids and offsets that they find in
// it are checked where they are used, and every search has an end.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_FLATREADER_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_FLATREADER_H

#include "FlatFormat.h"
#include "pagoda/Base/Status.h"

#include <cstddef>
#include <optional>
#include <span>

namespace pagoda::rt {

class FlatReader {
public:
  /// Errors: CorruptData, and Unsupported for another version.
  static StatusOr<FlatReader> open(std::span<const std::byte> blob);

  /// The elements of a section; none if it is absent.
  template <typename T>
  StatusOr<std::span<const T>> array(flat::Section kind) const {
    std::span<const std::byte> bytes = section(kind);
    if (bytes.size() % sizeof(T) != 0)
      return corruptData("tokenizer tables: section ",
                         static_cast<uint32_t>(kind), " has ", bytes.size(),
                         " bytes, no multiple of ", sizeof(T));
    return std::span<const T>(reinterpret_cast<const T *>(bytes.data()),
                              bytes.size() / sizeof(T));
  }
  /// The one element of a section.
  template <typename T>
  StatusOr<const T *> record(flat::Section kind) const {
    PAGODA_ASSIGN_OR_RETURN(std::span<const T> records, array<T>(kind));
    if (records.size() != 1)
      return corruptData("tokenizer tables: section ",
                         static_cast<uint32_t>(kind), " is missing");
    return records.data();
  }
  StatusOr<std::string_view> text(flat::Text text) const;

private:
  explicit FlatReader(std::span<const std::byte> blob) : blob(blob) {}
  std::span<const std::byte> section(flat::Section kind) const;

  std::span<const std::byte> blob;
  std::span<const flat::SectionEntry> entries;
};

/// The tokens: ids to bytes and back.
class TokenTable {
public:
  static StatusOr<TokenTable> open(const FlatReader &reader,
                                   const flat::Summary &summary);

  uint32_t size() const { return static_cast<uint32_t>(flags.size()); }
  /// TokenFlags of an id; 0 for an id that has no token.
  uint8_t flagsOf(uint32_t id) const { return id < size() ? flags[id] : 0; }
  /// Empty for an id that has no token.
  std::string_view bytesOf(uint32_t id) const {
    if (id >= size())
      return {};
    uint32_t begin = offsets[id], end = offsets[id + 1];
    if (begin > end || end > bytes.size())
      return {};
    return {bytes.data() + begin, end - begin};
  }
  /// The id of the token with these bytes and this spelling.
  std::optional<uint32_t> find(std::string_view bytes, bool verbatim) const;

private:
  std::span<const uint32_t> offsets;
  std::span<const char> bytes;
  std::span<const uint8_t> flags;
  std::span<const uint32_t> index;
  flat::TableShape shape = {};
};

/// Pairs of ids to what they merge into.
class PairTable {
public:
  static StatusOr<PairTable> open(std::span<const flat::PairSlot> slots,
                                  flat::TableShape shape);

  const flat::PairSlot *find(uint32_t left, uint32_t right) const {
    uint64_t slot = flat::hashPair(left, right, shape.seed);
    for (uint32_t probe = 0; probe < shape.maxProbes; ++probe, ++slot) {
      const flat::PairSlot &candidate = slots[slot & mask];
      if (candidate.left == left && candidate.right == right)
        return &candidate;
      if (candidate.left == flat::none)
        return nullptr;
    }
    return nullptr;
  }

private:
  std::span<const flat::PairSlot> slots;
  uint64_t mask = 0;
  flat::TableShape shape = {};
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_FLATREADER_H
