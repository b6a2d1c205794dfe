#include "Pattern.h"
#include "PatternSyntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::rt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The matches of an Oniguruma pattern in a text.
std::vector<std::string> matches(std::string_view oniguruma,
                                 std::string_view text) {
  auto expression = pcreFromOniguruma(oniguruma);
  if (!expression.ok())
    return {expression.status().message()};
  Pattern pattern(*expression);
  Matcher matcher(pattern);
  Status ready = matcher.prepare(text.size());
  if (!ready.ok())
    return {ready.message()};
  std::vector<std::string> found;
  for (size_t at = 0; at < text.size();) {
    auto match = matcher.find(text, at);
    if (!match.ok())
      return {match.status().message()};
    if (!*match)
      break;
    found.emplace_back(
        text.substr((*match)->begin, (*match)->end - (*match)->begin));
    at = std::max((*match)->end, at + 1);
  }
  return found;
}

std::string refusal(std::string_view pattern) {
  auto expression = pcreFromOniguruma(pattern);
  return expression.ok() ? "accepted" : expression.status().message();
}

} // namespace

TEST(PatternSyntax, MeansWhatOnigurumaMeans) {
  // The Mongolian vowel separator is no space.
  EXPECT_THAT(matches("\\s+", "a \u3000b\u180ec\n"),
              ElementsAre(" \u3000", "\n"));
  EXPECT_THAT(matches("\\S+", "a b\u180ec"), ElementsAre("a", "b\u180ec"));
  // Marks belong to words; superscripts do outside of brackets only.
  EXPECT_THAT(matches("\\w+", "e\u0301²-x_1"), ElementsAre("e\u0301²", "x_1"));
  EXPECT_THAT(matches("[\\w]+", "e\u0301²"), ElementsAre("e\u0301"));
  // Unicode 16's letters are letters.
  EXPECT_THAT(matches("\\p{L}+", "a\U0002ebf0\u1c89."),
              ElementsAre("a\U0002ebf0\u1c89"));
  EXPECT_THAT(matches("\\P{L}+", "a\U0002ebf0."), ElementsAre("."));
  EXPECT_THAT(matches("\\p{^L}+", "ab1."), ElementsAre("1."));
  EXPECT_THAT(matches("\\p{Han}+", "漢字、かな"), ElementsAre("漢字"));
  // \v is one character there, \h a hexadecimal digit, a dot leaves \n out.
  EXPECT_THAT(matches("\\v", "\n\x0b"), ElementsAre("\x0b"));
  EXPECT_THAT(matches("\\h+", "xfF0 "), ElementsAre("fF0"));
  EXPECT_THAT(matches(".+", "a\rb\nc"), ElementsAre("a\rb", "c"));
  // A plus behind an interval repeats it, it does not make it possessive.
  EXPECT_THAT(matches("\\d{1,2}+", "12345"), ElementsAre("12345"));
  EXPECT_THAT(matches("a++b|a", "aab"), ElementsAre("aab"));
  EXPECT_THAT(matches("a{,2}b", "aaab"), ElementsAre("aab"));
  EXPECT_THAT(matches("a{x}", "a{x}"), ElementsAre("a{x}"));
  EXPECT_THAT(matches("^b|b$", "b\nb"), ElementsAre("b", "b"));
  EXPECT_THAT(matches("\\bb\\b", "b bb .b"), ElementsAre("b", "b"));
  EXPECT_THAT(matches("(?i:'S)|x", "'s'ſX"), ElementsAre("'s", "'ſ"));
  EXPECT_THAT(matches("(?i)ab", "aB"), ElementsAre("aB"));
  EXPECT_THAT(matches("[^\\]\\-a-c\\x{e9}]+", "a-]éxb"), ElementsAre("x"));
  EXPECT_THAT(matches("[一-龥\\u3042]+", "aあ一"), ElementsAre("あ一"));
  EXPECT_THAT(matches("(a|b)(?!c)", "acb"), ElementsAre("b"));
  EXPECT_THAT(matches("(?<=a)b", "ab cb"), ElementsAre("b"));
  EXPECT_THAT(matches("#a b", "#a b"), ElementsAre("#a b"));
}

TEST(PatternSyntax, RefusesByName) {
  EXPECT_THAT(refusal("[a&&b]"), HasSubstr("byte 2: an intersection"));
  EXPECT_THAT(refusal("[a[b]]"), HasSubstr("a bracket expression in another"));
  EXPECT_THAT(refusal("[]a]"), HasSubstr("an empty bracket"));
  EXPECT_THAT(refusal("[a"), HasSubstr("a '[' without its ']'"));
  EXPECT_THAT(refusal("[b-a]"), HasSubstr("such a range"));
  EXPECT_THAT(refusal("(a)\\1"), HasSubstr("the escape '\\1'"));
  EXPECT_THAT(refusal("\\K"), HasSubstr("the escape '\\K'"));
  EXPECT_THAT(refusal("\\xe9"), HasSubstr("the escape '\\x'"));
  EXPECT_THAT(refusal("\\"), HasSubstr("a '\\' at the end"));
  EXPECT_THAT(refusal("(?x)a"), HasSubstr("the group '(?x)'"));
  EXPECT_THAT(refusal("a(?i)b"), HasSubstr("the group '(?i)'"));
  EXPECT_THAT(refusal("(?"), HasSubstr("the group '(?'"));
  EXPECT_THAT(refusal("(a"), HasSubstr("a '(' without its ')'"));
  EXPECT_THAT(refusal("*a"), HasSubstr("a repetition of nothing"));
  EXPECT_THAT(refusal("a**"), HasSubstr("a quantifier of a quantifier"));
  EXPECT_THAT(refusal("^*"), HasSubstr("repeating an assertion"));
  EXPECT_THAT(refusal("a{9999}"), HasSubstr("so large an interval"));
  EXPECT_THAT(refusal(std::string(70000, 'a')), HasSubstr("70000 bytes"));
  std::string words;
  for (int i = 0; i < 30000; ++i)
    words += "\\w";
  EXPECT_THAT(refusal(words), HasSubstr("such a long pattern"));
  EXPECT_THAT(refusal("[" + words + "]"), HasSubstr("such a long pattern"));
  EXPECT_THAT(refusal("\\p{L"), HasSubstr("a property without its '}'"));
  EXPECT_THAT(refusal("\\pL"), HasSubstr("a property without braces"));
  EXPECT_THAT(refusal(std::string(40, '(') + std::string(40, ')')),
              HasSubstr("such deep nesting"));
}

TEST(PatternSyntax, LiteralsMatchThemselves) {
  std::string text = "a.b*[é]\\ \n";
  Pattern pattern(pcreFromLiteral(text));
  Matcher matcher(pattern);
  ASSERT_TRUE(matcher.prepare(0).ok());
  auto match = matcher.find("x" + text, 0);
  ASSERT_TRUE(match.ok() && *match);
  EXPECT_EQ((*match)->end - (*match)->begin, text.size());
}

TEST(Pattern, ReportsWhatDoesNotCompile) {
  Pattern pattern("\\p{sc:Nowhere}");
  EXPECT_THAT(pattern.check().message(), HasSubstr("offset"));
}

// What grows with the product of its intervals is not even compiled.
TEST(Pattern, RefusesWhatCompilesToTooMuch) {
  Pattern pattern("(?:(?:(?:a{1000}){1000}){1000}){1000}");
  EXPECT_FALSE(pattern.check().ok());
}

// A pattern that backtracks without end ends in an error, interpreted or not.
TEST(Pattern, EndsWhenItTakesTooLong) {
  Pattern pattern("(?:a*)*b");
  std::string text(5000, 'a');
  for (size_t bytes : {size_t(1), text.size()}) {
    Matcher matcher(pattern);
    ASSERT_TRUE(matcher.prepare(bytes).ok());
    auto match = matcher.find(text, 0);
    EXPECT_TRUE(!match.ok() || !*match);
  }
  Pattern nested("(?:(?:a|aa)+)+[bc]");
  for (size_t bytes : {size_t(1), text.size()}) {
    Matcher matcher(nested);
    ASSERT_TRUE(matcher.prepare(bytes).ok());
    auto match = matcher.find(text, 0);
    EXPECT_EQ(match.status().code(), StatusCode::ResourceExhausted);
  }
}
