//===- TextTools.h - What str's methods do to a Text ------------*- C++ -*-===//
//
// The operations on strings that filters and methods share. All keep the
// marks of what came from outside.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_TEXTTOOLS_H
#define PAGODA_LIB_RUNTIME_CHAT_TEXTTOOLS_H

#include "Native.h"

namespace pagoda::rt::chat {

enum class Side : uint8_t { Left = 1, Right = 2, Both = 3 };

/// str.strip() and its kin. `characters` null: white space.
Text strip(const Text &text, const std::string *characters, Side side);

enum class Case : uint8_t {
  Lower,
  Upper,
  /// The first character of the text in upper case, the others in lower.
  Capital,
  /// The first of each word, as str.title() has words.
  Title,
  /// The first of each word, as Jinja's filter has words.
  FilterTitle,
};
void changeCase(const Text &text, Case to, TextBuilder &out);

/// str.replace(); a negative count: all.
void replace(const Text &text, const Text &old, const Text &by, int64_t count,
             TextBuilder &out);

/// str.split() and str.rsplit(); `separator` null: runs of white space.
std::vector<Text> split(const Text &text, const std::string *separator,
                        int64_t count, bool fromRight);
/// str.splitlines()
std::vector<Text> splitLines(const Text &text, bool keepEnds);

/// str.format() with arguments by position and by name.
Status format(const Call &call, const Text &pattern, TextBuilder &out);

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_TEXTTOOLS_H
