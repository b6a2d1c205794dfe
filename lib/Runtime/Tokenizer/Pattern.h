//===- Pattern.h - Regular expressions that cut text ------------*- C++ -*-===//
//
// A pattern of a pre-tokenizer, matched by PCRE2. Compiled when it is first
// used, so that opening a tokenizer costs nothing for it, and turned into
// machine code once a longer text comes, where the machine allows that. Safe
// to share between threads; each brings its own Matcher.
//
//   Matcher matcher(pattern);
//   PAGODA_ASSIGN_OR_RETURN(auto match, matcher.find(text, 0));
//   if (match) use(text.substr(match->begin, match->end - match->begin));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_PATTERN_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_PATTERN_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pagoda::rt {

class Pattern {
public:
  /// `expression` in PCRE2's syntax; see PatternSyntax.h.
  explicit Pattern(std::string expression);
  ~Pattern();

  const std::string &expression() const { return text; }
  /// Compiles now, to know whether it can be used.
  Status check() const;

private:
  friend class Matcher;
  struct State;
  Status compile() const;

  std::string text;
  std::unique_ptr<State> state;
};

/// Finds the matches of one pattern; for one thread.
class Matcher {
public:
  explicit Matcher(const Pattern &pattern);
  Matcher(Matcher &&) noexcept;
  ~Matcher();

  struct Match {
    size_t begin, end;
  };

  /// Gets ready for a subject of `bytes`. Errors: a bad expression.
  Status prepare(size_t bytes);
  /// The first match at or after `from`, a boundary between characters.
  /// `text` is valid UTF-8. Only after prepare(). Errors: a match that takes
  /// too many steps.
  StatusOr<std::optional<Match>> find(std::string_view text, size_t from);

private:
  struct Buffers;
  const Pattern *pattern;
  std::unique_ptr<Buffers> buffers;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_PATTERN_H
