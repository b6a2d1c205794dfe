//===- GgufTokenizer.h - A tokenizer in GGUF's metadata ---------*- C++ -*-===//
//
// What `tokenizer.ggml.*` and `tokenizer.chat_template` hold, for whoever has
// a GGUF file open to hand to Tokenizer::fromGguf(). Fields that the file does
// not have stay empty.
//
//   GgufTokenizerFields fields;
//   fields.model = file.getString("tokenizer.ggml.model");
//   …
//   PAGODA_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::fromGguf(fields));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_TOKENIZER_GGUFTOKENIZER_H
#define PAGODA_RUNTIME_TOKENIZER_GGUFTOKENIZER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pagoda::rt {

/// Views: the file, or whoever holds the text, must live until fromGguf()
/// returns.
struct GgufTokenizerFields {
  /// For messages: the file's name.
  std::string source = "GGUF";

  /// tokenizer.ggml.model: "gpt2" is byte-level BPE.
  std::string_view model;
  /// tokenizer.ggml.pre: how text is cut.
  std::string_view pre;
  std::vector<std::string_view> tokens;
  /// tokenizer.ggml.token_type: 1 normal, 2 unknown, 3 control, 4
  /// user-defined, 5 unused, 6 byte. Empty, or one for each token.
  std::vector<int32_t> tokenTypes;
  /// "left right", by rank.
  std::vector<std::string_view> merges;

  std::optional<uint32_t> beginId, endId, endOfTurnId, unknownId, padId;
  /// tokenizer.ggml.add_bos_token, add_eos_token, add_space_prefix.
  std::optional<bool> addBegin, addEnd, addSpacePrefix;

  /// tokenizer.chat_template under the name "default", and
  /// tokenizer.chat_template.NAME.
  std::vector<std::pair<std::string_view, std::string_view>> chatTemplates;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_TOKENIZER_GGUFTOKENIZER_H
