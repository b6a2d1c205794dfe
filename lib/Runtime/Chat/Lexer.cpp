#include "Lexer.h"

#include "Text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace pagoda::rt::chat {

namespace {

/// Line breaks as \n, and without the one at the end.
std::string normalized(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      text += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n')
        ++i;
    } else {
      text += source[i];
    }
  }
  if (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<uint8_t>(c) >= 0x80;
}
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

class Lexer {
public:
  explicit Lexer(std::string_view source) : source(normalized(source)) {}

  StatusOr<std::vector<Token>> run() {
    while (at < source.size())
      PAGODA_RETURN_IF_ERROR(dataAndTag());
    emit(TokenKind::End, "");
    return std::move(tokens);
  }

private:
  void emit(TokenKind kind, std::string_view text) {
    tokens.push_back({kind, std::string(text), line});
  }
  bool startsWith(std::string_view text) const {
    return std::string_view(source).substr(at, text.size()) == text;
  }
  char peek(size_t ahead = 0) const {
    return at + ahead < source.size() ? source[at + ahead] : '\0';
  }
  void advanceTo(size_t position) {
    line += static_cast<unsigned>(
        std::count(source.begin() + static_cast<ptrdiff_t>(at),
                   source.begin() + static_cast<ptrdiff_t>(position), '\n'));
    at = position;
  }
  void skipSpace() {
    size_t end = at;
    while (end < source.size() && isSpaceAt(source, end))
      end += characterBytes(source, end);
    advanceTo(end);
  }
  /// The '-' or '+' that says what becomes of the space at a tag.
  char takeSign() {
    if (peek() != '-' && peek() != '+')
      return '\0';
    return source[at++];
  }

  /// Text up to the next tag, as far as the tag leaves it, and the tag.
  Status dataAndTag() {
    size_t tag = at;
    for (;; ++tag) {
      tag = source.find('{', tag);
      if (tag == source.npos || tag + 1 == source.size()) {
        emit(TokenKind::Data, std::string_view(source).substr(at));
        at = source.size();
        return Status();
      }
      char c = source[tag + 1];
      if (c == '%' || c == '{' || c == '#')
        break;
    }
    size_t begin = at;
    char kind = source[tag + 1];
    char sign = tag + 2 < source.size() ? source[tag + 2] : '\0';
    data(begin, tag, sign, kind == '{');
    advanceTo(tag + 2);
    takeSign();
    if (kind == '#')
      return comment();
    if (kind == '{')
      return expression(TokenKind::VariableBegin, TokenKind::VariableEnd);
    if (std::optional<size_t> body = rawBody())
      return raw(*body);
    return expression(TokenKind::BlockBegin, TokenKind::BlockEnd);
  }

  /// Emits the text of [begin, end) before a tag with this sign.
  void data(size_t begin, size_t end, char sign, bool isVariable) {
    std::string_view text = std::string_view(source).substr(begin, end - begin);
    size_t kept = text.size();
    auto spaceFrom = [&](size_t from) {
      while (from < text.size() && isSpaceAt(text, from))
        from += characterBytes(text, from);
      return from == text.size();
    };
    if (sign == '-') {
      // The longest tail of white space.
      kept = 0;
      for (size_t i = 0; i < text.size();) {
        size_t next = i + characterBytes(text, i);
        if (!isSpaceAt(text, i))
          kept = next;
        i = next;
      }
    } else if (sign != '+' && !isVariable) {
      size_t lineStart = text.rfind('\n') + 1; // npos + 1 is 0
      if ((lineStart > 0 || lineStarting) && spaceFrom(lineStart))
        kept = lineStart;
    }
    if (kept > 0)
      emit(TokenKind::Data, text.substr(0, kept));
  }

  /// Behind the text `close` of a tag: drops what `sign` says.
  void afterTag(char sign, bool isVariable) {
    size_t begin = at;
    if (sign == '-')
      skipSpace();
    else if (sign != '+' && !isVariable && peek() == '\n')
      advanceTo(at + 1);
    lineStarting = at > begin && source[at - 1] == '\n';
  }

  Status comment() {
    size_t begin = at;
    size_t end = source.find("#}", at);
    if (end == source.npos)
      return templateError(line, "a comment without its '#}'");
    char sign = end > begin ? source[end - 1] : '\0';
    advanceTo(end + 2);
    afterTag(sign, false);
    return Status();
  }

  /// Where the text behind a `raw` tag begins, if this is one. Behind "{%".
  std::optional<size_t> rawBody() {
    size_t from = at;
    auto skip = [&] {
      while (from < source.size() && isSpaceAt(source, from))
        from += characterBytes(source, from);
    };
    skip();
    if (source.compare(from, 3, "raw") != 0)
      return std::nullopt;
    from += 3;
    skip();
    bool strip = source.compare(from, 1, "-") == 0;
    from += strip;
    if (source.compare(from, 2, "%}") != 0)
      return std::nullopt;
    from += 2;
    if (strip)
      skip();
    return from;
  }

  Status raw(size_t body) {
    unsigned begunAt = line;
    advanceTo(body);
    for (size_t tag = source.find("{%", body); tag != source.npos;
         tag = source.find("{%", tag + 1)) {
      size_t from = tag + 2;
      char sign = from < source.size() ? source[from] : '\0';
      from += sign == '-' || sign == '+';
      while (from < source.size() && isSpaceAt(source, from))
        from += characterBytes(source, from);
      if (source.compare(from, 6, "endraw") != 0)
        continue;
      from += 6;
      while (from < source.size() && isSpaceAt(source, from))
        from += characterBytes(source, from);
      char endSign = from < source.size() ? source[from] : '\0';
      from += endSign == '-' || endSign == '+';
      if (source.compare(from, 2, "%}") != 0)
        continue;
      // The begin of the line decides here too.
      lineStarting = body > 0 && source[body - 1] == '\n';
      data(body, tag, sign, false);
      advanceTo(from + 2);
      afterTag(endSign, false);
      return Status();
    }
    return templateError(begunAt, "'raw' without 'endraw'");
  }

  Status expression(TokenKind begin, TokenKind end) {
    bool isVariable = begin == TokenKind::VariableBegin;
    unsigned begunAt = line;
    std::string_view close = isVariable ? "}}" : "%}";
    emit(begin, "");
    std::string open;
    for (;;) {
      skipSpace();
      if (at == source.size())
        return templateError(begunAt, "a tag without its '", close, "'");
      if (open.empty()) {
        bool signedEnd = (peek() == '-' || (peek() == '+' && !isVariable)) &&
                         std::string_view(source).substr(at + 1, 2) == close;
        if (signedEnd || startsWith(close)) {
          char sign = signedEnd ? peek() : '\0';
          emit(end, "");
          at += close.size() + signedEnd;
          afterTag(sign, isVariable);
          return Status();
        }
      }
      PAGODA_RETURN_IF_ERROR(token(open));
    }
  }

  /// One token of an expression. `open` holds the brackets not closed yet.
  Status token(std::string &open) {
    char c = peek();
    if (isNameStart(c)) {
      size_t begin = at;
      while (isNamePart(peek()))
        ++at;
      emit(TokenKind::Name, std::string_view(source).substr(begin, at - begin));
      return Status();
    }
    if (isDigit(c))
      return number();
    if (c == '"' || c == '\'')
      return string();
    static constexpr std::string_view operators[] = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
        "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    for (std::string_view name : operators) {
      if (!startsWith(name))
        continue;
      if (name == "(" || name == "[" || name == "{")
        open += name == "(" ? ')' : name == "[" ? ']' : '}';
      if (name == ")" || name == "]" || name == "}") {
        if (open.empty() || open.back() != name[0])
          return templateError(line, "unexpected '", name, "'");
        open.pop_back();
      }
      emit(TokenKind::Operator, name);
      at += name.size();
      return Status();
    }
    return templateError(
        line, "unexpected character '",
        std::string_view(source).substr(at, characterBytes(source, at)), "'");
  }

  Status number() {
    size_t begin = at;
    // Digits may be parted by single underscores.
    auto digits = [&](auto isOne) {
      while (isOne(peek()) || (peek() == '_' && isOne(peek(1))))
        ++at;
    };
    if (char base = static_cast<char>(peek(1) | 0x20);
        peek() == '0' && (base == 'x' || base == 'o' || base == 'b')) {
      at += 2;
      digits([](char c) { return isNamePart(c) && c != '_'; });
      emit(TokenKind::Integer,
           std::string_view(source).substr(begin, at - begin));
      return Status();
    }
    digits(isDigit);
    bool isFloat = false;
    // In "a.0.1" the point belongs to what stands before.
    bool member = begin > 0 && source[begin - 1] == '.';
    if (!member && peek() == '.' && isDigit(peek(1))) {
      isFloat = true;
      ++at;
      digits(isDigit);
    }
    size_t sign = peek(1) == '-' || peek(1) == '+';
    if (!member && (peek() | 0x20) == 'e' && isDigit(peek(1 + sign))) {
      isFloat = true;
      at += 1 + sign;
      digits(isDigit);
    }
    emit(isFloat ? TokenKind::Float : TokenKind::Integer,
         std::string_view(source).substr(begin, at - begin));
    return Status();
  }

  Status string() {
    unsigned begunAt = line;
    char quote = source[at++];
    std::string value;
    for (;;) {
      if (at == source.size())
        return templateError(begunAt, "a string without its ", quote);
      char c = source[at];
      if (c == quote)
        break;
      if (c == '\\') {
        PAGODA_RETURN_IF_ERROR(escape(value));
        continue;
      }
      line += c == '\n';
      value += c;
      ++at;
    }
    ++at;
    tokens.push_back({TokenKind::String, std::move(value), begunAt});
    return Status();
  }

  /// One escape of a string, as Python reads it.
  Status escape(std::string &value) {
    static constexpr std::pair<char, char> simple[] = {
        {'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'\\', '\\'}, {'\'', '\''},
        {'"', '"'},  {'a', '\a'}, {'b', '\b'}, {'f', '\f'},  {'v', '\v'}};
    char c = peek(1);
    for (auto &[letter, meaning] : simple)
      if (c == letter) {
        value += meaning;
        at += 2;
        return Status();
      }
    if (c == '\n') { // a line that goes on
      ++line;
      at += 2;
      return Status();
    }
    if (c == 'N')
      return unsupportedInTemplate(line, "the escape '\\N' is not supported");
    size_t count = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (count == 0 && c >= '0' && c <= '7') {
      size_t end = at + 1;
      unsigned code = 0;
      for (; end < source.size() && end < at + 4 && source[end] >= '0' &&
             source[end] <= '7';
           ++end)
        code = code * 8 + static_cast<unsigned>(source[end] - '0');
      at = end;
      appendCharacter(code, value);
      return Status();
    }
    if (count == 0) { // no escape at all
      value += '\\';
      ++at;
      return Status();
    }
    uint32_t code = 0;
    const char *first = source.data() + at + 2;
    const char *last = source.data() + std::min(at + 2 + count, source.size());
    auto [stop, error] = std::from_chars(first, last, code, 16);
    if (error != std::errc() || stop != first + count || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
      return templateError(line, "the escape '\\", c,
                           "' is not followed by a character's number");
    at += 2 + count;
    appendCharacter(code, value);
    return Status();
  }

  std::string source;
  size_t at = 0;
  unsigned line = 1;
  /// Whether what was read last ends a line.
  bool lineStarting = true;
  std::vector<Token> tokens;
};

} // namespace

StatusOr<std::vector<Token>> tokenize(std::string_view source) {
  return Lexer(source).run();
}

} // namespace pagoda::rt::chat
