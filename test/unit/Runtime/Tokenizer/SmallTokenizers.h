//===- SmallTokenizers.h - Vocabularies made by tests -----------*- C++ -*-===//

#ifndef PAGODA_TEST_UNIT_RUNTIME_TOKENIZER_SMALLTOKENIZERS_H
#define PAGODA_TEST_UNIT_RUNTIME_TOKENIZER_SMALLTOKENIZERS_H

#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pagoda::rt::test {

using Json = nlohmann::ordered_json;

/// The spelling of a byte in the byte alphabet.
inline std::string spell(unsigned byte) {
  static const std::vector<std::string> spellings = [] {
    std::vector<std::string> list;
    unsigned next = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
      bool itself = (b >= '!' && b <= '~') || (b >= 0xa1 && b != 0xad);
      unsigned c = itself ? b : next++;
      list.push_back(c < 0x80
                         ? std::string(1, static_cast<char>(c))
                         : std::string{static_cast<char>(0xc0 | c >> 6),
                                       static_cast<char>(0x80 | (c & 63))});
    }
    return list;
  }();
  return spellings[byte];
}

inline Json byteLevel(bool regex = true) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", regex}};
}

inline Json addedToken(unsigned id, std::string text, bool special = true) {
  return {{"id", id},          {"content", text}, {"single_word", false},
          {"lstrip", false},   {"rstrip", false}, {"normalized", false},
          {"special", special}};
}

/// Every byte is a token whose id is its value; then the control tokens 256
/// <|bos|>, 257 <|eos|>, 258 <|im_start|>, 259 <|im_end|>.
inline Json byteTokenizer() {
  Json vocabulary = Json::object();
  for (unsigned byte = 0; byte < 256; ++byte)
    vocabulary[spell(byte)] = byte;
  Json added = Json::array();
  unsigned id = 256;
  for (const char *text : {"<|bos|>", "<|eos|>", "<|im_start|>", "<|im_end|>"})
    added.push_back(addedToken(id++, text));
  return {{"version", "1.0"},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", byteLevel()},
          {"post_processor", nullptr},
          {"decoder", byteLevel()},
          {"model",
           {{"type", "BPE"},
            {"ignore_merges", false},
            {"vocab", vocabulary},
            {"merges", Json::array()}}}};
}

inline StatusOr<Tokenizer> build(const Json &json,
                                 const Json *config = nullptr) {
  JsonDocument document = JsonDocument::fromValue(json, "tokenizer.json");
  if (!config)
    return Tokenizer::fromJson(document);
  JsonDocument second =
      JsonDocument::fromValue(*config, "tokenizer_config.json");
  return Tokenizer::fromJson(document, &second);
}

/// For tests that do not expect an error.
inline Tokenizer mustBuild(const Json &json, const Json *config = nullptr) {
  auto tokenizer = build(json, config);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  return *tokenizer;
}

inline std::vector<TokenId> mustEncode(const Tokenizer &tokenizer,
                                       std::string_view text,
                                       EncodeOptions options = {false, true}) {
  auto ids = tokenizer.encode(text, options);
  EXPECT_TRUE(ids.ok()) << ids.status().message();
  return ids.ok() ? *ids : std::vector<TokenId>();
}

} // namespace pagoda::rt::test

#endif // PAGODA_TEST_UNIT_RUNTIME_TOKENIZER_SMALLTOKENIZERS_H
