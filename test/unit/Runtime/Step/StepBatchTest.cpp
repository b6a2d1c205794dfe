#include "pagoda/Runtime/Step/StepBatch.h"
#include "pagoda/Runtime/Step/StepRunner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::rt;
using testing::HasSubstr;

namespace {

RunnerLimits smallLimits() {
  RunnerLimits limits;
  limits.vocabulary = 50;
  limits.maxContext = 64;
  limits.blockSize = 4;
  limits.blockCount = 8;
  limits.maxTokens = 8;
  limits.maxSequences = 4;
  limits.maxRows = 4;
  return limits;
}

/// The example of StepBatch.h.
StepBatch example() {
  StepBatch batch;
  batch.ids = {11, 12, 13, 42};
  batch.qStart = {0, 3, 4};
  batch.kvLength = {3, 6};
  batch.position = {0, 1, 2, 5};
  batch.slot = {28, 29, 30, 1};
  batch.blockTable = {7, -1, 2, 0};
  batch.tableWidth = 2;
  batch.rows = {2, 3};
  return batch;
}

std::string complaint(const StepBatch &batch,
                      const RunnerLimits &limits = smallLimits()) {
  return checkStepBatch(batch, limits).message();
}

} // namespace

TEST(StepBatch, TheDocumentedExampleIsWellFormed) {
  EXPECT_EQ(complaint(example()), "");
}

TEST(StepBatch, EachBrokenPromiseIsNamed) {
  StepBatch batch = example();
  batch.ids[1] = 50;
  EXPECT_THAT(complaint(batch), HasSubstr("token id 50"));
  batch = example();
  batch.ids[1] = -1;
  EXPECT_THAT(complaint(batch), HasSubstr("token id -1"));
  batch = example();
  batch.position[3] = 4;
  EXPECT_THAT(complaint(batch), HasSubstr("token 3 has position 4"));
  batch = example();
  batch.slot[3] = 2;
  EXPECT_THAT(complaint(batch), HasSubstr("expected 5 and 1"));
  batch = example();
  batch.blockTable[2] = -1;
  EXPECT_THAT(complaint(batch), HasSubstr("block table entry -1 at 0"));
  batch = example();
  batch.blockTable[3] = 8;
  EXPECT_THAT(complaint(batch), HasSubstr("block table entry 8 at 1"));
  batch = example();
  batch.rows = {3, 2};
  EXPECT_THAT(complaint(batch), HasSubstr("row 2 after 3"));
  batch = example();
  batch.qStart = {0, 4, 4};
  EXPECT_THAT(complaint(batch), HasSubstr("sequence 0"));
  batch = example();
  batch.kvLength[1] = 9;
  EXPECT_THAT(complaint(batch), HasSubstr("only room for 8"));
  batch = example();
  batch.copySource = batch.copyDestination = {1};
  EXPECT_THAT(complaint(batch), HasSubstr("copies"));
  batch = example();
  batch.slot.pop_back();
  EXPECT_THAT(complaint(batch), HasSubstr("differ in size"));
  EXPECT_THAT(complaint(StepBatch()), HasSubstr("differ in size"));
}

TEST(StepBatch, TwoTokensNeverShareASlot) {
  StepBatch batch = example();
  batch.blockTable = {7, -1, 2, 7};
  batch.slot = {28, 29, 30, 29};
  EXPECT_THAT(complaint(batch), HasSubstr("slot 29 is written twice"));
}

TEST(StepBatch, BlocksBeforeTheWindowMayBeMissing) {
  RunnerLimits limits = smallLimits();
  StepBatch batch = example();
  batch.blockTable[2] = -1;
  limits.slidingWindow = 2; // position 5 sees 4 and 5
  EXPECT_EQ(complaint(batch, limits), "");
  limits.slidingWindow = 3;
  EXPECT_THAT(complaint(batch, limits), HasSubstr("entry -1"));
}

TEST(StepBatch, RunnersWithLookaheadTakeIdsOfTheirOwnRows) {
  RunnerLimits limits = smallLimits();
  limits.lookahead = 1;
  StepBatch batch = example();
  batch.ids[3] = -4;
  EXPECT_EQ(complaint(batch, limits), "");
  batch.ids[3] = -5;
  EXPECT_THAT(complaint(batch, limits), HasSubstr("token id -5"));
}

TEST(StepBatch, LimitsAreChecked) {
  EXPECT_TRUE(checkRunnerLimits(smallLimits()).ok());
  RunnerLimits limits = smallLimits();
  limits.blockCount = 0;
  EXPECT_THAT(checkRunnerLimits(limits).message(), HasSubstr("blockCount"));
  limits.blockCount = 1 << 30;
  EXPECT_THAT(checkRunnerLimits(limits).message(), HasSubstr("32-bit"));
}
