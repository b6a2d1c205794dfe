#include "PatternSyntax.h"

#include "UnicodeAdditions.h"
#include "Utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace pagoda::rt {

namespace {

constexpr std::string_view generalCategories[] = {
    "C",  "Cc", "Cf", "Cn", "Co", "Cs", "L",  "Ll", "Lm", "Lo",
    "Lt", "Lu", "M",  "Mc", "Me", "Mn", "N",  "Nd", "Nl", "No",
    "P",  "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S",  "Sc",
    "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs"};

// Items of a bracket expression. PCRE2's \s takes U+180E too, and its \w
// leaves out marks.
constexpr std::string_view space =
    R"(\t-\r\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029})"
    R"(\x{202f}\x{205f}\x{3000})";
constexpr std::string_view notSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f})"
    R"(\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e})"
    R"(\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";
constexpr std::string_view word = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
// Oniguruma counts these to \w too, but not inside of brackets.
constexpr std::string_view wordOutside = R"(\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";

constexpr unsigned maxGroupDepth = 32;
constexpr unsigned maxRepeat = 1000;
/// The longest pattern of a known model has 2 KB.
constexpr size_t maxPatternBytes = 64 * 1024;
constexpr size_t maxOutputBytes = 1024 * 1024;

std::string hex(uint32_t codePoint) {
  char digits[8];
  auto end = std::to_chars(digits, digits + sizeof digits, codePoint, 16).ptr;
  return concat("\\x{", std::string_view(digits, end), "}");
}

bool isAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

std::string literal(uint32_t codePoint) {
  if (codePoint < 0x80 && isAlphanumeric(static_cast<char>(codePoint)))
    return std::string(1, static_cast<char>(codePoint));
  return hex(codePoint);
}

/// The additions to a general category or to a group of them ("L"), as items
/// of a bracket expression.
std::string additionsTo(std::string_view category) {
  std::string items;
  for (const UnicodeAddition &row : unicodeAdditions)
    if (row.category.substr(0, category.size()) == category)
      items += row.first == row.last
                   ? hex(row.first)
                   : concat(hex(row.first), '-', hex(row.last));
  return items;
}

/// A class such as \s as items of a bracket expression; empty if `letter` is
/// none, or has no such form.
std::string classItems(char letter, bool inBracket) {
  switch (letter) {
  case 's':
    return std::string(space);
  case 'S':
    return std::string(notSpace);
  case 'd':
    return concat("\\p{Nd}", additionsTo("Nd"));
  case 'D': // knows nothing of the additions
    return "\\P{Nd}";
  case 'w':
    return concat(word, inBracket ? "" : wordOutside, additionsTo("L"),
                  additionsTo("M"), additionsTo("Nd"));
  case 'h':
    return "0-9a-fA-F";
  default:
    return {};
  }
}

class Translator {
public:
  explicit Translator(std::string_view pattern) : pattern(pattern) {}

  StatusOr<std::string> run() {
    if (pattern.size() > maxPatternBytes)
      return unsupported("a pattern of ", pattern.size(),
                         " bytes is not supported");
    // A switch of the case in the middle reaches to different ends in the two
    // syntaxes; at the start it means the same.
    if (take("(?i)"))
      out += "(?i)";
    PAGODA_RETURN_IF_ERROR(alternatives(0));
    if (at != pattern.size())
      return refuse("a ')' without its '('");
    return std::move(out);
  }

private:
  bool atEnd() const { return at == pattern.size(); }
  bool take(std::string_view text) {
    if (pattern.substr(at).substr(0, text.size()) != text)
      return false;
    at += text.size();
    return true;
  }
  uint32_t takeCharacter() {
    CodePoint c = firstCodePoint(pattern.substr(at));
    at += c.bytes;
    return c.value;
  }
  Status refuse(std::string_view what) const {
    return unsupported("pattern '", pattern.substr(0, 200), "', byte ", at,
                       ": ", what, " is not supported");
  }

  /// Everything up to the ')' that closes the group, or to the end.
  Status alternatives(unsigned depth) {
    if (depth > maxGroupDepth)
      return refuse("such deep nesting");
    while (!atEnd() && pattern[at] != ')') {
      if (take("|")) {
        out += '|';
        continue;
      }
      if (out.size() > maxOutputBytes)
        return refuse("such a long pattern");
      size_t begin = out.size();
      bool repeatable = true;
      PAGODA_RETURN_IF_ERROR(atom(depth, repeatable));
      PAGODA_RETURN_IF_ERROR(repeat(begin, repeatable));
    }
    return Status();
  }

  Status atom(unsigned depth, bool &repeatable) {
    if (take("("))
      return group(depth, repeatable);
    if (take("["))
      return bracket();
    if (take("\\"))
      return escape(repeatable);
    repeatable = false;
    if (take("^")) {
      out += "(?m:^)";
      return Status();
    }
    if (take("$")) {
      out += "(?m:$)";
      return Status();
    }
    repeatable = true;
    if (take(".")) {
      out += "[^\\n]";
      return Status();
    }
    if (std::string_view("*+?").find(pattern[at]) != std::string_view::npos)
      return refuse("a repetition of nothing");
    out += literal(takeCharacter());
    return Status();
  }

  Status group(unsigned depth, bool &repeatable) {
    // Nothing refers back to a group, so none has to capture.
    static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"?:", "(?:"}, {"?>", "(?>"}, {"?i:", "(?i:"}, {"?-i:", "(?-i:"},
        {"?=", "(?="}, {"?!", "(?!"}, {"?<=", "(?<="}, {"?<!", "(?<!"},
    };
    auto kind = std::find_if(std::begin(kinds), std::end(kinds),
                             [&](auto &kind) { return take(kind.first); });
    if (kind == std::end(kinds) && !atEnd() && pattern[at] == '?')
      return refuse(concat("the group '(", pattern.substr(at, 3), "'"));
    out += kind == std::end(kinds) ? "(?:" : kind->second;
    repeatable = kind == std::end(kinds) || kind < kinds + 4;
    PAGODA_RETURN_IF_ERROR(alternatives(depth + 1));
    if (!take(")"))
      return refuse("a '(' without its ')'");
    out += ')';
    return Status();
  }

  std::optional<unsigned> takeNumber() {
    unsigned number = 0;
    auto [end, error] = std::from_chars(
        pattern.data() + at, pattern.data() + pattern.size(), number);
    if (error != std::errc())
      return std::nullopt;
    at = static_cast<size_t>(end - pattern.data());
    return number;
  }

  /// A quantifier behind the atom that begins at `begin` of the output.
  Status repeat(size_t begin, bool repeatable) {
    size_t start = at;
    std::string quantifier;
    bool interval = false;
    if (take("*") || take("+") || take("?")) {
      quantifier = pattern[start];
    } else if (take("{")) {
      std::optional<unsigned> low = takeNumber(), high = low;
      if (take(","))
        high = takeNumber();
      bool open = !high && pattern[at - 1] == ',';
      if ((!low && !high) || !take("}")) {
        // Not an interval, so the brace stands for itself.
        at = start;
        return Status();
      }
      if (low.value_or(0) > maxRepeat || high.value_or(0) > maxRepeat)
        return refuse("so large an interval");
      interval = true;
      quantifier = concat('{', low.value_or(0));
      if (open)
        quantifier += ",}";
      else
        quantifier += high == low ? "}" : concat(',', *high, '}');
    } else {
      return Status();
    }
    if (!repeatable)
      return refuse("repeating an assertion");
    out += quantifier;
    if (take("+")) {
      // Behind an interval a plus repeats the whole once more.
      if (interval)
        out.insert(begin, "(?:").append(")");
      out += '+';
    } else if (take("?")) {
      if (interval && quantifier.find(',') == std::string::npos)
        return refuse("'?' behind a fixed interval");
      out += '?';
    }
    if (!atEnd() &&
        std::string_view("*+?").find(pattern[at]) != std::string_view::npos)
      return refuse("a quantifier of a quantifier");
    return Status();
  }

  /// The name in braces behind \p, written as items of a bracket expression.
  /// `negated` is the sense of \P.
  Status property(bool negated, bool inBracket) {
    if (!take("{"))
      return refuse("a property without braces");
    if (take("^"))
      negated = !negated;
    size_t end = pattern.find('}', at);
    if (end == pattern.npos)
      return refuse("a property without its '}'");
    std::string_view name = pattern.substr(at, end - at);
    at = end + 1;
    bool plain =
        !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
          return isAlphanumeric(c) || c == '_';
        });
    if (!plain)
      return refuse("such a property name");
    bool category =
        std::find(std::begin(generalCategories), std::end(generalCategories),
                  name) != std::end(generalCategories);
    std::string items = concat("\\p{", category ? "" : "sc:", name, "}");
    if (category)
      items += additionsTo(name);
    if (!inBracket)
      out += concat(negated ? "[^" : "[", items, ']');
    else if (negated) // knows nothing of the additions
      out += concat("\\P{", category ? "" : "sc:", name, "}");
    else
      out += items;
    return Status();
  }

  /// The code point of an escape that stands for one, if it is such an escape.
  /// Behind the backslash.
  std::optional<uint32_t> escapedCharacter() {
    static constexpr std::pair<char, uint32_t> controls[] = {
        {'t', '\t'}, {'n', '\n'}, {'r', '\r'}, {'f', '\f'},
        {'v', '\v'}, {'a', '\a'}, {'e', 0x1b}};
    char c = pattern[at];
    for (auto &[letter, value] : controls)
      if (c == letter) {
        ++at;
        return value;
      }
    if (c == 'x' || c == 'u')
      return escapedNumber();
    if (isAlphanumeric(c))
      return std::nullopt;
    return takeCharacter();
  }

  std::optional<uint32_t> escapedNumber() {
    size_t begin = at + 1, end;
    bool braces = pattern[at] == 'x' && pattern.substr(begin, 1) == "{";
    if (braces)
      end = pattern.find('}', ++begin);
    else
      end = begin + (pattern[at] == 'u' ? 4 : 2);
    if (end > pattern.size())
      return std::nullopt;
    uint32_t value = 0;
    const char *last = pattern.data() + end;
    auto [stop, error] =
        std::from_chars(pattern.data() + begin, last, value, 16);
    // Two digits above 7F are a byte there, not a character.
    if (error != std::errc() || stop != last || value > 0x10ffff ||
        (value >= 0xd800 && value < 0xe000) ||
        (!braces && pattern[at] == 'x' && value > 0x7f))
      return std::nullopt;
    at = end + braces;
    return value;
  }

  Status escape(bool &repeatable) {
    if (atEnd())
      return refuse("a '\\' at the end");
    char c = pattern[at];
    if (c == 'p' || c == 'P') {
      ++at;
      return property(c == 'P', false);
    }
    if (c == 'W') {
      ++at;
      out += concat("[^", classItems('w', false), ']');
      return Status();
    }
    if (std::string items = classItems(c, false); !items.empty()) {
      ++at;
      out += concat('[', items, ']');
      return Status();
    }
    repeatable = false;
    if (c == 'A' || c == 'z') {
      ++at;
      out += concat('\\', c);
      return Status();
    }
    if (c == 'b' || c == 'B') {
      ++at;
      std::string w = concat('[', classItems('w', false), ']');
      out +=
          c == 'b'
              ? concat("(?:(?<=", w, ")(?!", w, ")|(?<!", w, ")(?=", w, "))")
              : concat("(?:(?<=", w, ")(?=", w, ")|(?<!", w, ")(?!", w, "))");
      return Status();
    }
    repeatable = true;
    std::optional<uint32_t> value = escapedCharacter();
    if (!value)
      return refuse(concat("the escape '\\", c, "'"));
    out += literal(*value);
    return Status();
  }

  /// Behind the '['.
  Status bracket() {
    out += take("^") ? "[^" : "[";
    if (!atEnd() && pattern[at] == ']')
      return refuse("an empty bracket expression");
    /// The character before, if a range may begin with it.
    bool mayBegin = false;
    uint32_t first = 0;
    for (;;) {
      if (atEnd())
        return refuse("a '[' without its ']'");
      if (out.size() > maxOutputBytes)
        return refuse("such a long pattern");
      if (take("]"))
        break;
      if (pattern[at] == '[')
        return refuse("a bracket expression in another");
      if (pattern.substr(at, 2) == "&&")
        return refuse("an intersection of classes");
      bool range =
          mayBegin && pattern[at] == '-' && pattern.substr(at + 1, 1) != "]";
      if (range) {
        ++at;
        out += '-';
      }
      std::optional<uint32_t> value;
      PAGODA_RETURN_IF_ERROR(bracketItem(value));
      if (range && (!value || *value < first))
        return refuse("such a range");
      mayBegin = value && !range;
      first = value.value_or(0);
    }
    out += ']';
    return Status();
  }

  /// One character, which `value` then holds, or one class.
  Status bracketItem(std::optional<uint32_t> &value) {
    if (atEnd())
      return refuse("a '[' without its ']'");
    if (!take("\\")) {
      if (pattern[at] == '[')
        return refuse("a bracket expression in another");
      value = takeCharacter();
    } else {
      if (atEnd())
        return refuse("a '\\' at the end");
      char c = pattern[at];
      if (c == 'p' || c == 'P') {
        ++at;
        return property(c == 'P', true);
      }
      if (std::string items = classItems(c, true); !items.empty()) {
        ++at;
        out += items;
        return Status();
      }
      if (c == 'b') { // a backspace here
        ++at;
        value = '\b';
      } else {
        value = escapedCharacter();
      }
      if (!value)
        return refuse(concat("the escape '\\", c, "' in brackets"));
    }
    out += hex(*value);
    return Status();
  }

  std::string_view pattern;
  size_t at = 0;
  std::string out;
};

} // namespace

StatusOr<std::string> pcreFromOniguruma(std::string_view pattern) {
  return Translator(pattern).run();
}

std::string pcreFromLiteral(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    CodePoint c = firstCodePoint(text);
    out += literal(c.value);
    text.remove_prefix(c.bytes);
  }
  return out;
}

} // namespace pagoda::rt
