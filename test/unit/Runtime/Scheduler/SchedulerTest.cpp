#include "pagoda/Runtime/Scheduler/Scheduler.h"

#include "CountingSpace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::rt;
using testing::ElementsAre;
using testing::IsEmpty;

namespace pagoda::rt {

bool operator==(const ScheduledChunk &a, const ScheduledChunk &b) {
  return a.sequence == b.sequence && a.first == b.first && a.count == b.count &&
         a.logits == b.logits;
}
void PrintTo(const ScheduledChunk &chunk, std::ostream *stream) {
  *stream << "{" << chunk.sequence << ", " << chunk.first << ", " << chunk.count
          << ", " << chunk.logits << "}";
}

} // namespace pagoda::rt

namespace {

using Chunk = ScheduledChunk;

SchedulerLimits smallLimits() {
  SchedulerLimits limits;
  limits.tokenBudget = 8;
  limits.maxSequences = 4;
  limits.maxRows = 8;
  limits.maxContext = 100;
  limits.blockSize = 4;
  limits.blockCount = 25;
  return limits;
}

struct Fixture {
  explicit Fixture(const SchedulerLimits &limits = smallLimits())
      : space(limits), scheduler(limits, space) {}
  void add(SequenceId id, int32_t prompt, int32_t generate) {
    ASSERT_EQ(
        scheduler.add({id, prompt, prompt + generate, prompt - 1}).message(),
        "");
  }
  std::vector<Chunk> step() { return scheduler.schedule().chunks; }

  CountingSpace space;
  Scheduler scheduler;
};

} // namespace

TEST(Scheduler, APromptSpreadsOverSteps) {
  Fixture f;
  f.add(1, 20, 5);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 8, 0}));
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 8, 8, 0}));
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 16, 4, 1}));
  f.scheduler.append(1);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 20, 1, 1}));
}

TEST(Scheduler, DecodesComeBeforePromptsAndNewcomersLast) {
  Fixture f;
  f.add(1, 12, 5);
  f.add(2, 2, 5);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 8, 0}));
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 8, 4, 1}, Chunk{2, 0, 2, 1}));
  f.scheduler.append(1);
  f.scheduler.append(2);
  f.add(3, 20, 5);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 12, 1, 1}, Chunk{2, 2, 1, 1},
                                    Chunk{3, 0, 6, 0}));
  f.scheduler.append(1);
  f.scheduler.append(2);
  f.add(4, 1, 5);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 13, 1, 1}, Chunk{2, 3, 1, 1},
                                    Chunk{3, 6, 6, 0}));
}

TEST(Scheduler, AChunkCapLeavesRoomForOthers) {
  SchedulerLimits limits = smallLimits();
  limits.maxChunk = 4;
  Fixture f(limits);
  f.add(1, 20, 5);
  f.add(2, 3, 5);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 4, 0}, Chunk{2, 0, 3, 1}));
}

TEST(Scheduler, SequencesAreBounded) {
  SchedulerLimits limits = smallLimits();
  limits.maxSequences = 2;
  Fixture f(limits);
  for (SequenceId id : {1, 2, 3})
    f.add(id, 1, 5);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 1, 1}, Chunk{2, 0, 1, 1}));
  f.scheduler.remove(1);
  f.scheduler.append(2);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{2, 1, 1, 1}, Chunk{3, 0, 1, 1}));
}

TEST(Scheduler, LogitsOfAWholePromptAreSpreadOverTheRows) {
  SchedulerLimits limits = smallLimits();
  limits.maxRows = 3;
  Fixture f(limits);
  ASSERT_TRUE(f.scheduler.add({1, 7, 7, 0}).ok());
  ASSERT_TRUE(f.scheduler.add({2, 4, 9, 3}).ok());
  // The second one's last token has to wait: no row is left for it.
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 3, 3}, Chunk{2, 0, 3, 0}));
  // With one token to go it counts as a decode, and goes first.
  EXPECT_THAT(f.step(), ElementsAre(Chunk{2, 3, 1, 1}, Chunk{1, 3, 2, 2}));
  f.scheduler.remove(2);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 5, 2, 2}));
}

TEST(Scheduler, LogitsAreNotAskedForTwice) {
  SchedulerLimits limits = smallLimits();
  limits.blockCount = 4;
  limits.maxRows = 3;
  Fixture f(limits);
  f.add(1, 4, 10);
  ASSERT_TRUE(f.scheduler.add({2, 12, 12, 0}).ok());
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 4, 1}, Chunk{2, 0, 2, 2}));
  for (int32_t i = 0; i < 3; ++i) {
    f.scheduler.append(1);
    EXPECT_THAT(f.step(),
                ElementsAre(Chunk{1, 4 + i, 1, 1}, Chunk{2, 2 + 2 * i, 2, 2}));
  }
  f.scheduler.append(1);
  f.step();
  f.scheduler.append(1);
  // 1 needs a third block, 2 gives up its two with eight tokens computed.
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 8, 1, 1}));
  f.scheduler.remove(1);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{2, 0, 8, 0}));
  EXPECT_THAT(f.step(), ElementsAre(Chunk{2, 8, 3, 3}));
  EXPECT_THAT(f.step(), ElementsAre(Chunk{2, 11, 1, 1}));
}

TEST(Scheduler, TheYoungestIsPreemptedAndComesBackFirst) {
  SchedulerLimits limits = smallLimits();
  limits.blockCount = 3;
  Fixture f(limits);
  f.add(1, 4, 8);
  f.add(2, 4, 8);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 4, 1}, Chunk{2, 0, 4, 1}));
  f.scheduler.append(1);
  f.scheduler.append(2);
  f.add(3, 1, 1);
  // One block is left: 1 takes it, 2 has to go, 3 is not let in although it
  // would fit.
  const StepPlan &plan = f.scheduler.schedule();
  EXPECT_THAT(plan.chunks, ElementsAre(Chunk{1, 4, 1, 1}));
  EXPECT_THAT(plan.preempted, ElementsAre(2));
  EXPECT_FALSE(f.space.holds(2));
  f.scheduler.append(1);
  // 2 needs two blocks, which are not there; 3 does not overtake it.
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 5, 1, 1}));
  f.scheduler.remove(1);
  // Only the logits after its newest token are wanted.
  EXPECT_THAT(f.step(), ElementsAre(Chunk{2, 0, 5, 1}, Chunk{3, 0, 1, 1}));
}

TEST(Scheduler, APreemptedSequenceLeavesThePlan) {
  SchedulerLimits limits = smallLimits();
  limits.blockCount = 4;
  Fixture f(limits);
  f.add(1, 16, 1);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 8, 0}));
  f.scheduler.fork(1, {2, 9, 17, 8}, 4); // outside the counting: one block
  ASSERT_TRUE(f.space.reserve(2, 0, 8));
  // Both go on; the older needs two blocks for 8 tokens, so the younger goes.
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 8, 8, 1}));
}

TEST(Scheduler, WhatAPreemptedSequenceHadIsOthersToUse) {
  SchedulerLimits limits = smallLimits();
  limits.tokenBudget = 10;
  limits.maxChunk = 7;
  limits.maxRows = 1;
  for (int32_t prompt : {20, 5}) {
    Fixture f(limits);
    f.add(1, 40, 1);
    f.add(2, prompt, 1);
    EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 0, 7, 0}, Chunk{2, 0, 3, 0}));
    f.scheduler.fork(1, {3, 8, 20, 7}, 7);
    ASSERT_TRUE(f.space.reserve(3, 0, 7));
    ASSERT_TRUE(f.space.reserve(99, 0, 76)); // one block is left
    // 3 would be first, as a decode; 1 needs its blocks, and 2 gets its token
    // and its row.
    EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 7, 7, 0},
                                      prompt == 20 ? Chunk{2, 3, 3, 0}
                                                   : Chunk{2, 3, 2, 1}));
  }
}

TEST(Scheduler, AForkRunsAtOnceOrWaits) {
  SchedulerLimits limits = smallLimits();
  limits.maxSequences = 2;
  Fixture f(limits);
  f.add(1, 6, 5);
  f.step();
  f.scheduler.append(1);
  EXPECT_TRUE(f.scheduler.fork(1, {2, 7, 11, 6}, 4));
  EXPECT_FALSE(f.scheduler.fork(1, {3, 7, 11, 6}, 4));
  EXPECT_THAT(f.step(), ElementsAre(Chunk{1, 6, 1, 1}, Chunk{2, 4, 3, 1}));
  f.scheduler.remove(1);
  f.scheduler.append(2);
  EXPECT_THAT(f.step(), ElementsAre(Chunk{2, 7, 1, 1}, Chunk{3, 0, 7, 1}));
}

TEST(Scheduler, WhatCanNeverRunIsRefused) {
  SchedulerLimits limits = smallLimits();
  limits.blockCount = 3;
  Fixture f(limits);
  EXPECT_EQ(f.scheduler.add({1, 10, 14, 9}).code(),
            StatusCode::ResourceExhausted);
  EXPECT_EQ(f.scheduler.add({1, 10, 101, 9}).code(),
            StatusCode::InvalidArgument);
  EXPECT_FALSE(f.scheduler.hasWork());
  EXPECT_THAT(f.step(), IsEmpty());
  f.add(1, 10, 3);
  EXPECT_EQ(f.scheduler.add({1, 10, 13, 9}).code(), StatusCode::Internal);
}

TEST(Scheduler, RemovingWhatIsUnknownDoesNothing) {
  Fixture f;
  f.scheduler.remove(7);
  f.add(1, 6, 5);
  f.scheduler.remove(1);
  f.scheduler.remove(1);
  EXPECT_FALSE(f.scheduler.hasWork());
}
