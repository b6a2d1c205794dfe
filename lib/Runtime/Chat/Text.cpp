#include "Text.h"

#include <algorithm>
#include <iterator>

namespace pagoda::rt::chat {

bool Text::isTrusted(size_t begin, size_t end) const {
  auto overlap =
      std::partition_point(untrusted.begin(), untrusted.end(),
                           [&](const Span &span) { return span.end <= begin; });
  return overlap == untrusted.end() || overlap->begin >= end;
}

Text Text::slice(size_t begin, size_t end) const {
  TextBuilder builder(SIZE_MAX);
  builder.append(*this, begin, end);
  Text result = std::move(builder).take();
  result.markup = markup;
  return result;
}

bool TextBuilder::hasRoom(size_t bytes) {
  if (bytes > limit - text.bytes.size())
    tooLong = true;
  return !tooLong;
}

void TextBuilder::mark(size_t begin, size_t end) {
  if (begin == end)
    return;
  if (!text.untrusted.empty() && text.untrusted.back().end == begin)
    text.untrusted.back().end = end;
  else
    text.untrusted.push_back({begin, end});
}

void TextBuilder::append(std::string_view bytes, bool trusted) {
  if (!hasRoom(bytes.size()))
    return;
  size_t begin = text.bytes.size();
  text.bytes += bytes;
  if (!trusted)
    mark(begin, text.bytes.size());
}

void TextBuilder::append(const Text &from, size_t begin, size_t end) {
  if (begin >= end || !hasRoom(end - begin))
    return;
  size_t base = text.bytes.size();
  text.bytes.append(from.bytes, begin, end - begin);
  auto span = std::partition_point(
      from.untrusted.begin(), from.untrusted.end(),
      [&](const Text::Span &span) { return span.end <= begin; });
  for (; span != from.untrusted.end() && span->begin < end; ++span)
    mark(base + std::max(span->begin, begin) - begin,
         base + std::min(span->end, end) - begin);
}

size_t characterBytes(std::string_view text, size_t offset) {
  auto lead = static_cast<uint8_t>(text[offset]);
  size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  size_t end = std::min(offset + bytes, text.size());
  size_t at = offset + 1;
  while (at < end && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80)
    ++at;
  return at - offset;
}

void appendCharacter(uint32_t codePoint, std::string &text) {
  auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (codePoint < 0x80) {
    put(codePoint);
  } else if (codePoint < 0x800) {
    put(0xc0 | codePoint >> 6);
    put(0x80 | (codePoint & 0x3f));
  } else if (codePoint < 0x10000) {
    put(0xe0 | codePoint >> 12);
    put(0x80 | (codePoint >> 6 & 0x3f));
    put(0x80 | (codePoint & 0x3f));
  } else {
    put(0xf0 | codePoint >> 18);
    put(0x80 | (codePoint >> 12 & 0x3f));
    put(0x80 | (codePoint >> 6 & 0x3f));
    put(0x80 | (codePoint & 0x3f));
  }
}

size_t characterCount(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += characterBytes(text, at))
    ++count;
  return count;
}

size_t characterOffset(std::string_view text, size_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index)
    at += characterBytes(text, at);
  return at;
}

bool isSpaceAt(std::string_view text, size_t offset) {
  auto byte = static_cast<uint8_t>(text[offset]);
  if (byte < 0x80)
    return byte == ' ' || (byte >= '\t' && byte <= '\r') ||
           (byte >= 0x1c && byte <= 0x1f);
  std::string_view c = text.substr(offset, characterBytes(text, offset));
  static constexpr std::string_view others[] = {
      "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
      "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
      "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  return std::find(std::begin(others), std::end(others), c) != std::end(others);
}

} // namespace pagoda::rt::chat
