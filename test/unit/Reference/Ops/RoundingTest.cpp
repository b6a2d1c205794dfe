#include "pagoda/Reference/Ops/Rounding.h"

#include "pagoda/Base/Float16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace pagoda;
using namespace pagoda::reference;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Rounding, TiesGoToEven) {
  EXPECT_EQ(roundTo(DType::F16, 1 + 0x1p-11), 1);
  EXPECT_EQ(roundTo(DType::F16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(roundTo(DType::BF16, 1 + 0x1p-8), 1);
  EXPECT_EQ(roundTo(DType::BF16, 1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(roundTo(DType::F32, 1 + 0x1p-24), 1);
  EXPECT_EQ(roundTo(DType::F32, 1 + 3 * 0x1p-24), 1 + 0x1p-22);
}

// Rounding to float32 on the way would end on the second one's tie.
TEST(Rounding, IsDoneOnce) {
  double x = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(roundTo(DType::F16, x), 1 + 0x1p-10);
  EXPECT_EQ(roundTo(DType::F16, static_cast<float>(x)), 1);
  EXPECT_EQ(roundTo(DType::BF16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
}

TEST(Rounding, Ends) {
  EXPECT_EQ(roundTo(DType::F16, 65519.999), 65504);
  EXPECT_EQ(roundTo(DType::F16, 65520), kInfinity); // a tie, to even
  EXPECT_EQ(roundTo(DType::F16, -1e300), -kInfinity);
  EXPECT_EQ(roundTo(DType::F32, 0x1.ffffffp127), kInfinity);
  EXPECT_EQ(roundTo(DType::F32, 0x1.fffffefp127), 0x1.fffffep127);
  // Subnormal numbers are multiples of the smallest one.
  EXPECT_EQ(roundTo(DType::F16, 0x1.4p-24), 0x1p-24);
  EXPECT_EQ(roundTo(DType::F16, 0x1p-25), 0);
  EXPECT_EQ(roundTo(DType::F16, 0x1.0001p-25), 0x1p-24);
  EXPECT_TRUE(std::signbit(roundTo(DType::F16, -1e-30)));
  EXPECT_TRUE(std::isnan(roundTo(DType::F16, NAN)));
  EXPECT_EQ(roundTo(DType::F32, -kInfinity), -kInfinity);
  EXPECT_EQ(roundTo(DType::I32, 1.5), 1.5);
}

// Where the number is a float32 already, there is a second implementation.
TEST(Rounding, AgreesWithTheConversionsOfFloats) {
  for (uint32_t i = 0; i < 1 << 20; ++i) {
    float x = std::bit_cast<float>(i * 4099u);
    if (std::isnan(x))
      continue;
    EXPECT_EQ(roundTo(DType::F16, x), halfToFloat(floatToHalf(x))) << x;
    EXPECT_EQ(roundTo(DType::BF16, x), bfloatToFloat(floatToBfloat(x))) << x;
    EXPECT_EQ(roundTo(DType::F32, x), x);
  }
}

} // namespace
