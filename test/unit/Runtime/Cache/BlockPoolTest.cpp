#include "pagoda/Runtime/Cache/BlockPool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda::rt;
using testing::ElementsAre;

namespace {

std::vector<BlockCopy> copiesOf(BlockPool &pool) {
  std::vector<BlockCopy> copies;
  pool.takeCopies(copies);
  return copies;
}

} // namespace

TEST(BlockPool, GivesTheBlockThatHasBeenFreeForLongest) {
  BlockPool pool(3);
  EXPECT_EQ(pool.allocate(), 0);
  EXPECT_EQ(pool.allocate(), 1);
  pool.release(1);
  pool.release(0);
  EXPECT_EQ(pool.allocate(), 2);
  EXPECT_EQ(pool.allocate(), 1);
  EXPECT_EQ(pool.allocate(), 0);
  EXPECT_EQ(pool.allocate(), -1);
  EXPECT_TRUE(pool.checkIntegrity().ok());
}

TEST(BlockPool, ABlockIsFreeWhenItsLastHolderLeaves) {
  BlockPool pool(2);
  int32_t block = pool.allocate();
  pool.retain(block);
  pool.release(block);
  EXPECT_EQ(pool.refCount(block), 1);
  EXPECT_EQ(pool.freeCount(), 1);
  pool.release(block);
  EXPECT_EQ(pool.freeCount(), 2);
  EXPECT_TRUE(pool.checkIntegrity().ok());
}

TEST(BlockPool, OnlySharedBlocksAreCopied) {
  BlockPool pool(3);
  int32_t block = pool.allocate();
  EXPECT_EQ(pool.makeWritable(block), block);
  EXPECT_TRUE(copiesOf(pool).empty());

  pool.retain(block);
  int32_t copy = pool.makeWritable(block);
  EXPECT_NE(copy, block);
  EXPECT_EQ(pool.refCount(block), 1);
  EXPECT_EQ(pool.refCount(copy), 1);
  EXPECT_THAT(copiesOf(pool), ElementsAre(BlockCopy{block, copy}));
  EXPECT_TRUE(copiesOf(pool).empty());
}

TEST(BlockPool, ACopyThatDoesNotFitChangesNothing) {
  BlockPool pool(1);
  int32_t block = pool.allocate();
  pool.retain(block);
  EXPECT_EQ(pool.makeWritable(block), -1);
  EXPECT_EQ(pool.refCount(block), 2);
  EXPECT_TRUE(copiesOf(pool).empty());
}

TEST(BlockPool, APendingCopyIntoAFreedBlockIsDropped) {
  BlockPool pool(3);
  int32_t block = pool.allocate();
  pool.retain(block);
  int32_t copy = pool.makeWritable(block);
  pool.release(copy);
  EXPECT_TRUE(copiesOf(pool).empty());
  EXPECT_TRUE(pool.checkIntegrity().ok());
}

TEST(BlockPool, IntegrityComparesWithTheHolders) {
  BlockPool pool(2);
  pool.retain(pool.allocate());
  EXPECT_TRUE(pool.checkIntegrity(std::vector<int32_t>{2, 0}).ok());
  EXPECT_EQ(pool.checkIntegrity(std::vector<int32_t>{1, 0}).message(),
            "block 0 has 2 references, its holders add up to 1");
}
