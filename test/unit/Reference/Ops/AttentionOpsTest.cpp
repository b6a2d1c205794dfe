#include "pagoda/Reference/Ops/AttentionOps.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::reference;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

namespace {

/// Position 1 turns the first pair by (0.6, 0.8) and leaves the second.
Tensor turns() {
  return Tensor::ofNumbers({2, 2, 2}, {1, 0, 1, 0, 0.6, 0.8, 1, 0});
}
const Tensor kPosition1 = Tensor::ofNumbers({1}, {1}, DType::I32);

TEST(AttentionOps, RopePairsHalves) {
  Tensor x = Tensor::ofNumbers({1, 1, 4}, {1, 2, 3, 4});
  auto y = rope(RopeStyle::Half, x, kPosition1, turns());
  ASSERT_TRUE(y.ok());
  // Pairs (1, 3) and (2, 4).
  EXPECT_THAT(y->numbers, Pointwise(DoubleNear(1e-15), {-1.8, 2.0, 2.6, 4.0}));
}

TEST(AttentionOps, RopePairsNeighbours) {
  Tensor x = Tensor::ofNumbers({1, 1, 4}, {1, 2, 3, 4});
  auto y = rope(RopeStyle::Interleaved, x, kPosition1, turns());
  ASSERT_TRUE(y.ok());
  EXPECT_THAT(y->numbers, Pointwise(DoubleNear(1e-15), {-1.0, 2.0, 3.0, 4.0}));
}

TEST(AttentionOps, RopeOfAPartOfTheHead) {
  Tensor x = Tensor::ofNumbers({1, 2, 3}, {1, 2, 3, 10, 20, 30});
  Tensor table = Tensor::ofNumbers({2, 1, 2}, {1, 0, 0, 1});
  auto y = rope(RopeStyle::Half, x, kPosition1, table);
  ASSERT_TRUE(y.ok());
  // (a, b) becomes (-b, a); the third element stays.
  EXPECT_THAT(y->numbers, ElementsAre(-2, 1, 3, -20, 10, 30));
}

TEST(AttentionOps, RopeChecksPositions) {
  Tensor x = Tensor::ofNumbers({1, 1, 4}, {1, 2, 3, 4});
  EXPECT_EQ(
      rope(RopeStyle::Half, x, Tensor::ofNumbers({1}, {2}, DType::I32), turns())
          .status()
          .message(),
      "position 2 is not in a table of 2 positions");
}

// Scores of 0 and ln 3 are weights of 1/4 and 3/4.
TEST(AttentionOps, AttentionMixesByScores) {
  std::vector<double> key0 = {0, 5}, key1 = {std::log(3.0), 5};
  std::vector<double> value0 = {8, 0}, value1 = {0, 4};
  std::vector<HeadRow> keys = {key0, key1}, values = {value0, value1};
  std::vector<double> query = {2, 0};
  EXPECT_THAT(attend({1, 1, 2}, query, keys, values, 0.5),
              Pointwise(DoubleNear(1e-15), {2.0, 3.0}));
}

// Four query heads, two key heads: 0 and 1 read the first, 2 and 3 the second.
TEST(AttentionOps, HeadsAreSharedByDivision) {
  std::vector<double> key = {1, 1}, value = {10, 20}, query = {1, 2, 3, 4};
  std::vector<HeadRow> keys = {key}, values = {value};
  EXPECT_THAT(attend({4, 2, 1}, query, keys, values, 1),
              ElementsAre(10, 10, 20, 20));
}

TEST(AttentionOps, LargeScoresDoNotOverflow) {
  std::vector<double> low = {-1e4}, high = {1e4}, a = {1}, b = {2};
  std::vector<HeadRow> keys = {low, high}, values = {a, b};
  std::vector<double> query = {1};
  EXPECT_THAT(attend({1, 1, 1}, query, keys, values, 1), ElementsAre(2));
}

TEST(AttentionOps, WindowIncludesTheToken) {
  EXPECT_EQ(firstKeySeen(5, std::nullopt), 0);
  EXPECT_EQ(firstKeySeen(5, 1), 5);
  EXPECT_EQ(firstKeySeen(5, 4), 2);
  EXPECT_EQ(firstKeySeen(5, 6), 0);
  EXPECT_EQ(firstKeySeen(5, 100), 0);
}

} // namespace
