#include "pagoda/Reference/Ops/TokenOps.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::reference;
using testing::ElementsAre;

namespace {

TEST(TokenOps, EmbeddingTakesRows) {
  Tensor table = Tensor::ofNumbers({3, 2}, {1, 2, 3, 4, 5, 6});
  Tensor ids = Tensor::ofNumbers({4}, {2, 0, 2, 1}, DType::I32);
  auto x = embedding(ids, table);
  ASSERT_TRUE(x.ok());
  EXPECT_THAT(x->shape, ElementsAre(4, 2));
  EXPECT_THAT(x->numbers, ElementsAre(5, 6, 1, 2, 5, 6, 3, 4));
  EXPECT_EQ(embedding(Tensor::ofNumbers({1}, {3}, DType::I32), table)
                .status()
                .message(),
            "id 3 is not in a table of 3");
  EXPECT_FALSE(embedding(Tensor::ofNumbers({1}, {-1}, DType::I32), table).ok());
}

TEST(TokenOps, LinearIsARowTimesARow) {
  Tensor x = Tensor::ofNumbers({2, 3}, {1, 2, 3, -1, 0, 2});
  Tensor w = Tensor::ofNumbers({2, 3}, {1, 10, 100, 0.5, 0, -0.5});
  EXPECT_THAT(linear(x, w, nullptr).numbers, ElementsAre(321, -1, 199, -1.5));
  Tensor bias = Tensor::ofNumbers({2}, {1000, 0.25});
  EXPECT_THAT(linear(x, w, &bias).numbers,
              ElementsAre(1321, -0.75, 1199, -1.25));
}

// More rows than go side by side, with a rest; each sum in order of k.
TEST(TokenOps, LinearOfManyRows) {
  const int64_t outputs = 19, inputs = 5;
  Tensor x = Tensor::ofNumbers({1, inputs}, {0.1, 0.2, 0.3, 0.4, 0.5});
  Tensor w = Tensor::zeros(DType::F32, {outputs, inputs});
  for (size_t i = 0; i < w.numbers.size(); ++i)
    w.numbers[i] = 1.0 / static_cast<double>(i + 1);
  Tensor y = linear(x, w, nullptr);
  for (int64_t n = 0; n < outputs; ++n) {
    double sum = 0;
    for (int64_t k = 0; k < inputs; ++k)
      sum += x.numbers[k] * w.numbers[n * inputs + k];
    EXPECT_EQ(y.numbers[n], sum) << n;
  }
}

// [3, 4]: the mean of squares is 12.5; with 3.5 the root is 4.
TEST(TokenOps, EpsilonStandsInsideTheRoot) {
  Tensor x = Tensor::ofNumbers({1, 2}, {3, 4});
  Tensor weight = Tensor::ofNumbers({2}, {1, 2});
  EXPECT_THAT(rmsNorm(x, weight, 3.5).numbers, ElementsAre(0.75, 2));
  EXPECT_THAT(rmsNorm(x, weight, 0).numbers,
              ElementsAre(3 / std::sqrt(12.5), 8 / std::sqrt(12.5)));
}

TEST(TokenOps, NormsOfHeadsAreOfTheLastAxis) {
  Tensor x = Tensor::ofNumbers({1, 2, 2}, {3, 4, 6, 8});
  Tensor y = rmsNorm(x, Tensor::ofNumbers({2}, {1, 1}), 0);
  EXPECT_THAT(y.shape, ElementsAre(1, 2, 2));
  EXPECT_EQ(y.numbers[0], y.numbers[2]);
  EXPECT_EQ(y.numbers[1], y.numbers[3]);
}

TEST(TokenOps, Activations) {
  // e^-ln3 = 1/3, so x / (1 + 1/3) = 3/4 x.
  double x = std::log(3.0);
  EXPECT_DOUBLE_EQ(activate(Activation::Silu, x), 0.75 * x);
  EXPECT_EQ(activate(Activation::Silu, 0), 0);
  // Phi(1) = 0.8413447460685429, and its approximation by tanh.
  EXPECT_DOUBLE_EQ(activate(Activation::Gelu, 1), 0.8413447460685429);
  EXPECT_NEAR(activate(Activation::GeluTanh, 1), 0.8411919906082768, 1e-15);
  EXPECT_NEAR(activate(Activation::Gelu, -1), -0.15865525393145707, 1e-16);
  EXPECT_EQ(activate(Activation::Relu, 2), 2);
  EXPECT_EQ(activate(Activation::Relu, -2), 0);
  EXPECT_TRUE(std::isnan(activate(Activation::Relu, NAN)));
  Tensor gate = Tensor::ofNumbers({1, 2}, {-1, 2});
  Tensor up = Tensor::ofNumbers({1, 2}, {5, 7});
  EXPECT_THAT(gated(Activation::Relu, gate, up).numbers, ElementsAre(0, 14));
}

TEST(TokenOps, GatherTakesRowsAndChecksThem) {
  Tensor x = Tensor::ofNumbers({3, 2}, {1, 2, 3, 4, 5, 6});
  auto rows = gatherRows(x, Tensor::ofNumbers({2}, {0, 2}, DType::I32));
  ASSERT_TRUE(rows.ok());
  EXPECT_THAT(rows->numbers, ElementsAre(1, 2, 5, 6));
  auto none = gatherRows(x, Tensor::ofNumbers({0}, {}, DType::I32));
  ASSERT_TRUE(none.ok());
  EXPECT_THAT(none->shape, ElementsAre(0, 2));
  EXPECT_EQ(
      gatherRows(x, Tensor::ofNumbers({1}, {3}, DType::I32)).status().message(),
      "row 3 is not in a tensor of 3 rows");
}

TEST(TokenOps, ArgmaxTakesTheFirstOfTheLargest) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Tensor x = Tensor::ofNumbers({5, 3}, {1, 3, 3,          //
                                        -2, -1, -5,       //
                                        -inf, -inf, -inf, //
                                        0, inf, 1,        //
                                        5, NAN, 7});
  Tensor y = argmax(x);
  EXPECT_EQ(y.type, ElementType(DType::I32));
  EXPECT_THAT(y.shape, ElementsAre(5));
  EXPECT_THAT(y.numbers, ElementsAre(1, 1, 0, -1, -1));
}

TEST(TokenOps, CastRoundsEachNumber) {
  Tensor y = cast(Tensor::ofNumbers({2}, {1 + 0x1p-11, 3}), DType::F16);
  EXPECT_THAT(y.numbers, ElementsAre(1, 3));
  EXPECT_EQ(y.type, ElementType(DType::F16));
}

} // namespace
