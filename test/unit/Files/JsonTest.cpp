#include "pagoda/Files/Json.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace pagoda;

namespace {

std::string errorOf(std::string_view text) {
  auto document = JsonDocument::parse(text, "f.json");
  return document.ok() ? "no error" : document.status().message();
}

} // namespace

TEST(Json, HoldsTheValuesOfTheText) {
  auto document = JsonDocument::parse(
      R"({"b": true, "i": -3, "u": 18446744073709551615, "f": 0.5,
          "s": "é\u00e9", "n": null, "a": [1, [2]], "o": {"z": 1, "a": 2}})",
      "f.json");
  ASSERT_TRUE(document.ok()) << document.status().message();
  JsonValue root = document->root();
  EXPECT_TRUE(*root.getBool("b"));
  EXPECT_EQ(*root.getInt("i"), -3);
  EXPECT_EQ(*root.getUnsigned("u"), UINT64_MAX);
  EXPECT_EQ(*root.getNumber("f"), 0.5);
  EXPECT_EQ(*root.getNumber("i"), -3);
  EXPECT_EQ(*root.getString("s"), "éé");
  EXPECT_TRUE(root.get("n")->isNull());
  JsonValue array = *root.getArray("a");
  ASSERT_EQ(array.size(), 2u);
  EXPECT_EQ(*array[1][0].asInt(), 2);
  // Members keep the order of the text.
  JsonValue object = *root.getObject("o");
  ASSERT_EQ(object.size(), 2u);
  EXPECT_EQ(object.keyAt(0), "z");
  EXPECT_EQ(*object[0].asInt(), 1);
  EXPECT_EQ(object.keyAt(1), "a");
}

TEST(Json, ErrorsNameTheKeyPath) {
  auto document = JsonDocument::parse(
      R"({"rope_scaling": {"factor": "8", "n": -1}, "layers": [{"k": 1.5}]})",
      "config.json");
  ASSERT_TRUE(document.ok());
  JsonValue root = document->root();
  JsonValue rope = *root.getObject("rope_scaling");
  EXPECT_EQ(
      rope.getNumber("factor").status().message(),
      "config.json: 'rope_scaling.factor' must be a number, found string");
  EXPECT_EQ(rope.getBool("type").status().message(),
            "config.json: 'rope_scaling.type' is missing");
  EXPECT_EQ(rope.getUnsigned("n").status().message(),
            "config.json: 'rope_scaling.n' must not be negative");
  EXPECT_EQ((*root.getArray("layers"))[0].getInt("k").status().message(),
            "config.json: 'layers[0].k' must be an integer, found float");
  EXPECT_EQ(root.asString().status().message(),
            "config.json: the document must be a string, found object");
  EXPECT_EQ(root.getArray("rope_scaling").status().message(),
            "config.json: 'rope_scaling' must be an array, found object");
}

TEST(Json, FallbacksStandForAbsentAndNull) {
  auto document = JsonDocument::parse(R"({"n": null, "s": "x"})", "f.json");
  ASSERT_TRUE(document.ok());
  JsonValue root = document->root();
  EXPECT_EQ(*root.getIntOr("absent", 7), 7);
  EXPECT_EQ(*root.getIntOr("n", 7), 7);
  EXPECT_FALSE(root.getIntOr("s", 7).ok());
  EXPECT_EQ(*root.getStringOr("s", "y"), "x");
  EXPECT_TRUE(*root.getBoolOr("absent", true));
  EXPECT_EQ(*root.getNumberOr("absent", 0.5), 0.5);
}

TEST(Json, SyntaxErrorsNameLineAndColumn) {
  EXPECT_EQ(errorOf("{\"a\": 1,\n \"b\": nul}"),
            "f.json: line 2, column 10: invalid literal");
  EXPECT_EQ(
      errorOf("{\"é\": 1 2}"),
      "f.json: line 1, column 9: unexpected number literal; expected '}'");
  EXPECT_NE(errorOf("").find("unexpected end of input"), std::string::npos);
  EXPECT_NE(errorOf("[1] x").find("line 1, column 5"), std::string::npos);
  EXPECT_NE(errorOf("[1e400]").find("number overflow"), std::string::npos);
  EXPECT_NE(errorOf("[NaN]").find("invalid literal"), std::string::npos);
}

TEST(Json, RefusesKeysThatStandTwice) {
  EXPECT_EQ(errorOf("{\"a\": 1, \"b\": {\"c\": 1,\n\"c\": 2}}"),
            "f.json: line 2, column 7: key 'c' stands twice in the object that "
            "ends here");
  EXPECT_EQ(errorOf(R"({"a": {"c": 1}, "b": {"c": 1}})"), "no error");
}

TEST(Json, RefusesTextThatIsNotUtf8) {
  EXPECT_EQ(errorOf("[\"a\xff\"]"),
            "f.json: line 1, column 4: invalid string: ill-formed UTF-8 byte");
  EXPECT_NE(errorOf("[\"\\ud800\"]"), "no error");
  EXPECT_NE(errorOf("[\"\xed\xa0\x80\"]"), "no error");
}

TEST(Json, RefusesDeepNesting) {
  std::string deep(64, '[');
  EXPECT_EQ(errorOf(deep + std::string(64, ']')), "no error");
  EXPECT_EQ(errorOf(std::string(5000000, '[')),
            "f.json: line 1, column 65: nesting is deeper than 64");
  std::string objects;
  for (int i = 0; i < 10000; ++i)
    objects += "{\"a\":";
  EXPECT_NE(errorOf(objects).find("nesting is deeper than 64"),
            std::string::npos);
}

TEST(Json, AVocabularyTakesLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i)
    text += concat(i ? "," : "", "\"token", i, "\":", i);
  auto document = JsonDocument::parse(text + "}", "f.json");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->root().size(), 200000u);
}

TEST(Json, MessagesStayPrintable) {
  auto document = JsonDocument::parse(
      concat("{\"\\u001b[2J", std::string(500, 'x'), "\": 1}"), "f.json");
  ASSERT_TRUE(document.ok());
  std::string message = document->root()[0].asString().status().message();
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_LT(message.size(), 200u);
}

TEST(Json, FilesAreNamedByTheirPath) {
  std::string path = testing::TempDir() + "broken.json";
  std::ofstream(path) << "{";
  auto document = JsonDocument::parseFile(path);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.status().message().find(path + ": line 1, column 1: "),
            0u);
  EXPECT_EQ(JsonDocument::parseFile("/no/such.json").status().code(),
            StatusCode::NotFound);
}

TEST(Json, WrapsValuesOfTheProgram) {
  JsonDocument document =
      JsonDocument::fromValue({{"role", "user"}, {"n", 3}}, "messages");
  EXPECT_EQ(*document.root().getString("role"), "user");
  EXPECT_EQ(*document.root().getUnsigned("n"), 3u);
}
