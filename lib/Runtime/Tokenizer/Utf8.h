//===- Utf8.h - Text as code points -----------------------------*- C++ -*-===//
//
// The little that the tokenizer needs to know about Unicode: valid UTF-8 or
// not, single code points, the classes that decide around added tokens, the
// composed form, and decoding that replaces what is broken.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_UTF8_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_UTF8_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pagoda::rt {

/// Length of the longest prefix of `text` that is valid UTF-8.
size_t validUtf8Prefix(std::string_view text);

struct CodePoint {
  uint32_t value;
  unsigned bytes;
};

/// The code point at the start of `text`, which is not empty and valid.
CodePoint firstCodePoint(std::string_view text);
/// The code point at the end of `text`, which is not empty and valid.
CodePoint lastCodePoint(std::string_view text);
void appendCodePoint(uint32_t value, std::string &text);

/// White_Space of Unicode: what \s means to the reference tokenizers.
bool isSpace(uint32_t codePoint);
/// What \w means to them: alphabetic, marks, digits, connectors, joiners.
bool isWordCharacter(uint32_t codePoint);

/// The canonical composition (NFC) of valid text. Returns `text` itself where
/// it is composed already, else a view of `storage`.
std::string_view composed(std::string_view text, std::string &storage);

/// Appends the bytes of `bytes` as text. Each maximal broken part becomes
/// U+FFFD, as in Unicode's recommendation. Returns how many bytes at the end
/// were left out because they begin a character that may still be completed.
size_t appendReplacingBroken(std::string_view bytes, std::string &text);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_UTF8_H
