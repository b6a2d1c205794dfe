#include "Text.h"
#include "Printing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda::rt::chat;
using testing::ElementsAre;

TEST(Text, SlicesKeepTheirMarks) {
  TextBuilder builder(100);
  builder.append("ab", true);
  builder.append("cd", false);
  builder.append("ef", false);
  builder.append("", false);
  builder.append("gh", true);
  Text text = std::move(builder).take();
  EXPECT_EQ(text.bytes, "abcdefgh");
  EXPECT_THAT(text.untrusted, ElementsAre(Text::Span{2, 6}));
  EXPECT_THAT(text.slice(1, 4).untrusted, ElementsAre(Text::Span{1, 3}));
  EXPECT_THAT(text.slice(3, 5).untrusted, ElementsAre(Text::Span{0, 2}));
  EXPECT_THAT(text.slice(6, 8).untrusted, ElementsAre());
  EXPECT_TRUE(text.isTrusted(0, 2));
  EXPECT_FALSE(text.isTrusted(1, 3));
  EXPECT_TRUE(text.isTrusted(6, 8));
}

TEST(Text, BuildersStopAtTheirLimit) {
  TextBuilder builder(4);
  builder.append("abc", true);
  EXPECT_FALSE(builder.overflowed());
  builder.append("de", true);
  EXPECT_TRUE(builder.overflowed());
  builder.append("d", true);
  EXPECT_EQ(builder.view().bytes, "abc");
}

TEST(Text, CharactersAreCountedAsPythonDoes) {
  EXPECT_EQ(characterCount("aé你🙂"), 4u);
  EXPECT_EQ(characterOffset("aé你🙂", 2), 3u);
  EXPECT_EQ(characterOffset("aé", 9), 3u);
  // What is no UTF-8 is no reason to run off the end.
  EXPECT_EQ(characterCount("\xff\x80\xe4\xbd"), 2u);
}

TEST(FloatText, IsPythonsRepr) {
  struct {
    double number;
    const char *text;
  } rows[] = {{0, "0.0"},
              {-0.0, "-0.0"},
              {1, "1.0"},
              {0.1, "0.1"},
              {1e15, "1000000000000000.0"},
              {1e16, "1e+16"},
              {1e-4, "0.0001"},
              {1e-5, "1e-05"},
              {1.5e-7, "1.5e-07"},
              {123456.789, "123456.789"},
              {1e100, "1e+100"},
              {5e-324, "5e-324"},
              {2.5, "2.5"},
              {1234567890123456.0, "1234567890123456.0"}};
  for (auto &[number, text] : rows)
    EXPECT_EQ(floatText(number), text);
}
