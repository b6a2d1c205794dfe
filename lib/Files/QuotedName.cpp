#include "QuotedName.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pagoda {

namespace {

/// Length of the well-formed UTF-8 sequence at the front, or 0.
size_t sequenceLength(std::string_view text) {
  auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t(0);
  };
  auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  uint8_t first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first < 0xe0)
    return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    bool overlong = first == 0xe0 && byte(1) < 0xa0;
    bool surrogate = first == 0xed && byte(1) >= 0xa0;
    return !overlong && !surrogate && continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    bool overlong = first == 0xf0 && byte(1) < 0x90;
    bool tooLarge = first == 0xf4 && byte(1) >= 0x90;
    return !overlong && !tooLarge && continues(1) && continues(2) &&
                   continues(3)
               ? 4
               : 0;
  }
  return 0;
}

} // namespace

std::string quotedName(std::string_view name) {
  constexpr size_t limit = 80;
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "'";
  size_t position = 0;
  while (position < name.size()) {
    size_t length = sequenceLength(name.substr(position));
    if (position + std::max<size_t>(length, 1) > limit) {
      text += "…";
      break;
    }
    auto first = static_cast<uint8_t>(name[position]);
    // C1 controls (U+0080 to U+009F) are spelt c2 80 to c2 9f.
    bool control =
        length < 2
            ? first < 0x20 || first == 0x7f
            : first == 0xc2 && static_cast<uint8_t>(name[position + 1]) < 0xa0;
    if (length != 0 && !control) {
      text += name.substr(position, length);
      position += length;
      continue;
    }
    text += "\\x";
    text += digits[first >> 4];
    text += digits[first & 15];
    ++position;
  }
  return text + "'";
}

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    size_t length = sequenceLength(text);
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

} // namespace pagoda
