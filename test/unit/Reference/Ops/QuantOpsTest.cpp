#include "pagoda/Reference/Ops/QuantOps.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::reference;
using testing::ElementsAre;

namespace {

const QuantFormat kBytes{8, 4, ScaleKind::F32, ZeroKind::Signed};

TEST(QuantOps, QuantizeRoundsScaleAndCodes) {
  // Of the first group the scale is 1 and ties go to even; the second has a
  // scale that is no float32.
  Tensor q = quantize(
      Tensor::ofNumbers({1, 8}, {127, -63.5, 0.5, 1.5, 1, -0.5, 0.25, 0}),
      kBytes);
  EXPECT_THAT(q.codes, ElementsAre(127, -64, 0, 2, 127, -64, 32, 0));
  EXPECT_THAT(q.scales, ElementsAre(1, static_cast<float>(1.0 / 127)));
  EXPECT_EQ(q.value(4), 127.0 * static_cast<float>(1.0 / 127));
  EXPECT_EQ(dequantize(q).numbers[0], 127);
}

// The code follows from the numbers themselves, not from the rounded scale:
// 0.5 * 127 / 1 is a tie.
TEST(QuantOps, CodesAreOfTheUnroundedQuotient) {
  Tensor q = quantize(Tensor::ofNumbers({1, 4}, {1, 0.5, -0.5, 0.1}), kBytes);
  EXPECT_THAT(q.codes, ElementsAre(127, 64, -64, 13));
}

TEST(QuantOps, GroupsOfZerosAndOfNaN) {
  Tensor q = quantize(Tensor::ofNumbers({2, 4}, {0, 0, -0.0, 0, 1, NAN, 2, 3}),
                      kBytes);
  EXPECT_EQ(q.scales[0], 0);
  EXPECT_THAT(dequantize(q).numbers[0], 0);
  EXPECT_TRUE(std::isnan(q.scales[1]));
  EXPECT_TRUE(std::isnan(q.value(4)));
}

Tensor quantised(const QuantFormat &format, std::vector<int16_t> codes,
                 double scale, double minimum = 0) {
  Tensor tensor = Tensor::zeros(ElementType::quantised(format),
                                {1, static_cast<int64_t>(codes.size())});
  tensor.codes = std::move(codes);
  tensor.scales.assign(tensor.scales.size(), scale);
  tensor.minimums.assign(tensor.minimums.size(), minimum);
  return tensor;
}

TEST(QuantOps, NumbersByKindOfZero) {
  QuantFormat middle{4, 2, ScaleKind::F16, ZeroKind::Middle};
  QuantFormat minimum{4, 2, ScaleKind::F16, ZeroKind::Minimum};
  QuantFormat none{4, 2, ScaleKind::F16, ZeroKind::Signed};
  EXPECT_THAT(dequantize(quantised(middle, {0, 15}, 0.5)).numbers,
              ElementsAre(-4, 3.5));
  EXPECT_THAT(dequantize(quantised(minimum, {0, 15}, 0.5, -1)).numbers,
              ElementsAre(-1, 6.5));
  EXPECT_THAT(dequantize(quantised(none, {-8, 7}, 0.5)).numbers,
              ElementsAre(-4, 3.5));
  EXPECT_THAT(zerosOf(quantised(middle, {0, 15}, 0.5)).numbers,
              ElementsAre(-4));
  EXPECT_THAT(zerosOf(quantised(minimum, {0, 15}, 0.5, -1)).numbers,
              ElementsAre(-1));
  EXPECT_THAT(zerosOf(quantised(none, {-8, 7}, 0.5)).numbers, ElementsAre(0));
}

TEST(QuantOps, SuperScalesAreMultipliedIn) {
  Tensor q = Tensor::zeros(ElementType::quantised(QuantFormat::q4_k()), {256});
  q.superScales = {0.25};
  q.superMinimums = {0.5};
  q.scales[1] = 3;
  q.minimums[1] = 7;
  q.codes[32] = 9;
  EXPECT_EQ(q.value(32), 0.25 * 3 * 9 - 0.5 * 7);
  EXPECT_EQ(q.values()[32], q.value(32));
  EXPECT_EQ(scalesOf(q).numbers[1], 0.75);
  EXPECT_EQ(zerosOf(q).numbers[1], -3.5);
  EXPECT_EQ(scalesOf(q).shape, Shape{8});
}

TEST(QuantOps, ComposeUndoesTakingApart) {
  Tensor q =
      quantised(QuantFormat::q4_1(), std::vector<int16_t>(32, 11), 0.5, -1.25);
  Tensor zeros = zerosOf(q);
  auto back = compose(QuantFormat::q4_1(), codesOf(q), scalesOf(q), &zeros);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->values(), q.values());
  // Scales take the storage's type.
  Tensor scales = Tensor::ofNumbers({1, 1}, {1 + 0x1p-11 + 0x1p-40});
  auto rounded = compose(QuantFormat::q4_1(), codesOf(q), scales, &zeros);
  ASSERT_TRUE(rounded.ok());
  EXPECT_EQ(rounded->scales[0], 1 + 0x1p-10);
}

TEST(QuantOps, ComposeChecksCodes) {
  Tensor codes = Tensor::ofNumbers({1, 32}, std::vector<double>(32, 16));
  Tensor scales = Tensor::ofNumbers({1, 1}, {1});
  EXPECT_EQ(
      compose(QuantFormat::q4_0(), codes, scales, nullptr).status().message(),
      "code 16 is outside q4_0");
}

} // namespace
