// Real tokenizers against what Hugging Face's `tokenizers` gives: every line
// of the golden files, whole and as a stream, and through the stored tables.

#include "SharedFiles.h"
#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Tokenizer/StreamDecoder.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

struct GoldenLine {
  std::string text, decoded, decodedSkip;
  std::vector<TokenId> ids, idsSpecial;
};

std::vector<TokenId> idList(JsonValue list) {
  std::vector<TokenId> ids;
  for (size_t i = 0; i < list.size(); ++i)
    ids.push_back(static_cast<TokenId>(*list[i].asInt()));
  return ids;
}

std::vector<GoldenLine> readGolden(const std::string &path) {
  std::vector<GoldenLine> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    auto document = JsonDocument::parse(text, path);
    if (!document.ok()) {
      ADD_FAILURE() << document.status().message();
      break;
    }
    JsonValue line = document->root();
    lines.push_back({std::string(*line.getString("text")),
                     std::string(*line.getString("decoded")),
                     std::string(*line.getString("decoded_skip")),
                     idList(*line.getArray("ids")),
                     idList(*line.getArray("ids_special"))});
  }
  return lines;
}

std::string stream(const Tokenizer &tokenizer, std::span<const TokenId> ids,
                   bool skip) {
  StreamDecoder decoder(tokenizer, skip);
  std::string text;
  for (TokenId id : ids)
    text += decoder.push(id);
  return text + decoder.flush();
}

void expectGolden(const Tokenizer &tokenizer,
                  const std::vector<GoldenLine> &lines) {
  ASSERT_FALSE(lines.empty());
  for (const GoldenLine &line : lines) {
    SCOPED_TRACE(line.text.substr(0, 80));
    auto ids = tokenizer.encode(line.text, {.addSpecialTokens = false});
    ASSERT_TRUE(ids.ok()) << ids.status().message();
    EXPECT_EQ(*ids, line.ids);
    auto special = tokenizer.encode(line.text);
    ASSERT_TRUE(special.ok()) << special.status().message();
    EXPECT_EQ(*special, line.idsSpecial);
    EXPECT_EQ(tokenizer.decode(line.ids), line.decoded);
    EXPECT_EQ(tokenizer.decode(line.ids, true), line.decodedSkip);
    EXPECT_EQ(stream(tokenizer, line.ids, false), line.decoded);
    EXPECT_EQ(stream(tokenizer, line.ids, true), line.decodedSkip);
  }
}

class Golden : public testing::TestWithParam<const char *> {};

} // namespace

TEST_P(Golden, EveryLineIsEqual) {
  PAGODA_REQUIRE_SHARED(folder, std::string("tokenizers/") + GetParam());
  auto tokenizer = Tokenizer::fromJsonFile(folder + "/tokenizer.json");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  auto lines = readGolden(folder + "/golden.jsonl");
  expectGolden(*tokenizer, lines);

  // The tables are all there is: a copy of them elsewhere does the same.
  auto copy = std::make_shared<std::vector<std::byte>>(
      tokenizer->bytes().begin(), tokenizer->bytes().end());
  auto opened = Tokenizer::fromBytes(*copy, copy);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  expectGolden(*opened, lines);

  auto again = Tokenizer::fromJsonFile(folder + "/tokenizer.json");
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(std::ranges::equal(again->bytes(), tokenizer->bytes()));
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, Golden,
                         testing::Values("bytelevel-gpt2", "bytelevel-llama3",
                                         "bytelevel-qwen2", "smollm2"),
                         [](auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The same vocabulary as a GGUF file holds it, with its own name for the rules.
// "smollm" takes digits of every script one by one. The golden tokenizer.json
// does not, so it gets the stage that says so (on ASCII digits both agree).
TEST(GoldenGguf, SmolLm2GivesTheSameIds) {
  PAGODA_REQUIRE_SHARED(folder, "tokenizers/smollm2");
  auto document = JsonDocument::parseFile(folder + "/tokenizer.json");
  ASSERT_TRUE(document.ok());
  JsonValue root = document->root();
  JsonValue model = *root.getObject("model");
  JsonValue vocabulary = *model.getObject("vocab");
  GgufTokenizerFields fields;
  fields.model = "gpt2";
  fields.pre = "smollm";
  fields.tokens.resize(vocabulary.size());
  fields.tokenTypes.assign(vocabulary.size(), 1);
  for (size_t i = 0; i < vocabulary.size(); ++i)
    fields.tokens[*vocabulary[i].asUnsigned()] = vocabulary.keyAt(i);
  JsonValue added = *root.getArray("added_tokens");
  for (size_t i = 0; i < added.size(); ++i)
    fields.tokenTypes[*added[i].getUnsigned("id")] = 3;
  JsonValue merges = *model.getArray("merges");
  std::vector<std::string> texts;
  for (size_t i = 0; i < merges.size(); ++i)
    texts.push_back(
        concat(*merges[i][0].asString(), ' ', *merges[i][1].asString()));
  fields.merges.assign(texts.begin(), texts.end());
  fields.beginId = 1;
  fields.endId = 2;
  fields.addBegin = false;
  fields.chatTemplates = {{"default", "{{ messages }}"}};

  auto tokenizer = Tokenizer::fromGguf(fields);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  auto withDigits = root.raw();
  withDigits["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Digits"}, {"individual_digits", true}},
        withDigits["pre_tokenizer"]}}};
  auto reference = Tokenizer::fromJson(
      JsonDocument::fromValue(std::move(withDigits), "tokenizer.json"));
  ASSERT_TRUE(reference.ok()) << reference.status().message();
  auto lines = readGolden(folder + "/golden.jsonl");
  size_t equalToGolden = 0;
  for (const GoldenLine &line : lines) {
    SCOPED_TRACE(line.text.substr(0, 80));
    auto ids = *tokenizer->encode(line.text);
    EXPECT_EQ(ids, *reference->encode(line.text));
    EXPECT_EQ(tokenizer->decode(ids), line.decoded);
    equalToGolden += ids == line.idsSpecial;
  }
  // All but the lines with Arabic digits and with circled and Roman numbers.
  EXPECT_EQ(equalToGolden, lines.size() - 2);
  EXPECT_EQ(tokenizer->vocabularySize(), 49152u);
  EXPECT_EQ(tokenizer->beginId(), 1);
  EXPECT_EQ(tokenizer->endOfTurnId(), 2); // <|im_end|>, by its name
  EXPECT_EQ(tokenizer->chatTemplate(), "{{ messages }}");
}

// What is not there yet is named.
TEST(GoldenUnsupported, IsRefusedByName) {
  PAGODA_REQUIRE_SHARED(folder, "tokenizers");
  struct {
    const char *name, *says;
  } rows[] = {{"unigram", "Unigram"},
              {"wordpiece", "WordPiece"},
              {"sentencepiece-bpe", "not supported yet"}};
  for (auto &[name, says] : rows) {
    auto tokenizer =
        Tokenizer::fromJsonFile(concat(folder, '/', name, "/tokenizer.json"));
    EXPECT_EQ(tokenizer.status().code(), StatusCode::Unsupported);
    EXPECT_THAT(tokenizer.status().message(), testing::HasSubstr(says));
    EXPECT_THAT(tokenizer.status().message(),
                testing::HasSubstr("tokenizer.json"));
  }
}
