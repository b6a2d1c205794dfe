#include "SmallTokenizers.h"
#include "pagoda/Runtime/Tokenizer/StreamDecoder.h"

#include <atomic>
#include <fstream>
#include <gmock/gmock.h>
#include <thread>

using namespace pagoda;
using namespace pagoda::rt;
using namespace pagoda::rt::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Ids = std::vector<TokenId>;

/// The vocabulary of a reported fault: 'abcd' is a token that no merge makes.
Json reportedTokenizer(bool ignoreMerges) {
  Json json = byteTokenizer();
  json["added_tokens"] = Json::array();
  json["model"]["vocab"] = {{"a", 0}, {"b", 1},  {"c", 2},
                            {"d", 3}, {"ab", 4}, {"abcd", 5}};
  json["model"]["merges"] = Json::array({Json::array({"a", "b"})});
  json["model"]["ignore_merges"] = ignoreMerges;
  return json;
}

std::string errorOf(const Json &json) {
  auto tokenizer = build(json);
  return tokenizer.ok() ? "no error" : tokenizer.status().message();
}

} // namespace

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

// ggml-org/llama.cpp#7193
TEST(Tokenizer, WholePiecesAreLookedUpWhereMergesAreIgnored) {
  Tokenizer whole = mustBuild(reportedTokenizer(true));
  EXPECT_THAT(mustEncode(whole, "abcd"), ElementsAre(5));
  Tokenizer merged = mustBuild(reportedTokenizer(false));
  EXPECT_THAT(mustEncode(merged, "abcd"), ElementsAre(4, 2, 3));
  EXPECT_EQ(whole.decode(Ids{5}), "abcd");
  EXPECT_EQ(merged.decode(Ids{4, 2, 3}), "abcd");

  GgufTokenizerFields fields;
  fields.model = "gpt2";
  fields.tokens = {"a", "b", "c", "d", "ab", "abcd"};
  fields.merges = {"a b"};
  fields.pre = "llama-bpe";
  auto twin = Tokenizer::fromGguf(fields);
  ASSERT_TRUE(twin.ok()) << twin.status().message();
  EXPECT_THAT(mustEncode(*twin, "abcd"), ElementsAre(5));
  fields.pre = "gpt-2";
  twin = Tokenizer::fromGguf(fields);
  ASSERT_TRUE(twin.ok());
  EXPECT_THAT(mustEncode(*twin, "abcd"), ElementsAre(4, 2, 3));
}

TEST(Tokenizer, TheLowestRankMergesFirstAndTheLeftmostOfEquals) {
  Json json = byteTokenizer();
  json["model"]["vocab"]["aa"] = 300;
  json["model"]["vocab"]["ab"] = 301;
  json["model"]["vocab"]["aaa"] = 302;
  json["model"]["merges"] = Json::array({"a b", "a a", "aa a"});
  Tokenizer tokenizer = mustBuild(json);
  EXPECT_THAT(mustEncode(tokenizer, "aab"), ElementsAre('a', 301));
  EXPECT_THAT(mustEncode(tokenizer, "aaa"), ElementsAre(302));
  EXPECT_THAT(mustEncode(tokenizer, "aaaa"), ElementsAre(300, 300));
  // Long pieces take another way to the same result.
  for (size_t length : {63, 64, 65, 200}) {
    Ids ids = mustEncode(tokenizer, std::string(length, 'a') + "b");
    ASSERT_EQ(ids.size(), (length - 1) / 2 + 1) << length;
    EXPECT_EQ(ids.front(), 300);
    EXPECT_EQ(ids.back(), 301);
  }
}

TEST(Tokenizer, AMergeThatStandsTwiceCountsAsItsFormatSays) {
  Json json = byteTokenizer();
  json["model"]["vocab"]["ab"] = 300;
  json["model"]["vocab"]["bc"] = 301;
  json["model"]["merges"] = Json::array({"a b", "b c", "a b"});
  EXPECT_THAT(mustEncode(mustBuild(json), "abc"), ElementsAre('a', 301));

  GgufTokenizerFields fields;
  fields.model = "gpt2";
  fields.tokens = {"a", "b", "c", "ab", "bc"};
  fields.merges = {"a b", "b c", "a b"};
  auto first = Tokenizer::fromGguf(fields);
  ASSERT_TRUE(first.ok());
  EXPECT_THAT(mustEncode(*first, "abc"), ElementsAre(3, 2));
}

TEST(Tokenizer, UnknownBytesAreDroppedOrBecomeTheUnknownToken) {
  Json json = reportedTokenizer(false);
  EXPECT_THAT(mustEncode(mustBuild(json), "axxc"), ElementsAre(0, 2));
  // What stands on both sides of dropped bytes are neighbours then.
  EXPECT_THAT(mustEncode(mustBuild(json), "axxb"), ElementsAre(4));
  json["model"]["vocab"]["?"] = 6;
  json["model"]["unk_token"] = "?";
  Tokenizer tokenizer = mustBuild(json);
  EXPECT_EQ(tokenizer.unknownId(), 6);
  EXPECT_THAT(mustEncode(tokenizer, "axxb"), ElementsAre(0, 6, 6, 1));
  json["model"]["fuse_unk"] = true;
  EXPECT_THAT(mustEncode(mustBuild(json), "axxb"), ElementsAre(0, 6, 1));
}

//===----------------------------------------------------------------------===//
// Added tokens
//===----------------------------------------------------------------------===//

TEST(AddedTokens, TheLongestWinsAndStripsWhatItSays) {
  Json json = byteTokenizer();
  json["added_tokens"] = {addedToken(256, "<a>"), addedToken(257, "<a>b"),
                          addedToken(258, "<s>")};
  json["added_tokens"][2]["lstrip"] = true;
  json["added_tokens"][2]["rstrip"] = true;
  Tokenizer tokenizer = mustBuild(json);
  EXPECT_THAT(mustEncode(tokenizer, "<a>bc<a><"),
              ElementsAre(257, 'c', 256, '<'));
  EXPECT_THAT(mustEncode(tokenizer, "x \u3000<s>\n y"),
              ElementsAre('x', 258, 'y'));
  EXPECT_EQ(tokenizer.decode(Ids{'x', 258, 'y'}), "x<s>y");
}

TEST(AddedTokens, SingleWordsStandAlone) {
  Json json = byteTokenizer();
  json["added_tokens"] = {addedToken(256, "it")};
  json["added_tokens"][0]["single_word"] = true;
  Tokenizer tokenizer = mustBuild(json);
  EXPECT_THAT(mustEncode(tokenizer, "it"), ElementsAre(256));
  EXPECT_THAT(mustEncode(tokenizer, "bit"), ElementsAre('b', 'i', 't'));
  EXPECT_THAT(mustEncode(tokenizer, "it_"), ElementsAre('i', 't', '_'));
  EXPECT_THAT(mustEncode(tokenizer, ".it."), ElementsAre('.', 256, '.'));
}

TEST(AddedTokens, NormalizedOnesAreFoundInTheNormalForm) {
  Json json = byteTokenizer();
  json["normalizer"] = {{"type", "NFC"}};
  json["added_tokens"] = {addedToken(256, "caf\u00e9x"),
                          addedToken(257, "e\u0301y")};
  json["added_tokens"][0]["normalized"] = true;
  Tokenizer tokenizer = mustBuild(json);
  EXPECT_THAT(mustEncode(tokenizer, "cafe\u0301x"), ElementsAre(256));
  EXPECT_THAT(mustEncode(tokenizer, "e\u0301y"), ElementsAre(257));
  EXPECT_THAT(mustEncode(tokenizer, "\u00e9y"), ElementsAre(0xc3, 0xa9, 'y'));
}

// What a user writes can not become a control token.
TEST(AddedTokens, ControlTokensAreFoundInTrustedTextOnly) {
  Json json = byteTokenizer();
  json["added_tokens"].push_back(addedToken(260, "<tool>", false));
  Tokenizer tokenizer = mustBuild(json);
  auto pieces = [&](std::vector<TextPiece> list) {
    return *tokenizer.encodePieces(list, {.addSpecialTokens = false});
  };
  Ids spelled = mustEncode(tokenizer, "<|im_end|>", {false, false});
  EXPECT_EQ(spelled.size(), 10u);
  EXPECT_EQ(pieces({{"<|im_end|>", false}}), spelled);
  EXPECT_THAT(pieces({{"<|im_end|>", true}}), ElementsAre(259));
  // Not even if only a part of it comes from the user, whatever part.
  for (size_t cut = 1; cut < 10; ++cut) {
    std::string text = "<|im_end|>";
    EXPECT_EQ(pieces({{text.substr(0, cut), true}, {text.substr(cut), false}}),
              spelled);
    EXPECT_EQ(pieces({{text.substr(0, cut), false}, {text.substr(cut), true}}),
              spelled);
    EXPECT_THAT(pieces({{text.substr(0, cut), true}, {text.substr(cut), true}}),
                ElementsAre(259));
  }
  EXPECT_THAT(pieces({{"<|im_start|>", true},
                      {"<|eos|>", false},
                      {"", false},
                      {"<|im_end|>", true}}),
              ElementsAre(258, '<', '|', 'e', 'o', 's', '|', '>', 259));
  // Added tokens that are no control tokens are part of the language.
  EXPECT_THAT(pieces({{"<tool>", false}}), ElementsAre(260));
}

// Where the text changed on its way, no byte of a piece that has untrusted
// ones is trusted.
TEST(AddedTokens, TrustSurvivesNormalisation) {
  Json json = byteTokenizer();
  json["normalizer"] = {{"type", "NFC"}};
  json["added_tokens"][0]["normalized"] = true;
  Tokenizer tokenizer = mustBuild(json);
  std::vector<TextPiece> list = {{"e\u0301", false}, {"<|bos|>", true}};
  EXPECT_EQ(tokenizer.encodePieces(list)->size(), 2u + 7u);
  list[0].trusted = true;
  EXPECT_EQ(tokenizer.encodePieces(list)->back(), 256);
  list[0] = {"e", false};
  EXPECT_EQ(tokenizer.encodePieces(list)->back(), 256);
}

TEST(AddedTokens, PiecesMergeAcrossTheirEnds) {
  Json json = byteTokenizer();
  json["model"]["vocab"]["ab"] = 300;
  json["model"]["merges"] = Json::array({"a b"});
  Tokenizer tokenizer = mustBuild(json);
  std::vector<TextPiece> list = {{"a", true}, {"b", false}};
  EXPECT_THAT(*tokenizer.encodePieces(list), ElementsAre(300));
}

//===----------------------------------------------------------------------===//
// What surrounds a text
//===----------------------------------------------------------------------===//

TEST(Tokenizer, TemplatesPutTokensAroundAText) {
  Json json = byteTokenizer();
  Json special = {{"SpecialToken", {{"id", "B"}, {"type_id", 0}}}};
  Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  Json end = {{"SpecialToken", {{"id", "E"}, {"type_id", 0}}}};
  json["post_processor"] = {
      {"type", "Sequence"},
      {"processors",
       {byteLevel(),
        {{"type", "TemplateProcessing"},
         {"single", {special, text, end}},
         {"pair", Json::array()},
         {"special_tokens",
          {{"B", {{"id", "B"}, {"ids", {256}}, {"tokens", {"<|bos|>"}}}},
           {"E",
            {{"id", "E"}, {"ids", {257, 259}}, {"tokens", {"", ""}}}}}}}}}};
  Tokenizer tokenizer = mustBuild(json);
  EXPECT_THAT(mustEncode(tokenizer, "a", {true, true}),
              ElementsAre(256, 'a', 257, 259));
  EXPECT_THAT(mustEncode(tokenizer, ""), ElementsAre());
  EXPECT_THAT(mustEncode(tokenizer, "", {true, true}),
              ElementsAre(256, 257, 259));
}

// ggml-org/llama.cpp#15086: whether the begin token is added follows the
// configuration, once.
TEST(Tokenizer, TheConfigurationDecidesAboutTheBeginToken) {
  Json json = byteTokenizer();
  Json config = {{"bos_token", "<|bos|>"},
                 {"eos_token", {{"content", "<|eos|>"}}},
                 {"add_bos_token", true},
                 {"chat_template",
                  {{{"name", "default"}, {"template", "one"}},
                   {{"name", "tool_use"}, {"template", "two"}}}}};
  Tokenizer tokenizer = mustBuild(json, &config);
  EXPECT_EQ(tokenizer.beginId(), 256);
  EXPECT_EQ(tokenizer.endId(), 257);
  EXPECT_EQ(tokenizer.endOfTurnId(), 259);
  EXPECT_EQ(tokenizer.padId(), std::nullopt);
  EXPECT_EQ(tokenizer.chatTemplate(), "one");
  EXPECT_EQ(tokenizer.chatTemplate("tool_use"), "two");
  EXPECT_EQ(tokenizer.chatTemplate("rag"), std::nullopt);
  EXPECT_THAT(mustEncode(tokenizer, "a", {true, true}), ElementsAre(256, 'a'));
  config["add_bos_token"] = false;
  EXPECT_THAT(mustEncode(mustBuild(json, &config), "a", {true, true}),
              ElementsAre('a'));
}

TEST(Tokenizer, FilesBesideTokenizerJsonAreRead) {
  std::string folder = testing::TempDir() + "beside-";
  auto write = [&](const char *name, const std::string &text) {
    std::ofstream(testing::TempDir() + name) << text;
  };
  write("tokenizer.json", byteTokenizer().dump());
  write("tokenizer_config.json",
        R"({"bos_token": "<|bos|>", "chat_template": "old"})");
  write("chat_template.jinja", "new");
  auto tokenizer =
      Tokenizer::fromJsonFile(testing::TempDir() + "tokenizer.json");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  EXPECT_EQ(tokenizer->beginId(), 256);
  EXPECT_EQ(tokenizer->chatTemplate(), "new");
  write("tokenizer_config.json", "{");
  tokenizer = Tokenizer::fromJsonFile(testing::TempDir() + "tokenizer.json");
  EXPECT_THAT(tokenizer.status().message(),
              HasSubstr("tokenizer_config.json: line 1"));
  for (const char *name :
       {"tokenizer.json", "tokenizer_config.json", "chat_template.jinja"})
    std::remove((testing::TempDir() + name).c_str());
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

TEST(Decode, BytesThatAreNoTextBecomeReplacementCharacters) {
  Tokenizer tokenizer = mustBuild(byteTokenizer());
  EXPECT_EQ(tokenizer.decode(Ids{0xe2, 0x82, 0xac}), "€");
  EXPECT_EQ(tokenizer.decode(Ids{0xe2, 0x82, 'a'}), "\ufffda");
  EXPECT_EQ(tokenizer.decode(Ids{0xe2, 0x82}), "\ufffd");
  EXPECT_EQ(tokenizer.decode(Ids{0xff, 0x80}), "\ufffd\ufffd");
  EXPECT_EQ(tokenizer.decode(Ids{'a', 999999, -1, 'b'}), "ab");
  EXPECT_EQ(tokenizer.decode(Ids{'a', 257, 'b'}, true), "ab");
  EXPECT_EQ(tokenizer.decode(Ids{'a', 257, 'b'}, false), "a<|eos|>b");
}

TEST(Decode, StreamsNeverSplitACharacter) {
  Tokenizer tokenizer = mustBuild(byteTokenizer());
  StreamDecoder stream(tokenizer);
  EXPECT_EQ(stream.push('a'), "a");
  EXPECT_EQ(stream.push(0xf0), "");
  EXPECT_EQ(stream.push(0x9f), "");
  EXPECT_EQ(stream.push(0x99), "");
  EXPECT_EQ(stream.push(0x82), "🙂");
  EXPECT_EQ(stream.push(0xe2), "");
  EXPECT_EQ(stream.push(257), "\ufffd<|eos|>");
  EXPECT_EQ(stream.push(0xe2), "");
  EXPECT_EQ(stream.flush(), "\ufffd");
  EXPECT_EQ(stream.flush(), "");
}

TEST(Decode, StreamsGiveWhatDecodeGives) {
  Tokenizer tokenizer = mustBuild(byteTokenizer());
  uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    Ids ids;
    for (int i = 0; i < 12; ++i) {
      state = state * 1664525 + 1013904223;
      static constexpr TokenId some[] = {'a',  0x80, 0xbf, 0xc3, 0xe2,
                                         0xe0, 0xed, 0xa0, 0xf0, 0x9f,
                                         0xf4, 0x8f, 0xff, 257};
      ids.push_back(some[(state >> 16) % std::size(some)]);
    }
    for (bool skip : {false, true}) {
      StreamDecoder stream(tokenizer, skip);
      std::string text;
      for (TokenId id : ids)
        text += stream.push(id);
      ASSERT_EQ(text + stream.flush(), tokenizer.decode(ids, skip));
    }
  }
}

TEST(Tokenizer, ThreadsMayShareOne) {
  Tokenizer tokenizer = mustBuild(byteTokenizer());
  // Patterns are compiled, and translated, while others use them.
  std::string text(1000, 'x');
  std::vector<std::thread> threads;
  std::atomic<size_t> ids = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round)
        ids += tokenizer.encode(text)->size();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(ids, 4u * 20 * 1000);
}

TEST(Tokenizer, TokensAreFoundByTheirSpelling) {
  Tokenizer tokenizer = mustBuild(byteTokenizer());
  EXPECT_EQ(tokenizer.vocabularySize(), 260u);
  EXPECT_EQ(tokenizer.tokenId("<|im_end|>"), 259);
  EXPECT_EQ(tokenizer.tokenId("Ġ"), ' ');
  EXPECT_EQ(tokenizer.tokenId(" "), std::nullopt);
  EXPECT_EQ(tokenizer.tokenId("\xff"), std::nullopt);
  EXPECT_EQ(tokenizer.tokenBytes(' '), " ");
  EXPECT_EQ(tokenizer.tokenBytes(0xff), "\xff");
  EXPECT_EQ(tokenizer.tokenBytes(-1), "");
  EXPECT_TRUE(tokenizer.isSpecial(259));
  EXPECT_FALSE(tokenizer.isSpecial('a'));
  EXPECT_FALSE(tokenizer.isSpecial(-1));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Tokenizer, RefusesTextThatIsNotUtf8) {
  Tokenizer tokenizer = mustBuild(byteTokenizer());
  auto ids = tokenizer.encode("ab\xff");
  EXPECT_EQ(ids.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(ids.status().message(), "the text is not UTF-8 at byte 2");
}

TEST(Tokenizer, NamesWhatItDoesNotSupport) {
  Json json = byteTokenizer();
  json["normalizer"] = {{"type", "Precompiled"}};
  EXPECT_EQ(errorOf(json),
            "tokenizer.json: 'normalizer' is the normalizer Precompiled, which "
            "is not supported yet (known: NFC, Sequence)");
  json = byteTokenizer();
  json["pre_tokenizer"] = {{"type", "Metaspace"}};
  EXPECT_THAT(errorOf(json), HasSubstr("without the pre-tokenizer ByteLevel"));
  json["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers", {{{"type", "Whitespace"}}, byteLevel()}}};
  EXPECT_THAT(errorOf(json), HasSubstr("'pre_tokenizer.pretokenizers[0]' is "
                                       "the pre-tokenizer Whitespace"));
  json["pre_tokenizer"]["pretokenizers"] = {
      byteLevel(), {{"type", "Digits"}, {"individual_digits", true}}};
  EXPECT_THAT(errorOf(json), HasSubstr("has stages behind ByteLevel"));
  json = byteTokenizer();
  json["decoder"] = {{"type", "WordPiece"}};
  EXPECT_THAT(errorOf(json), HasSubstr("'decoder' is the decoder WordPiece"));
  json = byteTokenizer();
  json["post_processor"] = {{"type", "BertProcessing"}};
  EXPECT_THAT(errorOf(json), HasSubstr("post-processor BertProcessing"));
  json = byteTokenizer();
  json["model"]["type"] = "Unigram";
  EXPECT_EQ(errorOf(json), "tokenizer.json: 'model' is of type Unigram; of "
                           "tokenizer models only BPE is supported yet");
  json = byteTokenizer();
  json["model"]["byte_fallback"] = true;
  EXPECT_THAT(errorOf(json), HasSubstr("'model.byte_fallback' belongs to"));
  json = byteTokenizer();
  json["model"]["dropout"] = 0.1;
  EXPECT_THAT(errorOf(json),
              HasSubstr("'model.dropout' makes encoding random"));
}

// Every message begins with the file.
TEST(Tokenizer, NamesWhatIsWrong) {
  auto errorOf = [](const Json &json) {
    std::string error = ::errorOf(json);
    EXPECT_EQ(error.find("tokenizer.json: "), 0u) << error;
    return error;
  };
  Json json = byteTokenizer();
  json["model"]["merges"] = Json::array({"a zz"});
  EXPECT_EQ(errorOf(json),
            "tokenizer.json: merge 0: 'zz' is not in the vocabulary");
  json["model"]["merges"] = Json::array({"a b"});
  EXPECT_EQ(errorOf(json),
            "tokenizer.json: merge 0: 'ab' is not in the vocabulary");
  json["model"]["merges"] = Json::array({"ab"});
  EXPECT_THAT(errorOf(json), HasSubstr("'model.merges[0]' must be two tokens"));
  json = byteTokenizer();
  json["model"]["vocab"]["twin"] = 7;
  EXPECT_THAT(errorOf(json),
              HasSubstr("has id 7, which another token has too"));
  json["model"]["vocab"]["twin"] = 4000000000u;
  EXPECT_THAT(errorOf(json), HasSubstr("far beyond the vocabulary"));
  json["model"]["vocab"]["twin"] = -1;
  EXPECT_THAT(errorOf(json), HasSubstr("'model.vocab.twin' must"));
  json = byteTokenizer();
  json["added_tokens"].push_back(addedToken(299, "a"));
  EXPECT_THAT(errorOf(json),
              HasSubstr("added token 'a' has id 299, but id 97"));
  json = byteTokenizer();
  json["added_tokens"].push_back(addedToken(299, std::string(2000, 'x')));
  EXPECT_THAT(errorOf(json), HasSubstr("2000 bytes long"));
  json = byteTokenizer();
  json["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern", {{"Regex", "(?<name>a)"}}},
                              {"behavior", "Isolated"}},
                             byteLevel(false)}}};
  EXPECT_THAT(errorOf(json), HasSubstr("the group '(?<n' is not supported"));
  json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "a)";
  EXPECT_THAT(errorOf(json), HasSubstr("a ')' without its '('"));
}

TEST(Tokenizer, GgufErrorsNameFileAndKey) {
  GgufTokenizerFields fields;
  fields.source = "m.gguf";
  auto errorOf = [&] { return Tokenizer::fromGguf(fields).status().message(); };
  EXPECT_EQ(errorOf(), "m.gguf: 'tokenizer.ggml.model' is missing");
  fields.model = "llama";
  EXPECT_THAT(errorOf(), HasSubstr("is llama (SentencePiece BPE), which is not "
                                   "supported yet; gpt2 is"));
  fields.model = "gpt2";
  fields.pre = "next-year";
  EXPECT_THAT(errorOf(), HasSubstr("'tokenizer.ggml.pre' is next-year, which "
                                   "is not known"));
  fields.pre = "gpt-2";
  EXPECT_THAT(errorOf(), HasSubstr("'tokenizer.ggml.tokens' is missing"));
  fields.tokens = {"a", "a"};
  EXPECT_THAT(errorOf(), HasSubstr("token 'a' has two ids: 0 and 1"));
  fields.tokens = {"a", "b"};
  fields.tokenTypes = {1};
  EXPECT_THAT(errorOf(), HasSubstr("has 1 entries for 2 tokens"));
  fields.tokenTypes = {};
  fields.merges = {"ab"};
  EXPECT_THAT(errorOf(), HasSubstr("'tokenizer.ggml.merges[0]' is not two"));
  fields.merges = {};
  fields.endId = 2;
  EXPECT_THAT(errorOf(), HasSubstr("'tokenizer.ggml.eos_token_id' is 2, but "
                                   "there are 2 tokens"));
}
