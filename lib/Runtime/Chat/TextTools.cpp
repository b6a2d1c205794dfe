#include "TextTools.h"

#include "Printing.h"

#include <algorithm>
#include <charconv>
#include <utf8proc.h>

namespace pagoda::rt::chat {

namespace {

size_t characterBefore(std::string_view text, size_t offset) {
  do
    --offset;
  while (offset > 0 && (static_cast<uint8_t>(text[offset]) & 0xc0) == 0x80);
  return offset;
}

} // namespace

Text strip(const Text &text, const std::string *characters, Side side) {
  std::string_view bytes = text.bytes;
  auto goes = [&](size_t at) {
    if (!characters)
      return isSpaceAt(bytes, at);
    return characters->find(bytes.substr(at, characterBytes(bytes, at))) !=
           std::string::npos;
  };
  size_t begin = 0, end = bytes.size();
  if (side != Side::Right)
    while (begin < end && goes(begin))
      begin += characterBytes(bytes, begin);
  if (side != Side::Left)
    while (end > begin) {
      size_t last = characterBefore(bytes, end);
      if (!goes(last))
        break;
      end = last;
    }
  return text.slice(begin, end);
}

//===----------------------------------------------------------------------===//
// Case
//===----------------------------------------------------------------------===//

namespace {

/// Characters of which upper case is several. The rest of Unicode's special
/// cases (Greek with iota, Armenian ligatures) come out as they went in.
struct LongUpper {
  std::string_view from, to;
};
constexpr LongUpper longUppers[] = {
    {"ß", "SS"}, {"ŉ", "ʼN"},  {"ǰ", "J\u030c"}, {"ﬀ", "FF"}, {"ﬁ", "FI"},
    {"ﬂ", "FL"}, {"ﬃ", "FFI"}, {"ﬄ", "FFL"},     {"ﬅ", "ST"}, {"ﬆ", "ST"}};

uint32_t decode(std::string_view c) {
  utf8proc_int32_t point = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(c.data()),
                   static_cast<utf8proc_ssize_t>(c.size()), &point);
  return static_cast<uint32_t>(std::max(point, 0));
}

std::string convert(std::string_view c, bool upper, bool title) {
  auto byte = static_cast<uint8_t>(c[0]);
  if (byte < 0x80) {
    bool letter =
        upper ? byte >= 'a' && byte <= 'z' : byte >= 'A' && byte <= 'Z';
    return std::string(1, static_cast<char>(letter ? byte ^ 0x20 : byte));
  }
  if (upper)
    for (const LongUpper &row : longUppers)
      if (row.from == c) {
        std::string result(row.to);
        if (title)
          for (size_t i = 1; i < result.size(); ++i)
            if (result[i] >= 'A' && result[i] <= 'Z')
              result[i] ^= 0x20;
        return result;
      }
  auto point = static_cast<utf8proc_int32_t>(decode(c));
  std::string result;
  appendCharacter(static_cast<uint32_t>(title   ? utf8proc_totitle(point)
                                        : upper ? utf8proc_toupper(point)
                                                : utf8proc_tolower(point)),
                  result);
  return result;
}

bool isCased(std::string_view c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(decode(c)))) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
    return true;
  default:
    return false;
  }
}

} // namespace

void changeCase(const Text &text, Case to, TextBuilder &out) {
  std::string_view bytes = text.bytes;
  bool wordStart = true;
  for (size_t at = 0; at < bytes.size();) {
    size_t size = characterBytes(bytes, at);
    std::string_view c = bytes.substr(at, size);
    bool first =
        to == Case::Capital || to == Case::Title || to == Case::FilterTitle
            ? wordStart
            : false;
    bool upper = to == Case::Upper || first;
    out.append(convert(c, upper, first), text.isTrusted(at, at + size));
    switch (to) {
    case Case::Title:
      wordStart = !isCased(c);
      break;
    case Case::FilterTitle:
      wordStart = isSpaceAt(bytes, at) || c == "-" || c == "(" || c == "{" ||
                  c == "[" || c == "<";
      break;
    default:
      wordStart = false;
    }
    at += size;
  }
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

void replace(const Text &text, const Text &old, const Text &by, int64_t count,
             TextBuilder &out) {
  auto left = count < 0 ? UINT64_MAX : static_cast<uint64_t>(count);
  size_t copied = 0;
  if (old.bytes.empty()) {
    // Between all characters, and at both ends.
    for (size_t at = 0; left > 0 && !out.overflowed(); --left) {
      out.append(text, copied, at);
      out.append(by);
      copied = at;
      if (at == text.bytes.size())
        break;
      at += characterBytes(text.bytes, at);
    }
    out.append(text, copied, text.bytes.size());
    return;
  }
  size_t at;
  while (left > 0 && !out.overflowed() &&
         (at = text.bytes.find(old.bytes, copied)) != std::string::npos) {
    out.append(text, copied, at);
    out.append(by);
    copied = at + old.bytes.size();
    --left;
  }
  out.append(text, copied, text.bytes.size());
}

namespace {

using Range = std::pair<size_t, size_t>;

std::vector<Range> splitAtSpace(std::string_view bytes, int64_t count,
                                bool fromRight) {
  // The words first; a limit then decides how many of them stay apart.
  std::vector<Range> words;
  for (size_t at = 0; at < bytes.size();) {
    if (isSpaceAt(bytes, at)) {
      at += characterBytes(bytes, at);
      continue;
    }
    size_t end = at;
    while (end < bytes.size() && !isSpaceAt(bytes, end))
      end += characterBytes(bytes, end);
    words.push_back({at, end});
    at = end;
  }
  auto limit = static_cast<size_t>(count);
  if (count < 0 || words.size() <= limit + 1)
    return words;
  if (fromRight) {
    size_t end = words[words.size() - 1 - limit].second;
    words.erase(words.begin(), words.end() - static_cast<ptrdiff_t>(limit));
    size_t begin = 0;
    words.insert(words.begin(), {begin, end});
  } else {
    size_t end = bytes.size();
    words.resize(limit + 1);
    words.back().second = end;
  }
  return words;
}

std::vector<Range> splitAt(std::string_view bytes, std::string_view separator,
                           int64_t count, bool fromRight) {
  std::vector<size_t> cuts;
  if (fromRight) {
    size_t end = bytes.size();
    while ((count < 0 || static_cast<int64_t>(cuts.size()) < count) &&
           end >= separator.size()) {
      size_t at = bytes.rfind(separator, end - separator.size());
      if (at == bytes.npos)
        break;
      cuts.push_back(at);
      end = at;
    }
    std::reverse(cuts.begin(), cuts.end());
  } else {
    for (size_t at = bytes.find(separator);
         at != bytes.npos &&
         (count < 0 || static_cast<int64_t>(cuts.size()) < count);
         at = bytes.find(separator, at + separator.size()))
      cuts.push_back(at);
  }
  std::vector<Range> parts;
  size_t begin = 0;
  for (size_t cut : cuts) {
    parts.push_back({begin, cut});
    begin = cut + separator.size();
  }
  parts.push_back({begin, bytes.size()});
  return parts;
}

} // namespace

std::vector<Text> split(const Text &text, const std::string *separator,
                        int64_t count, bool fromRight) {
  std::vector<Range> ranges =
      separator ? splitAt(text.bytes, *separator, count, fromRight)
                : splitAtSpace(text.bytes, count, fromRight);
  std::vector<Text> parts;
  for (auto [begin, end] : ranges)
    parts.push_back(text.slice(begin, end));
  return parts;
}

std::vector<Text> splitLines(const Text &text, bool keepEnds) {
  static constexpr std::string_view breaks[] = {
      "\r\n", "\n",   "\r",     "\v",     "\f",    "\x1c",
      "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"};
  std::vector<Text> lines;
  std::string_view bytes = text.bytes;
  size_t begin = 0;
  for (size_t at = 0; at < bytes.size();) {
    auto found = std::find_if(std::begin(breaks), std::end(breaks),
                              [&](std::string_view name) {
                                return bytes.substr(at, name.size()) == name;
                              });
    if (found == std::end(breaks)) {
      at += characterBytes(bytes, at);
      continue;
    }
    lines.push_back(text.slice(begin, keepEnds ? at + found->size() : at));
    begin = at = at + found->size();
  }
  if (begin < bytes.size())
    lines.push_back(text.slice(begin, bytes.size()));
  return lines;
}

//===----------------------------------------------------------------------===//
// Formatting
//===----------------------------------------------------------------------===//

Status format(const Call &call, const Text &pattern, TextBuilder &out) {
  std::string_view bytes = pattern.bytes;
  size_t next = 0;
  for (size_t at = 0; at < bytes.size();) {
    char c = bytes[at];
    if ((c == '{' || c == '}') &&
        bytes.substr(at + 1, 1) == bytes.substr(at, 1)) {
      out.append(pattern, at, at + 1);
      at += 2;
      continue;
    }
    if (c == '}')
      return invalidArgument("a '}' without its '{' in a format");
    if (c != '{') {
      size_t end = std::min(bytes.find_first_of("{}", at), bytes.size());
      out.append(pattern, at, end);
      at = end;
      continue;
    }
    size_t end = bytes.find('}', at);
    if (end == bytes.npos)
      return invalidArgument("a '{' without its '}' in a format");
    std::string_view field = bytes.substr(at + 1, end - at - 1);
    if (field.find_first_of(".[:!{") != field.npos)
      return unsupported("the field '{", field,
                         "}' of a format is not supported");
    const Value *value = nullptr;
    size_t index = next;
    if (field.empty())
      ++next;
    else if (auto [stop, error] = std::from_chars(
                 field.data(), field.data() + field.size(), index);
             error != std::errc() || stop != field.data() + field.size())
      index = SIZE_MAX;
    if (index < call.positional.size())
      value = &call.positional[index];
    for (auto &[name, named] : call.named)
      if (!value && name == field)
        value = &named;
    if (!value)
      return invalidArgument("the format has no value for '{", field, "}'");
    PAGODA_RETURN_IF_ERROR(print(*value, out, call.context.budget));
    at = end + 1;
  }
  return Status();
}

} // namespace pagoda::rt::chat
