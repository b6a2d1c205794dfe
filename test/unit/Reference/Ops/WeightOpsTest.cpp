#include "pagoda/Reference/Ops/WeightOps.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace pagoda;
using namespace pagoda::reference;
using testing::ElementsAre;

namespace {

/// 0, 1, 2, …
Tensor counted(Shape shape) {
  Tensor tensor = Tensor::zeros(DType::F32, std::move(shape));
  std::iota(tensor.numbers.begin(), tensor.numbers.end(), 0);
  return tensor;
}

/// [2, 64] in two groups a row, with codes by element and scales by group.
Tensor grouped() {
  Tensor tensor =
      Tensor::zeros(ElementType::quantised(QuantFormat::q8_0()), {2, 64});
  std::iota(tensor.codes.begin(), tensor.codes.end(), 0);
  tensor.scales = {1, 2, 4, 8};
  return tensor;
}

TEST(WeightOps, SliceOfAnyAxis) {
  EXPECT_THAT(slice(counted({3, 2}), 0, 1, 2).numbers, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(slice(counted({2, 3}), 1, 1, 2).numbers, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(slice(counted({2, 3, 2}), 1, 2, 1).numbers,
              ElementsAre(4, 5, 10, 11));
}

TEST(WeightOps, SliceKeepsGroups) {
  Tensor half = slice(grouped(), 1, 32, 32);
  EXPECT_THAT(half.shape, ElementsAre(2, 32));
  EXPECT_THAT(half.scales, ElementsAre(2, 8));
  EXPECT_EQ(half.codes[0], 32);
  EXPECT_EQ(half.codes[32], 96);
  Tensor row = slice(grouped(), 0, 1, 1);
  EXPECT_THAT(row.scales, ElementsAre(4, 8));
}

TEST(WeightOps, ConcatOfAnyAxis) {
  Tensor a = counted({1, 2}), b = counted({2, 2});
  EXPECT_THAT(concat(std::vector{a, b}, 0).numbers,
              ElementsAre(0, 1, 0, 1, 2, 3));
  EXPECT_THAT(concat(std::vector{b, b}, 1).numbers,
              ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  Tensor parts[] = {slice(grouped(), 1, 32, 32), slice(grouped(), 1, 0, 32)};
  Tensor turned = concat(parts, 1);
  EXPECT_THAT(turned.scales, ElementsAre(2, 1, 8, 4));
  EXPECT_EQ(turned.codes[0], 32);
  EXPECT_EQ(turned.codes[32], 0);
}

TEST(WeightOps, TransposeMovesAxes) {
  Tensor t = transpose(counted({2, 3}), std::vector<int64_t>{1, 0});
  EXPECT_THAT(t.shape, ElementsAre(3, 2));
  EXPECT_THAT(t.numbers, ElementsAre(0, 3, 1, 4, 2, 5));
  // Result axis i is operand axis permutation[i].
  Tensor u = transpose(counted({2, 1, 3}), std::vector<int64_t>{1, 2, 0});
  EXPECT_THAT(u.shape, ElementsAre(1, 3, 2));
  EXPECT_THAT(u.numbers, ElementsAre(0, 3, 1, 4, 2, 5));
  Tensor rows =
      transpose(reshape(grouped(), {2, 1, 64}), std::vector<int64_t>{1, 0, 2});
  EXPECT_THAT(rows.shape, ElementsAre(1, 2, 64));
  EXPECT_THAT(rows.scales, ElementsAre(1, 2, 4, 8));
}

TEST(WeightOps, ReshapeKeepsTheOrder) {
  Tensor r = reshape(counted({2, 3}), {3, 2});
  EXPECT_THAT(r.shape, ElementsAre(3, 2));
  EXPECT_THAT(r.numbers, ElementsAre(0, 1, 2, 3, 4, 5));
}

// The angle is a float32 product; what follows is not rounded.
TEST(WeightOps, RopeTable) {
  float frequency = 0.1f;
  Tensor table = ropeTable(2, 2, std::vector{1.0f, frequency}, 2.0f);
  EXPECT_THAT(table.shape, ElementsAre(2, 2, 2));
  EXPECT_EQ(table.numbers[0], 2 * std::cos(2.0));
  EXPECT_EQ(table.numbers[1], 2 * std::sin(2.0));
  EXPECT_EQ(table.numbers[6], 2 * std::cos(double(3.0f * frequency)));
  EXPECT_NE(3.0 * frequency, 3.0f * frequency);
}

TEST(WeightOps, RandomTensorsArePartsOfOne) {
  Tensor all = randomTensor({4, 8}, 7, "w", 0.5, 0);
  Tensor row = randomTensor({1, 8}, 7, "w", 0.5, 16);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(row.numbers[i], all.numbers[16 + i]);
  EXPECT_EQ(all.numbers[3], static_cast<float>(all.numbers[3]));
  EXPECT_NE(randomTensor({1}, 7, "v", 0.5, 0).numbers, // another name
            randomTensor({1}, 7, "w", 0.5, 0).numbers);
}

} // namespace
