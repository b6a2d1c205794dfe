#include "Utf8.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace pagoda::rt;

namespace {

std::string compose(std::string_view text) {
  std::string storage;
  return std::string(composed(text, storage));
}

} // namespace

TEST(Utf8, KnowsWhatIsValid) {
  std::string valid = "aé€🙂\U0010ffff\u0800\ud7ff\ue000";
  EXPECT_EQ(validUtf8Prefix(valid), valid.size());
  EXPECT_EQ(validUtf8Prefix("12345678\xff"), 8u);
  for (const char *broken :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5", "\xc3", "\xe2\x82",
        "\xf0\x9f\x99", "\xc3("})
    EXPECT_EQ(validUtf8Prefix(broken), 0u) << broken;
}

TEST(Utf8, CodePointsSurviveTheRoundTrip) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000)
      continue;
    std::string text;
    appendCodePoint(c, text);
    ASSERT_EQ(validUtf8Prefix(text), text.size());
    ASSERT_EQ(firstCodePoint(text + "x").value, c);
    ASSERT_EQ(firstCodePoint(text).bytes, text.size());
    ASSERT_EQ(lastCodePoint("x" + text).value, c);
  }
}

// Each maximal broken part is one U+FFFD, as in the Unicode standard's table
// 3-8 and its kin.
TEST(Utf8, ReplacesWhatIsBroken) {
  struct {
    std::string_view bytes, text;
    size_t waiting;
  } rows[] = {
      {"a\xf1\x80\x80\xe1\x80\xc2"
       "b\x80"
       "c",
       "a\ufffd\ufffd\ufffdb\ufffdc", 0},
      {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
       "A",
       "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA", 0},
      {"\xed\xa0\x80", "\ufffd\ufffd\ufffd", 0},
      {"\xf4\x91\x92\x93\xff", "\ufffd\ufffd\ufffd\ufffd\ufffd", 0},
      {"x\xe2\x82", "x", 2},
      {"\xf0\x9f\x99", "", 3},
      {"\xe0\x80", "\ufffd\ufffd", 0},
  };
  for (auto &[bytes, expected, waiting] : rows) {
    std::string text;
    EXPECT_EQ(appendReplacingBroken(bytes, text), waiting);
    EXPECT_EQ(text, expected);
  }
}

TEST(Utf8, ComposesCanonically) {
  EXPECT_EQ(compose("plain text of some length"), "plain text of some length");
  EXPECT_EQ(compose("cafe\u0301!"), "café!");
  EXPECT_EQ(compose("\u1100\u1161\u11a8"), "각");
  EXPECT_EQ(compose("\u212b\u2126"), "Å\u03a9");
  // Marks are put in order by class; equal classes stay as they stand.
  EXPECT_EQ(compose("q\u0307\u0323"), "q\u0323\u0307");
  EXPECT_EQ(compose("e\u0301\u0327"), "ȩ\u0301");
  EXPECT_EQ(compose("a\u0301\u0300"), "á\u0300");
  // Compositions that are excluded stay apart.
  EXPECT_EQ(compose("\u0915\u093c"), "\u0915\u093c");
  EXPECT_EQ(compose("\u0958"), "\u0915\u093c");
  EXPECT_EQ(compose("e\u0301e\u0301 e\u0301"), "éé é");
  std::string storage, text = "é€";
  EXPECT_EQ(composed(text, storage).data(), text.data());
}

// Half a megabyte of marks in the worst order, which anyone may send.
TEST(Utf8, LongRunsOfMarksTakeNoQuadraticTime) {
  std::string text = "e", expected = "e";
  for (int i = 0; i < 250000; ++i)
    text += i % 2 ? "\u0323" : "\u0301";
  auto begin = std::chrono::steady_clock::now();
  std::string result = compose(text);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(result.substr(0, 3), "ẹ");
}

TEST(Utf8, ClassesAreThoseOfThePatterns) {
  for (uint32_t c :
       {0x9u, 0xdu, 0x20u, 0x85u, 0xa0u, 0x1680u, 0x2003u, 0x3000u})
    EXPECT_TRUE(isSpace(c)) << c;
  for (uint32_t c : {0x8u, 0x1cu, 0x180eu, 0x200bu, 0xfeffu})
    EXPECT_FALSE(isSpace(c)) << c;
  for (uint32_t c : {uint32_t('a'), uint32_t('_'), uint32_t('0'), 0x301u,
                     0x24b6u, 0x200du, 0x4e00u, 0x2ebf0u})
    EXPECT_TRUE(isWordCharacter(c)) << c;
  for (uint32_t c : {uint32_t('-'), 0xb2u, 0x2500u, 0x1f642u, 0x2ffcu})
    EXPECT_FALSE(isWordCharacter(c)) << c;
}
