#include "QuotedName.h"

#include <gtest/gtest.h>

using namespace pagoda;

TEST(QuotedName, PlainNamesStayAsTheyAre) {
  EXPECT_EQ(quotedName("blk.0.attn_q.weight"), "'blk.0.attn_q.weight'");
  EXPECT_EQ(quotedName(""), "''");
  EXPECT_EQ(quotedName("größe"), "'größe'");
}

TEST(QuotedName, ControlsAndBrokenBytesAreSpeltOut) {
  EXPECT_EQ(quotedName("a\nb\x7f"), "'a\\x0ab\\x7f'");
  EXPECT_EQ(quotedName("\xff\xc3"), "'\\xff\\xc3'");
  EXPECT_EQ(quotedName("\xc2\x9b"), "'\\xc2\\x9b'"); // the C1 control CSI
  EXPECT_EQ(quotedName("\xc2\xa0"), "'\xc2\xa0'");
}

TEST(QuotedName, LongNamesAreCutBetweenCharacters) {
  EXPECT_EQ(quotedName(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(quotedName(std::string(81, 'x')),
            "'" + std::string(80, 'x') + "…'");
  EXPECT_EQ(quotedName(std::string(79, 'x') + "é"),
            "'" + std::string(79, 'x') + "…'");
}

TEST(QuotedName, Utf8IsWellFormed) {
  for (const char *good :
       {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xef\xbf\xbf",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(isUtf8(good)) << quotedName(good);
  for (const char *bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xe1\x80",
        "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80",
        "a\xff", "\xe1\x80z"})
    EXPECT_FALSE(isUtf8(bad)) << quotedName(bad);
}
