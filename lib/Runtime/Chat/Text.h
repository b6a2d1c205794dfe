//===- Text.h - Strings that know where they came from ----------*- C++ -*-===//
//
// The strings of a template: bytes, and which of them came from outside (a
// message, a tool's description) instead of from the template. That travels
// along through concatenation, slicing and filters, so that the rendered
// prompt says which parts may spell control tokens.
//
//   TextBuilder out(limit);
//   out.append("<|user|>", true);
//   out.append(message);              // a Text, with its own marks
//   Text prompt = std::move(out).take();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_TEXT_H
#define PAGODA_LIB_RUNTIME_CHAT_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt::chat {

struct Text {
  struct Span {
    size_t begin, end;
    bool operator==(const Span &) const = default;
  };

  std::string bytes;
  /// What came from outside: ascending, neither empty nor touching.
  std::vector<Span> untrusted;
  /// Marked with `safe`: joined to other strings by `+`, those are escaped.
  bool markup = false;

  static Text trusted(std::string bytes) { return {std::move(bytes), {}}; }
  static Text fromOutside(std::string bytes) {
    Text text{std::move(bytes), {}};
    if (!text.bytes.empty())
      text.untrusted.push_back({0, text.bytes.size()});
    return text;
  }

  /// Whether no byte of [begin, end) came from outside.
  bool isTrusted(size_t begin, size_t end) const;
  Text slice(size_t begin, size_t end) const;
};

/// Puts a text together, up to a size; beyond it the text is cut and
/// overflowed() says so.
class TextBuilder {
public:
  explicit TextBuilder(size_t limit) : limit(limit) {}

  void append(std::string_view bytes, bool trusted);
  void append(const Text &text) { append(text, 0, text.bytes.size()); }
  void append(const Text &text, size_t begin, size_t end);

  size_t size() const { return text.bytes.size(); }
  bool overflowed() const { return tooLong; }
  const Text &view() const { return text; }
  Text take() && { return std::move(text); }

private:
  bool hasRoom(size_t bytes);
  void mark(size_t begin, size_t end);

  Text text;
  size_t limit;
  bool tooLong = false;
};

/// Boundaries between characters, for indexing as Python does. `text` need
/// not be valid UTF-8: a byte that continues nothing counts as a character.
size_t characterCount(std::string_view text);
/// The offset of the character with that index; the size of the text for the
/// index behind the last.
size_t characterOffset(std::string_view text, size_t index);
/// Appends the character with that number.
void appendCharacter(uint32_t codePoint, std::string &text);
/// Bytes of the character at `offset`.
size_t characterBytes(std::string_view text, size_t offset);

/// Whether the character at `offset` is white space, as Python's str.strip()
/// takes it.
bool isSpaceAt(std::string_view text, size_t offset);

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_TEXT_H
