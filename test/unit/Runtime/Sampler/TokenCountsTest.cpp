#include "pagoda/Runtime/Sampler/TokenCounts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace pagoda::rt;

TEST(TokenCounts, PromptAndGeneratedTokensAreToldApart) {
  TokenCounts counts;
  counts.addPrompt(std::vector<int32_t>{5, 7, 5});
  counts.addGenerated(7);
  counts.addGenerated(9);
  counts.addGenerated(7);
  ASSERT_EQ(counts.entries().size(), 3u);
  EXPECT_EQ(counts.entries()[0].id, 5);
  EXPECT_EQ(counts.entries()[0].generated, 0);
  EXPECT_EQ(counts.entries()[1].id, 7);
  EXPECT_EQ(counts.entries()[1].generated, 2);
  EXPECT_EQ(counts.entries()[2].id, 9);
  EXPECT_EQ(counts.entries()[2].generated, 1);
}

TEST(TokenCounts, CountsAsAMapDoes) {
  std::mt19937 random(3);
  TokenCounts counts;
  std::map<int32_t, int32_t> expected;
  for (int i = 0; i < 20000; ++i) {
    // Ids that are close together and ids that are far apart.
    int32_t id = random() % 2 ? int32_t(random() % 500)
                              : int32_t(random() % 1000) * 0x10000;
    counts.addGenerated(id);
    ++expected[id];
  }
  ASSERT_EQ(counts.entries().size(), expected.size());
  for (const TokenCounts::Entry &entry : counts.entries())
    EXPECT_EQ(entry.generated, expected[entry.id]);
}
