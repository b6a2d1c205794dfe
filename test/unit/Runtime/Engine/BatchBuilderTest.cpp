#include "BatchBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda::rt;
using testing::ElementsAre;

// The example of StepBatch.h.
TEST(BatchBuilder, WritesPlansOut) {
  BlockPool pool(8);
  std::vector<int32_t> blocks(8);
  for (int32_t &block : blocks)
    block = pool.allocate();
  // Freed in the order in which the tables are to get them.
  for (int32_t block : {7, 2, 0})
    pool.release(block);
  BlockTable first(pool, 4), second(pool, 4);
  ASSERT_TRUE(first.reserve(0, 3));
  ASSERT_TRUE(second.reserve(0, 6));

  std::vector<int32_t> prompt = {11, 12, 13};
  std::vector<int32_t> other = {37, 38, 39, 40, 41, 42};
  BatchPart parts[] = {{{1, 0, 3, 1}, prompt, &first},
                       {{2, 5, 1, 1}, other, &second}};
  StepBatch batch;
  batch.ids = {99}; // left over from another step
  buildBatch(parts, std::vector<BlockCopy>{{5, 6}}, batch);
  EXPECT_THAT(batch.ids, ElementsAre(11, 12, 13, 42));
  EXPECT_THAT(batch.qStart, ElementsAre(0, 3, 4));
  EXPECT_THAT(batch.kvLength, ElementsAre(3, 6));
  EXPECT_THAT(batch.position, ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(batch.slot, ElementsAre(28, 29, 30, 1));
  EXPECT_EQ(batch.tableWidth, 2);
  EXPECT_THAT(batch.blockTable, ElementsAre(7, -1, 2, 0));
  EXPECT_THAT(batch.rows, ElementsAre(2, 3));
  EXPECT_THAT(batch.copySource, ElementsAre(5));
  EXPECT_THAT(batch.copyDestination, ElementsAre(6));
}
