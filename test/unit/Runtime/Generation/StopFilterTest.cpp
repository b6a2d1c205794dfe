#include "pagoda/Runtime/Generation/StopFilter.h"

#include <gtest/gtest.h>

#include <random>

using namespace pagoda::rt;

namespace {

using Strings = std::vector<std::string>;

/// The definition: add a byte, look whether a stop string ends here.
std::string expectedText(const std::string &text, const Strings &stops) {
  for (size_t end = 1; end <= text.size(); ++end) {
    size_t longest = 0;
    for (const std::string &stop : stops)
      if (end >= stop.size() &&
          text.compare(end - stop.size(), stop.size(), stop) == 0)
        longest = std::max(longest, stop.size());
    if (longest > 0)
      return text.substr(0, end - longest);
  }
  return text;
}

} // namespace

TEST(StopFilter, HoldsBackWhatCouldBecomeAStopString) {
  StopFilter filter(Strings{"DEFG"});
  EXPECT_EQ(filter.push("ABC"), "ABC");
  EXPECT_EQ(filter.push("D"), "");
  EXPECT_EQ(filter.push("E"), "");
  EXPECT_EQ(filter.push("X"), "DEX");
  EXPECT_EQ(filter.push("YDE"), "Y");
  EXPECT_EQ(filter.push("DEF"), "DE");
  EXPECT_FALSE(filter.stopped());
  EXPECT_EQ(filter.push("GH"), "");
  EXPECT_TRUE(filter.stopped());
  EXPECT_EQ(filter.push("more"), "");
  EXPECT_EQ(filter.flush(), "");
}

TEST(StopFilter, ReleasesTheRestAtTheEnd) {
  StopFilter filter(Strings{"DEFG"});
  EXPECT_EQ(filter.push("ABCDEF"), "ABC");
  EXPECT_EQ(filter.flush(), "DEF");
  EXPECT_FALSE(filter.stopped());
  // And the end is the end: nothing of it counts for what comes after.
  EXPECT_EQ(filter.push("G"), "G");
}

TEST(StopFilter, FindsStopStringsThatOverlapThemselves) {
  StopFilter filter(Strings{"aab"});
  EXPECT_EQ(filter.push("aaa"), "a");
  EXPECT_EQ(filter.push("b"), "");
  EXPECT_TRUE(filter.stopped());
}

TEST(StopFilter, TheFirstToBeCompleteWins) {
  StopFilter late(Strings{"DEFGHIJ", "GH"});
  EXPECT_EQ(late.push("ABCDEFGHIJ"), "ABCDEF");
  StopFilter longest(Strings{"H", "FGH", "GH"});
  EXPECT_EQ(longest.push("DEFGH"), "DE");
}

TEST(StopFilter, NeverCutsACharacter) {
  StopFilter filter(Strings{"\xC3\xA9!"});        // é!
  EXPECT_EQ(filter.push("\xC3\xA8"), "\xC3\xA8"); // è has the same lead byte
  EXPECT_EQ(filter.push("\xC3\xA9"), "");
  EXPECT_EQ(filter.push("."), "\xC3\xA9.");
}

TEST(StopFilter, WithoutStopStringsTextPasses) {
  StopFilter filter(Strings{});
  EXPECT_EQ(filter.push("anything"), "anything");
  EXPECT_EQ(filter.flush(), "");
  EXPECT_TRUE(checkStopStrings(Strings{"a", "b"}).ok());
  EXPECT_EQ(checkStopStrings(Strings{"a", ""}).message(),
            "a stop string is empty: every text holds it");
}

TEST(StopFilter, CuttingTheTextChangesNothing) {
  std::mt19937 random(4);
  auto word = [&](size_t most) {
    std::string result(1 + random() % most, 'a');
    for (char &letter : result)
      letter = char('a' + random() % 2);
    return result;
  };
  int stops = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Strings stopStrings;
    for (unsigned i = random() % 4; i > 0; --i)
      stopStrings.push_back(word(trial % 2 ? 6 : 14));
    // Beginnings of stop strings one after the other: as many near misses as
    // can be had.
    std::string text = word(10), seen;
    if (!stopStrings.empty())
      for (int i = 0; i < 6; ++i) {
        const std::string &stop = stopStrings[random() % stopStrings.size()];
        text += stop.substr(0, random() % stop.size());
      }
    StopFilter filter(stopStrings);
    for (size_t begin = 0; begin < text.size();) {
      size_t count = 1 + random() % 6;
      seen += filter.push(std::string_view(text).substr(begin, count));
      begin += count;
      std::string expected = expectedText(text.substr(0, begin), stopStrings);
      // What was let out is never taken back.
      ASSERT_EQ(expected.compare(0, seen.size(), seen), 0);
    }
    seen += filter.flush();
    ASSERT_EQ(seen, expectedText(text, stopStrings));
    stops += filter.stopped();
  }
  EXPECT_GT(stops, 5000);
}
