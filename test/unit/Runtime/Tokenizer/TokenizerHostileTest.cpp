// Files and tables that were damaged or made to harm: every outcome is fine
// except a crash, a hang or a large allocation. Runs under the sanitizers too.

#include "FlatFormat.h"
#include "SmallTokenizers.h"

#include <chrono>
#include <gmock/gmock.h>
#include <random>

using namespace pagoda;
using namespace pagoda::rt;
using namespace pagoda::rt::test;

namespace {

/// With every kind of table in use, and not much in them.
Json hostileBase() {
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
void exercise(const Tokenizer &tokenizer) {
  std::string text =
      "abcab 123 <|im_end|> <n> e\u0301 \xe4\xbd\xa0 " + std::string(100, 'a');
  for (bool special : {false, true}) {
    auto ids = tokenizer.encode(text, {special, true});
    if (ids.ok()) {
      (void)tokenizer.decode(*ids);
      for (TokenId id : *ids)
        ASSERT_LT(static_cast<size_t>(id), tokenizer.vocabularySize());
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

std::shared_ptr<std::vector<std::byte>> copyOf(const Tokenizer &tokenizer) {
  return std::make_shared<std::vector<std::byte>>(tokenizer.bytes().begin(),
                                                  tokenizer.bytes().end());
}

} // namespace

TEST(Hostile, DamagedJsonIsReadOrRefused) {
  std::string good = hostileBase().dump();
  std::mt19937 random(1);
  size_t accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = good;
    for (unsigned i = 0, flips = 1 + random() % 4; i < flips; ++i) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      case 3: // digits and punctuation do more harm than noise
        text[at] = "0123456789\"{}[],:\\"[random() % 18];
        break;
      }
      if (text.empty())
        text += ' ';
    }
    auto document = JsonDocument::parse(text, "tokenizer.json");
    if (!document.ok())
      continue;
    auto tokenizer = Tokenizer::fromJson(*document);
    if (!tokenizer.ok())
      continue;
    ++accepted;
    ASSERT_LT(tokenizer->bytes().size(), 4u << 20);
    if (accepted % 8 == 0)
      exercise(*tokenizer);
  }
  EXPECT_GT(accepted, 10u);
}

TEST(Hostile, DamagedTablesAreReadOrRefused) {
  Tokenizer good = mustBuild(hostileBase());
  std::mt19937 random(2);
  size_t accepted = 0;
  for (int round = 0; round < 6000; ++round) {
    auto bytes = copyOf(good);
    // Half of the damage goes to the directory and the small records.
    for (unsigned i = 0, flips = 1 + random() % 6; i < flips; ++i) {
      size_t range = random() % 2 ? 512 : bytes->size();
      size_t at = random() % range;
      if (random() % 2) {
        (*bytes)[at] ^= static_cast<std::byte>(1u << random() % 8);
      } else {
        static constexpr uint32_t values[] = {
            0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 256, 301};
        uint32_t value = values[random() % std::size(values)];
        at = at / 4 * 4;
        std::memcpy(bytes->data() + at, &value, 4);
      }
    }
    auto opened = Tokenizer::fromBytes(*bytes, bytes);
    if (!opened.ok())
      continue;
    ++accepted;
    exercise(*opened);
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(Hostile, TablesThatEndEarlyAreRefused) {
  Tokenizer good = mustBuild(hostileBase());
  for (size_t size = 0; size < good.bytes().size();
       size += size < 600 ? 1 : 977) {
    auto bytes = copyOf(good);
    bytes->resize(size);
    EXPECT_FALSE(Tokenizer::fromBytes(*bytes, bytes).ok());
    // And with the size in the header corrected.
    uint64_t claimed = size;
    if (size >= sizeof(flat::Header)) {
      std::memcpy(bytes->data() + offsetof(flat::Header, bytes), &claimed, 8);
      auto opened = Tokenizer::fromBytes(*bytes, bytes);
      if (opened.ok())
        exercise(*opened);
    }
  }
}

TEST(Hostile, AnotherVersionIsNamed) {
  auto bytes = copyOf(mustBuild(byteTokenizer()));
  uint32_t version = 7;
  std::memcpy(bytes->data() + offsetof(flat::Header, version), &version, 4);
  auto opened = Tokenizer::fromBytes(*bytes, bytes);
  EXPECT_EQ(opened.status().code(), StatusCode::Unsupported);
  EXPECT_THAT(opened.status().message(),
              testing::HasSubstr("version 7, this build reads version 1"));
  auto shifted = std::make_shared<std::vector<std::byte>>(*bytes);
  shifted->insert(shifted->begin(), std::byte{});
  EXPECT_THAT(Tokenizer::fromBytes(std::span(*shifted).subspan(1), shifted)
                  .status()
                  .message(),
              testing::HasSubstr("multiple of 8"));
}

// Merges that depend on each other, long pieces, words that never come twice.
TEST(Hostile, NoTextTakesLong) {
  Json json = byteTokenizer();
  std::string token = "a";
  for (unsigned i = 0; i < 18; ++i) {
    json["model"]["merges"].push_back(Json::array({token, token}));
    token += token;
    if (token.size() > 1 << 12)
      break;
    json["model"]["vocab"][token] = 300 + i;
  }
  json["model"]["merges"].erase(json["model"]["merges"].size() - 1);
  Tokenizer tokenizer = mustBuild(json);
  std::mt19937 random(3);
  std::string noise;
  for (int i = 0; i < 300000; ++i)
    noise += "abcdefgh <|im_\n\t0'."[random() % 19];
  auto begin = std::chrono::steady_clock::now();
  for (const std::string &text :
       {std::string(1000000, 'a'), std::string(1000000, ' '),
        std::string(500000, '<'), std::string(1000000, '\n') + "x", noise})
    EXPECT_TRUE(tokenizer.encode(text).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}
