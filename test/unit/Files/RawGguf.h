//===- RawGguf.h - GGUF bytes without rules ---------------------*- C++ -*-===//
//
// Spells out the bytes of a GGUF file, right or wrong, where GgufWriter would
// refuse. For tests of the reader.
//
//   RawGguf raw(/*tensors=*/1, /*values=*/1);
//   raw.key("general.alignment", GgufValueType::U32).number(uint32_t(0));
//   raw.tensor("w", {4}, 0, 0).pad(32).zeros(16);
//   GgufFile::fromBytes(raw.bytes(), "t.gguf");
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_FILES_RAWGGUF_H
#define PAGODA_TEST_UNIT_FILES_RAWGGUF_H

#include "pagoda/Files/GgufTypes.h"

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

struct RawGguf {
  std::string text = "GGUF";

  explicit RawGguf(uint64_t tensors, uint64_t values, uint32_t version = 3) {
    number(version).number(tensors).number(values);
  }

  template <typename T>
  RawGguf &number(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    text.append(raw, sizeof(T));
    return *this;
  }
  RawGguf &string(std::string_view value) {
    number(uint64_t(value.size()));
    text += value;
    return *this;
  }
  RawGguf &key(std::string_view name, GgufValueType type) {
    return string(name).number(type);
  }
  /// `ne` in the order of the file: the contiguous dimension first.
  RawGguf &tensor(std::string_view name, std::vector<int64_t> ne, uint32_t type,
                  uint64_t offset) {
    string(name).number(uint32_t(ne.size()));
    for (int64_t size : ne)
      number(size);
    return number(type).number(offset);
  }
  RawGguf &pad(size_t alignment = 32) {
    text.resize((text.size() + alignment - 1) / alignment * alignment);
    return *this;
  }
  RawGguf &zeros(size_t count) {
    text.append(count, '\0');
    return *this;
  }

  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(text));
  }
};

} // namespace pagoda

#endif // PAGODA_TEST_UNIT_FILES_RAWGGUF_H
