//===- Lexer.h - Cutting a template into tokens -----------------*- C++ -*-===//
//
// Reads Jinja's outer syntax with the settings under which chat templates are
// written: a line break behind a block is dropped (trim_blocks), and space
// before a block that begins its line (lstrip_blocks).
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_LEXER_H
#define PAGODA_LIB_RUNTIME_CHAT_LEXER_H

#include "pagoda/Base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt::chat {

enum class TokenKind : uint8_t {
  /// Text between tags.
  Data,
  BlockBegin,
  BlockEnd,
  VariableBegin,
  VariableEnd,
  Name,
  String,
  Integer,
  Float,
  Operator,
  End,
};

struct Token {
  TokenKind kind;
  /// The text; of a string what it stands for.
  std::string text;
  unsigned line;

  bool isOperator(std::string_view name) const {
    return kind == TokenKind::Operator && text == name;
  }
  bool isName(std::string_view name) const {
    return kind == TokenKind::Name && text == name;
  }
};

/// The tokens of `source`, valid UTF-8; the last is an End.
StatusOr<std::vector<Token>> tokenize(std::string_view source);

/// An error with the place where it is: "chat template, line 3: …".
template <typename... Parts>
Status templateError(unsigned line, const Parts &...parts) {
  return invalidArgument("chat template, line ", line, ": ", parts...);
}
/// For what Jinja has and Pagoda does not.
template <typename... Parts>
Status unsupportedInTemplate(unsigned line, const Parts &...parts) {
  return unsupported("chat template, line ", line, ": ", parts...);
}

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_LEXER_H
