//===- PatternSyntax.h - Reading other libraries' patterns ------*- C++ -*-===//
//
// tokenizer.json writes its patterns for Oniguruma, in Ruby's syntax. PCRE2
// reads most of that, but not everything in the same sense. This reads the
// part of the syntax that tokenizers use, writes it for PCRE2 with the same
// meaning, and refuses by name what it does not know.
//
//   pcreFromOniguruma("\\s+")  // "[\\t-\\r\\x20\\x85…]+": no U+180E
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_PATTERNSYNTAX_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_PATTERNSYNTAX_H

#include "pagoda/Base/Status.h"

#include <string>
#include <string_view>

namespace pagoda::rt {

/// `pattern` is valid UTF-8.
StatusOr<std::string> pcreFromOniguruma(std::string_view pattern);

/// A pattern that matches `text` and nothing else.
std::string pcreFromLiteral(std::string_view text);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_PATTERNSYNTAX_H
