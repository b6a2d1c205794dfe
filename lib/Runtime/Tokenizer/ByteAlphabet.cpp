#include "ByteAlphabet.h"

#include "Utf8.h"

#include <array>

namespace pagoda::rt {

namespace {

constexpr bool standsForItself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) ||
         byte >= 0xae;
}

/// The byte that each code point stands for, or -1.
constexpr std::array<int16_t, 0x144> makeTable() {
  std::array<int16_t, 0x144> table{};
  table.fill(-1);
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte)
    table[standsForItself(byte) ? byte : next++] = static_cast<int16_t>(byte);
  return table;
}

constexpr auto byteOf = makeTable();

} // namespace

std::optional<std::string> bytesFromAlphabet(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    CodePoint c = firstCodePoint(text);
    if (c.value >= byteOf.size() || byteOf[c.value] < 0)
      return std::nullopt;
    bytes += static_cast<char>(byteOf[c.value]);
    text.remove_prefix(c.bytes);
  }
  return bytes;
}

} // namespace pagoda::rt
