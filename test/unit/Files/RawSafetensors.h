//===- RawSafetensors.h - Safetensors bytes without rules -------*- C++ -*-===//
//
// Puts any header before any amount of data. For tests of the reader.
//
//   std::string file = rawSafetensors(R"({"w": {"dtype": "F32",
//       "shape": [1], "data_offsets": [0, 4]}})", 4);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_FILES_RAWSAFETENSORS_H
#define PAGODA_TEST_UNIT_FILES_RAWSAFETENSORS_H

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace pagoda {

/// `header` with its true length in front, then `dataBytes` bytes 0, 1, 2, …
inline std::string rawSafetensors(std::string_view header, size_t dataBytes) {
  uint64_t length = header.size();
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  text += header;
  for (size_t i = 0; i < dataBytes; ++i)
    text += static_cast<char>(i);
  return text;
}

inline std::span<const std::byte> bytesOf(const std::string &text) {
  return std::as_bytes(std::span(text));
}

} // namespace pagoda

#endif // PAGODA_TEST_UNIT_FILES_RAWSAFETENSORS_H
