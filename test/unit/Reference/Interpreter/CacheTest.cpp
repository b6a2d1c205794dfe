#include "pagoda/Reference/Interpreter/Cache.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::reference;

namespace {

/// Two tokens of sequence 3 that go to slots 17 and 2, with one block of 16
/// after the other.
Batch twoTokens(int32_t past) {
  Batch batch;
  batch.ids = {1, 2};
  batch.qStart = {0, 2};
  batch.kvLength = {past + 2};
  batch.position = {past, past + 1};
  batch.sequence = {3};
  batch.slot = {17, 2};
  batch.tableWidth = 2;
  batch.blockTable = {1, 0};
  return batch;
}

Tensor rows(double first) {
  return Tensor::ofNumbers({2, 1, 2}, {first, first + 1, first + 2, first + 3});
}

TEST(Cache, ListsGrowBySequenceAndLayer) {
  AbstractCache cache;
  ASSERT_TRUE(cache.append(twoTokens(0), 5, rows(0), rows(10)).ok());
  ASSERT_TRUE(cache.append(twoTokens(2), 5, rows(4), rows(14)).ok());
  EXPECT_EQ(cache.version(), 2u);
  KeyAndValue third = cache.read(twoTokens(2), 0, 2, 5, 2, 2);
  EXPECT_EQ(third.key[0], 4);
  EXPECT_EQ(third.value[1], 15);
  // Another layer, a later index and another width find nothing.
  EXPECT_TRUE(std::isnan(cache.read(twoTokens(2), 0, 0, 4, 2, 2).key[0]));
  EXPECT_TRUE(std::isnan(cache.read(twoTokens(2), 0, 4, 5, 2, 2).key[0]));
  EXPECT_TRUE(std::isnan(cache.read(twoTokens(2), 0, 0, 5, 2, 4).key[0]));
}

TEST(Cache, ListsDoNotSkipTokens) {
  AbstractCache cache;
  EXPECT_EQ(cache.append(twoTokens(1), 0, rows(0), rows(0)).message(),
            "layer 0 has 0 keys of a sequence where token 1 is to be appended");
}

TEST(Cache, EarlierVersionsDoNotSeeLaterAppends) {
  AbstractCache cache;
  ASSERT_TRUE(cache.append(twoTokens(0), 0, rows(0), rows(10)).ok());
  EXPECT_EQ(cache.read(twoTokens(0), 0, 1, 0, 1, 2).key[0], 2);
  EXPECT_TRUE(std::isnan(cache.read(twoTokens(0), 0, 1, 0, 0, 2).key[0]));
}

TEST(Cache, PagesAreFoundByBlockTable) {
  PagedCache cache(16, 2);
  ASSERT_TRUE(cache.append(twoTokens(15), 0, rows(0), rows(10)).ok());
  // Index 1 lies in slot 1 of block 1, index 18 in slot 2 of block 0.
  EXPECT_EQ(cache.read(twoTokens(15), 0, 1, 0, 1, 2).key[0], 0);
  EXPECT_EQ(cache.read(twoTokens(15), 0, 18, 0, 1, 2).value[0], 12);
  // Slots that nothing was stored in, and those behind the table.
  EXPECT_TRUE(std::isnan(cache.read(twoTokens(15), 0, 0, 0, 1, 2).key[0]));
  EXPECT_TRUE(std::isnan(cache.read(twoTokens(15), 0, 40, 0, 1, 2).key[0]));
}

TEST(Cache, MissingBlocksAreNaN) {
  PagedCache cache(16, 2);
  Batch batch = twoTokens(15);
  ASSERT_TRUE(cache.append(batch, 0, rows(0), rows(10)).ok());
  batch.blockTable = {-1, 0};
  EXPECT_TRUE(std::isnan(cache.read(batch, 0, 1, 0, 1, 2).key[0]));
  batch.slot[1] = 32;
  EXPECT_EQ(cache.append(batch, 0, rows(0), rows(10)).message(),
            "slot 32 is not in the pool");
}

} // namespace
