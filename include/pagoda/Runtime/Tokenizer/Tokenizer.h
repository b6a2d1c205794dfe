//===- Tokenizer.h - Text to token ids and back -----------------*- C++ -*-===//
//
// For the importers, which build a tokenizer from a model's files and store
// its tables in the artifact, and for Generation, which opens them from there:
// tables are read where they are mapped, so opening takes microseconds.
//
//   PAGODA_ASSIGN_OR_RETURN(Tokenizer built,
//                           Tokenizer::fromJsonFile("model/tokenizer.json"));
//   store(built.bytes());
//   …
//   PAGODA_ASSIGN_OR_RETURN(Tokenizer tokenizer,
//                           Tokenizer::fromBytes(mapped, keepsItMapped));
//   PAGODA_ASSIGN_OR_RETURN(auto ids, tokenizer.encode("Hello world"));
//   std::string text = tokenizer.decode(ids);
//
// Immutable and cheap to copy; threads may share one.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_TOKENIZER_TOKENIZER_H
#define PAGODA_RUNTIME_TOKENIZER_TOKENIZER_H

#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Tokenizer/GgufTokenizer.h"
#include "pagoda/Runtime/Tokenizer/TextPiece.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {
class JsonDocument;
}

namespace pagoda::rt {

using TokenId = int32_t;
struct TokenizerImpl;

struct EncodeOptions {
  /// Put the tokens that begin and end a text around it, where the model has
  /// such.
  bool addSpecialTokens = true;
  /// Control tokens that the text spells become control tokens. Otherwise they
  /// stay text.
  bool parseSpecialTokens = true;
};

class Tokenizer {
public:
  /// From the tokenizer.json of Hugging Face's `tokenizers`. A
  /// tokenizer_config.json and a chat_template.jinja beside it are read too.
  /// Kinds that are not supported yet are refused by name (Unsupported).
  static StatusOr<Tokenizer> fromJsonFile(const std::string &path);
  /// From the documents themselves; `config` may be null.
  static StatusOr<Tokenizer> fromJson(const JsonDocument &tokenizer,
                                      const JsonDocument *config = nullptr);
  static StatusOr<Tokenizer> fromGguf(const GgufTokenizerFields &fields);
  /// From another tokenizer's bytes(), which lie at a multiple of 8 and which
  /// `owner` keeps alive. Safe on any bytes.
  static StatusOr<Tokenizer> fromBytes(std::span<const std::byte> bytes,
                                       std::shared_ptr<const void> owner);

  /// The tables, to be stored as they are. The same files give the same bytes.
  std::span<const std::byte> bytes() const;

  /// Errors: InvalidArgument for text that is not UTF-8, ResourceExhausted for
  /// text on which the model's patterns take too long.
  StatusOr<std::vector<TokenId>> encode(std::string_view text,
                                        EncodeOptions options = {}) const;
  /// The ids of all the pieces' text as one. Control tokens are found only
  /// where all of their bytes are trusted; what a user writes stays text.
  /// Added tokens that are not control tokens are found everywhere.
  StatusOr<std::vector<TokenId>> encodePieces(std::span<const TextPiece> pieces,
                                              EncodeOptions options = {}) const;

  /// The text of `ids`, with U+FFFD where they are no UTF-8 together. Ids that
  /// the vocabulary does not have add nothing.
  std::string decode(std::span<const TokenId> ids,
                     bool skipSpecialTokens = false) const;

  /// Ids are below this; some below it may have no token.
  size_t vocabularySize() const;
  /// What a token adds to a text. Not always UTF-8 by itself.
  std::string tokenBytes(TokenId id) const;
  /// The id of a token as the vocabulary spells it ("<|im_end|>", "Ġthe").
  std::optional<TokenId> tokenId(std::string_view spelling) const;
  /// Whether it is a control token.
  bool isSpecial(TokenId id) const;

  /// As far as the files say.
  std::optional<TokenId> beginId() const;
  std::optional<TokenId> endId() const;
  /// Ends a turn of a chat, where that is not what ends a text.
  std::optional<TokenId> endOfTurnId() const;
  std::optional<TokenId> padId() const;
  std::optional<TokenId> unknownId() const;

  /// The chat template of that name, if the model came with one.
  std::optional<std::string_view>
  chatTemplate(std::string_view name = "default") const;
  std::vector<std::string_view> chatTemplateNames() const;

private:
  friend class StreamDecoder;
  explicit Tokenizer(std::shared_ptr<const TokenizerImpl> impl)
      : impl(std::move(impl)) {}

  std::shared_ptr<const TokenizerImpl> impl;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_TOKENIZER_TOKENIZER_H
