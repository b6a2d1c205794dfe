#include "LogitScan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace pagoda::rt;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST(LogitScan, ExponentialIsWithinTwoUnitsInTheLastPlace) {
  double worst = 0;
  for (float x = 0; x > -87; x = std::nextafter(x * 1.0001f, -1000.f) - 1e-6f) {
    double exact = std::exp(double(x));
    double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
    worst = std::max(worst, std::abs(expNonPositive(x) - exact) / unit);
  }
  EXPECT_LT(worst, 2);
  EXPECT_EQ(expNonPositive(0), 1);
  EXPECT_EQ(expNonPositive(-0.0f), 1);
  EXPECT_EQ(expNonPositive(-88), 0);
  EXPECT_EQ(expNonPositive(-infinity), 0);
  EXPECT_EQ(expNonPositive(notANumber), 0);
}

TEST(LogitScan, TheMaximumHasTheLowestIdOnTies) {
  std::mt19937 random(1);
  for (size_t size : {1, 2, 15, 16, 17, 31, 33, 264, 1000}) {
    std::vector<float> logits(size);
    for (float &logit : logits)
      logit = float(int(random() % 7)) - 10;
    LogitMaximum best = findMaximum(logits);
    auto expected = std::max_element(logits.begin(), logits.end());
    EXPECT_EQ(best.value, *expected);
    EXPECT_EQ(best.id, expected - logits.begin());
    EXPECT_FALSE(best.broken);
  }
}

TEST(LogitScan, BrokenLogitsAreFoundWhereverTheyStand) {
  std::vector<float> logits(40, -infinity);
  EXPECT_FALSE(findMaximum(logits).broken);
  EXPECT_EQ(findMaximum(logits).value, -infinity);
  for (float bad : {notANumber, -notANumber, infinity})
    for (size_t at = 0; at < logits.size(); ++at) {
      logits[at] = bad;
      EXPECT_TRUE(findMaximum(logits).broken) << at;
      logits[at] = -infinity;
    }
}

TEST(LogitScan, SumsBelongToTheirBlocks) {
  std::vector<float> logits(1000), weights(1000);
  std::vector<double> sums(4);
  for (size_t i = 0; i < logits.size(); ++i)
    logits[i] = -float(i % 13);
  double total = exponentials(logits, 0, 0.5f, weights, sums);
  double expectedTotal = 0;
  for (size_t block = 0; block < sums.size(); ++block) {
    double expected = 0;
    for (size_t i = block * 256; i < std::min<size_t>(1000, block * 256 + 256);
         ++i)
      expected += std::exp(-0.5 * double(i % 13));
    EXPECT_NEAR(sums[block], expected, 1e-4);
    expectedTotal += expected;
  }
  EXPECT_NEAR(total, expectedTotal, 1e-3);
}
