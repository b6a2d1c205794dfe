#include "Utf8.h"

#include "UnicodeAdditions.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utf8proc.h>
#include <vector>

namespace pagoda::rt {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// What a lead byte promises: the length of its sequence and the range of the
/// second byte (narrower than 80..BF where long forms, surrogates and values
/// above U+10FFFF have to be kept out). Length 0: not a lead byte.
struct Lead {
  unsigned length;
  uint8_t low, high;
};

Lead leadOf(uint8_t byte) {
  if (byte < 0x80)
    return {1, 0, 0};
  if (byte < 0xc2 || byte > 0xf4)
    return {0, 0, 0};
  if (byte < 0xe0)
    return {2, 0x80, 0xbf};
  if (byte < 0xf0)
    return {3, static_cast<uint8_t>(byte == 0xe0 ? 0xa0 : 0x80),
            static_cast<uint8_t>(byte == 0xed ? 0x9f : 0xbf)};
  return {4, static_cast<uint8_t>(byte == 0xf0 ? 0x90 : 0x80),
          static_cast<uint8_t>(byte == 0xf4 ? 0x8f : 0xbf)};
}

/// How many bytes at the start of `bytes` belong to one sequence, complete or
/// not (1 for a byte that starts none), and whether it is complete.
struct Sequence {
  size_t bytes;
  bool complete;
  /// Not complete, but only because `bytes` ends.
  bool cutShort;
};

Sequence sequenceAt(std::string_view bytes) {
  Lead lead = leadOf(static_cast<uint8_t>(bytes[0]));
  if (lead.length == 0)
    return {1, false, false};
  for (unsigned i = 1; i < lead.length; ++i) {
    if (i == bytes.size())
      return {i, false, true};
    uint8_t byte = static_cast<uint8_t>(bytes[i]);
    if (byte < (i == 1 ? lead.low : 0x80) || byte > (i == 1 ? lead.high : 0xbf))
      return {i, false, false};
  }
  return {lead.length, true, false};
}

/// Eight ASCII bytes at once.
bool startsWithEightAscii(std::string_view text) {
  uint64_t word;
  if (text.size() < sizeof word)
    return false;
  std::memcpy(&word, text.data(), sizeof word);
  return (word & 0x8080808080808080) == 0;
}

} // namespace

size_t validUtf8Prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    std::string_view rest = text.substr(at);
    if (startsWithEightAscii(rest)) {
      at += 8;
      continue;
    }
    Sequence sequence = sequenceAt(rest);
    if (!sequence.complete)
      break;
    at += sequence.bytes;
  }
  return at;
}

CodePoint firstCodePoint(std::string_view text) {
  auto byte = [&](size_t i) -> uint32_t {
    return static_cast<uint8_t>(text[i]);
  };
  uint32_t lead = byte(0);
  if (lead < 0x80)
    return {lead, 1};
  if (lead < 0xe0)
    return {(lead & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (lead < 0xf0)
    return {(lead & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  return {(lead & 7) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 |
              (byte(3) & 0x3f),
          4};
}

CodePoint lastCodePoint(std::string_view text) {
  size_t start = text.size() - 1;
  while (start > 0 && (static_cast<uint8_t>(text[start]) & 0xc0) == 0x80)
    --start;
  return firstCodePoint(text.substr(start));
}

void appendCodePoint(uint32_t value, std::string &text) {
  auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (value < 0x80) {
    put(value);
    return;
  }
  if (value < 0x800) {
    put(0xc0 | value >> 6);
  } else {
    if (value < 0x10000) {
      put(0xe0 | value >> 12);
    } else {
      put(0xf0 | value >> 18);
      put(0x80 | (value >> 12 & 0x3f));
    }
    put(0x80 | (value >> 6 & 0x3f));
  }
  put(0x80 | (value & 0x3f));
}

bool isSpace(uint32_t c) {
  if (c < 0x80)
    return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

bool isWordCharacter(uint32_t c) {
  if (c == 0x200c || c == 0x200d) // the joiners
    return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_PC:
    return true;
  default:
    for (const UnicodeAddition &row : unicodeAdditions)
      if (c >= row.first && c <= row.last)
        return row.category[0] == 'L' || row.category[0] == 'M' ||
               row.category == "Nd";
    // The symbols that count as alphabetic: letters in circles and squares.
    return (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
           (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);
  }
}

namespace {

int combiningClass(int32_t codePoint) {
  return utf8proc_get_property(codePoint)->combining_class;
}

/// Appends `run`, decomposed, to `text` in composed form.
void appendComposed(std::string_view run, std::string &text) {
  constexpr auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  std::vector<utf8proc_int32_t> points;
  while (!run.empty()) {
    CodePoint c = firstCodePoint(run);
    utf8proc_int32_t parts[8]; // no canonical decomposition has more than four
    int boundClass = 0;
    utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.value), parts,
                                std::size(parts), options, &boundClass);
    points.insert(points.end(), parts, parts + count);
    run.remove_prefix(c.bytes);
  }
  // Canonical order: marks by class, and as they stood within a class. The
  // library's own loop takes quadratic time on a long run of marks, which
  // anyone may send.
  std::vector<uint64_t> marks; // class, position, code point
  for (size_t at = 0; at < points.size(); ++at) {
    size_t begin = at;
    marks.clear();
    for (int ccc; at < points.size() && (ccc = combiningClass(points[at]));
         ++at)
      marks.push_back(uint64_t(ccc) << 56 | uint64_t(at - begin) << 21 |
                      uint64_t(points[at]));
    std::sort(marks.begin(), marks.end());
    for (size_t i = 0; i < marks.size(); ++i)
      points[begin + i] = static_cast<int32_t>(marks[i] & 0x1fffff);
  }
  utf8proc_ssize_t count = utf8proc_normalize_utf32(
      points.data(), static_cast<utf8proc_ssize_t>(points.size()), options);
  for (utf8proc_ssize_t i = 0; i < count; ++i)
    appendCodePoint(static_cast<uint32_t>(points[static_cast<size_t>(i)]),
                    text);
}

} // namespace

std::string_view composed(std::string_view text, std::string &storage) {
  // Nothing below U+0300 (lead byte CC) changes by itself or joins what
  // stands before it. So only runs of higher code points, with the one
  // character that stands before them, can differ.
  auto isHigh = [](char byte) { return static_cast<uint8_t>(byte) >= 0xcc; };
  auto isContinuation = [](char byte) {
    return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
  };
  bool changed = false;
  std::string result;
  size_t copied = 0, at = 0;
  while (at < text.size()) {
    if (startsWithEightAscii(text.substr(at))) {
      at += 8;
      continue;
    }
    if (!isHigh(text[at])) {
      ++at;
      continue;
    }
    size_t begin = at;
    if (begin > copied)
      do
        --begin;
      while (begin > copied && isContinuation(text[begin]));
    size_t end = at;
    while (end < text.size() &&
           (isHigh(text[end]) || isContinuation(text[end])))
      ++end;
    std::string_view run = text.substr(begin, end - begin);
    result.clear();
    appendComposed(run, result);
    if (result != run) {
      if (!changed)
        storage.clear();
      changed = true;
      storage.append(text, copied, begin - copied);
      storage += result;
      copied = end;
    }
    at = end;
  }
  if (!changed)
    return text;
  storage.append(text, copied);
  return storage;
}

size_t appendReplacingBroken(std::string_view bytes, std::string &text) {
  size_t at = 0;
  while (at < bytes.size()) {
    size_t valid = validUtf8Prefix(bytes.substr(at));
    text.append(bytes, at, valid);
    at += valid;
    if (at == bytes.size())
      break;
    Sequence sequence = sequenceAt(bytes.substr(at));
    if (sequence.cutShort)
      return bytes.size() - at;
    text += replacement;
    at += sequence.bytes;
  }
  return 0;
}

} // namespace pagoda::rt
