#include "pagoda/Base/Float16.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace pagoda;

TEST(Float16, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = halfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
      continue;
    }
    ASSERT_EQ(floatToHalf(value), bits);
  }
}

// Between two neighbours the nearer wins, and the even one in the middle.
TEST(Float16, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    double low = halfToFloat(static_cast<uint16_t>(bits));
    double high = halfToFloat(static_cast<uint16_t>(bits + 1));
    float middle = static_cast<float>((low + high) / 2);
    uint16_t even = static_cast<uint16_t>(bits + (bits & 1));
    ASSERT_EQ(floatToHalf(middle), even) << bits;
    ASSERT_EQ(floatToHalf(std::nextafter(middle, 1e9f)), bits + 1) << bits;
    ASSERT_EQ(floatToHalf(std::nextafter(middle, -1.f)), bits) << bits;
    ASSERT_EQ(floatToHalf(-middle), even | 0x8000) << bits;
  }
}

TEST(Float16, OverflowBecomesInfinity) {
  EXPECT_EQ(floatToHalf(65519.996f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.f), 0x7c00);
  EXPECT_EQ(floatToHalf(-1e30f), 0xfc00);
}

TEST(Float16, BfloatRoundsToNearestEven) {
  EXPECT_EQ(floatToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.00390625f), 0x3f80); // halfway, even below
  EXPECT_EQ(floatToBfloat(1.01171875f), 0x3f82); // halfway, even above
  EXPECT_EQ(bfloatToFloat(0x4049), 3.140625f);
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(NAN))));
}
