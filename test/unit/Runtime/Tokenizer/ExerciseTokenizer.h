//===- ExerciseTokenizer.h - All that a caller could ask --------*- C++ -*-===//
//
// A small tokenizer.json in which everything occurs, and a function that asks a
// tokenizer for everything, so that one which was wrongly accepted shows under
// a sanitizer. For the tests of damage and the fuzzers.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_RUNTIME_TOKENIZER_EXERCISETOKENIZER_H
#define PAGODA_TEST_UNIT_RUNTIME_TOKENIZER_EXERCISETOKENIZER_H

#include "SmallTokenizers.h"

#include <cstdlib>

namespace pagoda::rt::test {

/// With every kind of table in use, and not much in them.
inline Json fullTokenizer() {
  Json json = byteTokenizer();
  json["model"]["vocab"]["ab"] = 300;
  json["model"]["vocab"]["abc"] = 301;
  json["model"]["merges"] =
      Json::array({Json::array({"a", "b"}), Json::array({"ab", "c"})});
  json["model"]["ignore_merges"] = true;
  json["normalizer"] = {{"type", "NFC"}};
  json["added_tokens"].push_back(addedToken(302, "<n>", false));
  json["added_tokens"].back()["normalized"] = true;
  json["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Split"},
         {"pattern", {{"Regex", "\\p{N}{1,3}|[^\\s\\p{L}]+"}}},
         {"behavior", "MergedWithNext"},
         {"invert", false}},
        byteLevel()}}};
  json["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single",
       {{{"SpecialToken", {{"id", "B"}, {"type_id", 0}}}},
        {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
      {"pair", Json::array()},
      {"special_tokens",
       {{"B", {{"id", "B"}, {"ids", {256}}, {"tokens", {"<|bos|>"}}}}}}};
  return json;
}

/// Everything that a tokenizer can be asked for.
inline void exercise(const Tokenizer &tokenizer) {
  std::string text =
      "abcab 123 <|im_end|> <n> e\u0301 \xe4\xbd\xa0 " + std::string(100, 'a');
  for (bool special : {false, true}) {
    auto ids = tokenizer.encode(text, {special, true});
    if (ids.ok()) {
      (void)tokenizer.decode(*ids);
      for (TokenId id : *ids)
        if (static_cast<size_t>(id) >= tokenizer.vocabularySize())
          std::abort();
    }
  }
  for (TokenId id = -1; id < 310; ++id) {
    (void)tokenizer.tokenBytes(id);
    (void)tokenizer.isSpecial(id);
  }
  (void)tokenizer.tokenId("<|im_end|>");
  (void)tokenizer.tokenId("abc");
  (void)tokenizer.beginId();
  (void)tokenizer.chatTemplate();
}

} // namespace pagoda::rt::test

#endif // PAGODA_TEST_UNIT_RUNTIME_TOKENIZER_EXERCISETOKENIZER_H
