#include "pagoda/Runtime/Cache/BlockTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace pagoda::rt;
using testing::ElementsAre;

namespace {

constexpr int32_t blockSize = 4;

std::vector<BlockCopy> copiesOf(BlockPool &pool) {
  std::vector<BlockCopy> copies;
  pool.takeCopies(copies);
  return copies;
}

std::vector<int32_t> references(const BlockPool &pool, int32_t count) {
  std::vector<int32_t> result;
  for (int32_t block = 0; block < count; ++block)
    result.push_back(pool.refCount(block));
  return result;
}

} // namespace

TEST(BlockTable, ReservesWholeBlocksAsTokensCome) {
  BlockPool pool(4);
  BlockTable table(pool, blockSize);
  EXPECT_TRUE(table.reserve(0, 4));
  EXPECT_EQ(pool.freeCount(), 3);
  EXPECT_TRUE(table.reserve(4, 1));
  EXPECT_TRUE(table.reserve(5, 3));
  EXPECT_EQ(pool.freeCount(), 2);
  EXPECT_THAT(table.blocks(), ElementsAre(0, 1));
  EXPECT_EQ(table.slot(6), 6);
}

TEST(BlockTable, ReservesAllOrNothing) {
  BlockPool pool(2);
  BlockTable table(pool, blockSize);
  EXPECT_FALSE(table.reserve(0, 9));
  EXPECT_EQ(pool.freeCount(), 2);
  EXPECT_TRUE(table.reserve(0, 8));
  EXPECT_FALSE(table.reserve(8, 1));
  EXPECT_THAT(table.blocks(), ElementsAre(0, 1));
}

TEST(BlockTable, GivesItsBlocksBack) {
  BlockPool pool(4);
  {
    BlockTable table(pool, blockSize);
    EXPECT_TRUE(table.reserve(0, 8));
    BlockTable moved = std::move(table);
    EXPECT_EQ(pool.freeCount(), 2);
    moved = BlockTable(pool, blockSize);
    EXPECT_EQ(pool.freeCount(), 4);
    EXPECT_TRUE(moved.reserve(0, 1));
  }
  EXPECT_EQ(pool.freeCount(), 4);
  EXPECT_TRUE(pool.checkIntegrity().ok());
}

// Two sequences share a prompt of B + 3 tokens; each then appends one.
TEST(BlockTable, CopiesTheSharedTailOnce) {
  BlockPool pool(8);
  BlockTable first(pool, blockSize);
  ASSERT_TRUE(first.reserve(0, blockSize + 3));
  BlockTable second = first.fork(blockSize + 3);
  EXPECT_THAT(references(pool, 3), ElementsAre(2, 2, 0));

  ASSERT_TRUE(first.reserve(blockSize + 3, 1));
  ASSERT_TRUE(second.reserve(blockSize + 3, 1));
  EXPECT_THAT(copiesOf(pool), ElementsAre(BlockCopy{1, 2}));
  EXPECT_THAT(references(pool, 3), ElementsAre(2, 1, 1));
  EXPECT_THAT(first.blocks(), ElementsAre(0, 2));
  EXPECT_THAT(second.blocks(), ElementsAre(0, 1));

  first.clear(); // the copier
  EXPECT_THAT(references(pool, 3), ElementsAre(1, 1, 0));
}

TEST(BlockTable, FullSharedBlocksAreNeverCopied) {
  BlockPool pool(8);
  BlockTable first(pool, blockSize);
  ASSERT_TRUE(first.reserve(0, 2 * blockSize));
  BlockTable second = first.fork(2 * blockSize);
  ASSERT_TRUE(first.reserve(2 * blockSize, 1));
  ASSERT_TRUE(second.reserve(2 * blockSize, 1));
  EXPECT_TRUE(copiesOf(pool).empty());
  EXPECT_THAT(references(pool, 4), ElementsAre(2, 2, 1, 1));
}

TEST(BlockTable, ACopyCountsAgainstTheFreeBlocks) {
  BlockPool pool(2);
  BlockTable first(pool, blockSize);
  ASSERT_TRUE(first.reserve(0, 3));
  BlockTable second = first.fork(3);
  EXPECT_FALSE(second.reserve(3, 2)); // a copy and a new block
  EXPECT_TRUE(second.reserve(3, 1));
}

TEST(BlockTable, AForkOfFewerTokensSharesOnlyTheirBlocks) {
  BlockPool pool(8);
  BlockTable first(pool, blockSize);
  ASSERT_TRUE(first.reserve(0, 11));
  BlockTable second = first.fork(8);
  EXPECT_THAT(second.blocks(), ElementsAre(0, 1));
  EXPECT_THAT(references(pool, 3), ElementsAre(2, 2, 1));
}

TEST(BlockTable, BlocksThatLeftTheWindowAreGivenBack) {
  BlockPool pool(4);
  BlockTable table(pool, blockSize);
  ASSERT_TRUE(table.reserve(0, 12));
  table.releaseBefore(7);
  EXPECT_THAT(table.blocks(), ElementsAre(-1, 1, 2));
  table.releaseBefore(8);
  EXPECT_THAT(table.blocks(), ElementsAre(-1, -1, 2));
  EXPECT_EQ(table.slot(9), 9);
  BlockTable twin = table.fork(12);
  EXPECT_EQ(pool.refCount(2), 2);
  EXPECT_EQ(pool.freeCount(), 3);
}

TEST(BlockTable, CountsAddUpUnderRandomUse) {
  std::mt19937 random(1);
  BlockPool pool(40);
  struct Sequence {
    BlockTable table;
    int32_t length;
  };
  std::vector<Sequence> sequences;
  std::vector<BlockCopy> copies;
  for (int step = 0; step < 20000; ++step) {
    unsigned action = random() % 8;
    if (sequences.empty() || action == 0) {
      sequences.push_back({BlockTable(pool, blockSize), 0});
    } else {
      size_t index = random() % sequences.size();
      Sequence &sequence = sequences[index];
      if (action == 1) {
        sequences.erase(sequences.begin() + index);
      } else if (action == 2) {
        int32_t shared = random() % (sequence.length + 1);
        sequences.push_back({sequence.table.fork(shared), shared});
      } else if (int32_t count = 1 + random() % 9;
                 sequence.table.reserve(sequence.length, count)) {
        sequence.length += count;
      } else {
        sequences.erase(sequences.begin() + index);
      }
    }
    if (step % 3 == 0)
      pool.takeCopies(copies);
    if (step % 50 == 0) {
      std::vector<const BlockTable *> tables;
      for (const Sequence &sequence : sequences)
        tables.push_back(&sequence.table);
      ASSERT_EQ(checkIntegrity(pool, tables).message(), "");
    }
  }
}
