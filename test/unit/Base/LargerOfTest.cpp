#include "pagoda/Base/LargerOf.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace pagoda;

TEST(LargerOf, NaNIsKept) {
  EXPECT_EQ(largerOf(1, 2), 2);
  EXPECT_EQ(largerOf(2, 1), 2);
  EXPECT_TRUE(std::isnan(largerOf(NAN, 1)));
  EXPECT_TRUE(std::isnan(largerOf(1, NAN)));
  EXPECT_TRUE(std::isnan(largerOf(INFINITY, NAN)));
}
