#include "pagoda/Runtime/Sampler/Philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

using namespace pagoda::rt;
using testing::ElementsAre;

// The known answers that the authors' own implementation (Random123) is tested
// with.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, 0),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox4x32({~0u, ~0u, ~0u, ~0u}, ~uint64_t{0}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                         0x299f31d0a4093822),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(Philox, UniformNumbersFillTheirInterval) {
  constexpr int bins = 50, draws = 100000;
  std::vector<int> count(bins, 0);
  for (int position = 0; position < draws; ++position) {
    double u = uniformAt(99, position);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++count[int(u * bins)];
  }
  double chiSquare = 0;
  for (int n : count)
    chiSquare += (n - draws / bins) * double(n - draws / bins) * bins / draws;
  EXPECT_LT(chiSquare, 95); // 49 degrees of freedom, p = 1e-4
}
