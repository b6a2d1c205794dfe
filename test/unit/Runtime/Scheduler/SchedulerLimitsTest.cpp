#include "pagoda/Runtime/Scheduler/SchedulerLimits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

using namespace pagoda;
using namespace pagoda::rt;
using testing::HasSubstr;

namespace {

SchedulerLimits smallLimits() {
  SchedulerLimits limits;
  limits.tokenBudget = 8;
  limits.maxSequences = 4;
  limits.maxRows = 4;
  limits.maxContext = 100;
  limits.blockSize = 4;
  limits.blockCount = 10;
  return limits;
}

} // namespace

TEST(SchedulerLimits, MustBePositive) {
  EXPECT_TRUE(check(smallLimits()).ok());
  SchedulerLimits limits = smallLimits();
  limits.tokenBudget = 0;
  EXPECT_EQ(check(limits).message(),
            "scheduler limits: tokenBudget is 0, expected at least 1");
}

TEST(SchedulerLimits, ARefusalNamesTheNumbers) {
  Status status = checkFits(smallLimits(), 60, 101);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "the context is 100 tokens; the prompt has 60 and 41 more are "
            "asked for, 101 in all");
  status = checkFits(smallLimits(), 30, 42);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(status.message(),
            "a prompt of 30 tokens with 12 to generate needs 11 blocks of 4 "
            "tokens; the cache has 10, room for 40 tokens");
  EXPECT_THAT(checkFits(smallLimits(), 0, 5).message(),
              HasSubstr("the prompt has no tokens"));
}

TEST(SchedulerLimits, TheLastGeneratedTokenNeedsNoRoom) {
  EXPECT_TRUE(checkFits(smallLimits(), 30, 41).ok());
  EXPECT_TRUE(checkFits(smallLimits(), 40, 40).ok());
  EXPECT_FALSE(checkFits(smallLimits(), 41, 41).ok());
  EXPECT_EQ(longestLength(smallLimits()), 41);
}

TEST(SchedulerLimits, AWindowBoundsWhatIsHeld) {
  SchedulerLimits limits = smallLimits();
  limits.slidingWindow = 16;
  // 15 tokens before a chunk of 8 lie in at most 7 blocks of 4.
  EXPECT_EQ(peakBlocks(limits, 99), 7);
  EXPECT_EQ(peakBlocks(limits, 5), 2);
  EXPECT_EQ(longestLength(limits), 100);
  limits.maxChunk = 1;
  EXPECT_EQ(peakBlocks(limits, 99), 5);
}

TEST(SchedulerLimits, WindowBlocksAreExactlyTheWorstCase) {
  for (int32_t blockSize : {1, 2, 3, 4, 16})
    for (int32_t window : {1, 2, 5, 16, 17})
      for (int32_t chunk : {1, 2, 7}) {
        SchedulerLimits limits = smallLimits();
        limits.blockSize = blockSize;
        limits.slidingWindow = window;
        limits.tokenBudget = chunk;
        int32_t worst = 0;
        for (int32_t first = 0; first < 200; ++first) {
          int32_t begin = std::max(0, first - window + 1) / blockSize;
          int32_t end = (first + chunk - 1) / blockSize + 1;
          worst = std::max(worst, end - begin);
        }
        EXPECT_EQ(peakBlocks(limits, 10000), worst)
            << blockSize << " " << window << " " << chunk;
      }
}
