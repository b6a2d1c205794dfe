//===- BuiltinPatterns.h - How known models cut text ------------*- C++ -*-===//
//
// The patterns that files refer to by a name instead of spelling them out, in
// Oniguruma's syntax.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_BUILTINPATTERNS_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_BUILTINPATTERNS_H

#include <span>
#include <string_view>

namespace pagoda::rt {

namespace patterns {

/// GPT-2's, which tokenizer.json means by ByteLevel with use_regex.
inline constexpr std::string_view gpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

} // namespace patterns

/// What a `tokenizer.ggml.pre` stands for.
struct GgufPreTokenizer {
  std::string_view name;
  /// Run one after the other, each on what the ones before left.
  std::span<const std::string_view> patterns;
  /// A piece that is a token is not taken apart.
  bool wholePieces;
  /// Texts begin with the begin token unless the file says otherwise.
  bool addsBegin;
};

/// Null for an unknown name.
const GgufPreTokenizer *findGgufPreTokenizer(std::string_view name);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_BUILTINPATTERNS_H
