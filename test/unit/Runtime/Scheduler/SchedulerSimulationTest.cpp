// Random requests against the promises of Scheduler.h: hundreds of thousands of
// them over hundreds of small caches, where shortage is the normal case.

#include "pagoda/Runtime/Scheduler/Scheduler.h"

#include "CountingSpace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

/// What the simulation itself knows of a sequence.
struct Model {
  int32_t prompt;
  int32_t maxLength;
  int32_t length;
  int32_t computed = 0;
  int32_t firstLogits;
  int32_t endsAt; // its stop token comes here
  bool mayFork = false;
};

class Simulation {
public:
  Simulation(const SchedulerLimits &limits, unsigned seed)
      : limits(limits), random(seed), space(limits), scheduler(limits, space) {}

  void run(int requests);

  int64_t steps = 0;
  int64_t tokens = 0;
  int64_t preemptions = 0;
  int64_t refused = 0;
  int64_t forks = 0;

private:
  int32_t below(int32_t bound) { return int32_t(random() % unsigned(bound)); }
  void arrive();
  void step();
  void apply(const ScheduledChunk &chunk);
  void fork(SequenceId parent, const Model &model);
  void finish(SequenceId id);

  SchedulerLimits limits;
  std::mt19937 random;
  CountingSpace space;
  Scheduler scheduler;
  SequenceId nextId = 0;
  std::unordered_map<SequenceId, Model> alive;
  std::set<SequenceId> started;
};

void Simulation::arrive() {
  Model model;
  model.prompt = 1 + below(below(4) ? 12 : 60);
  model.maxLength = model.prompt + below(12);
  bool wholePrompt = below(6) == 0;
  if (model.maxLength == model.prompt && !wholePrompt)
    ++model.maxLength;
  model.length = model.prompt;
  model.firstLogits = wholePrompt ? 0 : model.prompt - 1;
  model.endsAt = model.prompt + 1 + below(16);
  model.mayFork = below(8) == 0;
  SequenceId id = nextId;
  nextId += 2; // the next one is for a fork
  Status status =
      scheduler.add({id, model.length, model.maxLength, model.firstLogits});
  if (status.ok()) {
    alive.emplace(id, model);
  } else {
    // Refused exactly if it cannot fit with the cache to itself.
    ASSERT_TRUE(!checkFits(limits, model.prompt, model.maxLength).ok());
    ++refused;
  }
}

void Simulation::finish(SequenceId id) {
  scheduler.remove(id);
  alive.erase(id);
  started.erase(id);
  ASSERT_FALSE(space.holds(id));
}

void Simulation::apply(const ScheduledChunk &chunk) {
  Model &model = alive.at(chunk.sequence);
  ASSERT_EQ(chunk.first, model.computed);
  ASSERT_GE(chunk.count, 1);
  ASSERT_LE(chunk.first + chunk.count, model.length);
  int32_t end = chunk.first + chunk.count;
  ASSERT_EQ(chunk.logits,
            std::max(0, end - std::max(chunk.first, model.firstLogits)));
  model.computed = end;
  model.firstLogits = std::max(model.firstLogits, end);
  if (end < model.length)
    return;
  if (model.length == model.maxLength)
    return finish(chunk.sequence); // only its prompt's logits were wanted
  ++model.length;
  if (std::exchange(model.mayFork, false))
    fork(chunk.sequence, model);
  if (model.length == model.maxLength || model.length == model.endsAt)
    return finish(chunk.sequence);
  scheduler.append(chunk.sequence);
}

void Simulation::fork(SequenceId parent, const Model &model) {
  if (model.length == model.maxLength)
    return;
  SequenceId id = parent + 1;
  Model child = model;
  child.computed = 0; // the counting space cannot share
  child.firstLogits = child.length - 1;
  child.endsAt = child.length + 1 + below(16);
  alive.emplace(id, child);
  ++forks;
  if (scheduler.fork(parent,
                     {id, child.length, child.maxLength, child.firstLogits}, 0))
    started.insert(id);
}

void Simulation::step() {
  const StepPlan &plan = scheduler.schedule();
  ++steps;
  preemptions += plan.preempted.size();
  ASSERT_FALSE(plan.chunks.empty()) << "no progress";

  int32_t sum = 0, rows = 0;
  std::set<SequenceId> scheduled;
  for (const ScheduledChunk &chunk : plan.chunks) {
    sum += chunk.count;
    rows += chunk.logits;
    ASSERT_TRUE(scheduled.insert(chunk.sequence).second) << "scheduled twice";
    if (!plan.preempted.empty()) {
      ASSERT_TRUE(started.count(chunk.sequence))
          << "let in by a step that preempted";
    }
  }
  ASSERT_LE(sum, limits.tokenBudget);
  ASSERT_LE(rows, limits.maxRows);
  tokens += sum;

  for (SequenceId id : plan.preempted) {
    ASSERT_EQ(started.erase(id), 1u);
    ASSERT_FALSE(space.holds(id));
    alive.at(id).computed = 0;
  }
  // Victims are the youngest: whoever still runs is older than all of them.
  if (!plan.preempted.empty()) {
    SequenceId oldest =
        *std::min_element(plan.preempted.begin(), plan.preempted.end());
    for (SequenceId id : started)
      ASSERT_LT(id, oldest);
  }
  // First come, first served: nobody waits who is older than a newcomer.
  for (SequenceId id : scheduled) {
    if (!started.insert(id).second)
      continue;
    for (const auto &[other, model] : alive)
      ASSERT_TRUE(other > id || started.count(other));
  }
  ASSERT_LE(int32_t(started.size()), limits.maxSequences);
  ASSERT_EQ(int32_t(started.size()), scheduler.runningCount());
  ASSERT_GE(space.freeBlocks(), 0);

  std::vector<ScheduledChunk> chunks = plan.chunks;
  for (const ScheduledChunk &chunk : chunks) {
    apply(chunk);
    if (testing::Test::HasFatalFailure())
      return;
  }
  // Somebody hangs up.
  if (!alive.empty() && below(40) == 0)
    finish(std::next(alive.begin(), below(int32_t(alive.size())))->first);
}

void Simulation::run(int requests) {
  int64_t bound = 0;
  int arrived = 0;
  while (arrived < requests || !alive.empty()) {
    // Bursts, so that the queue is long at times and empty at others.
    if (arrived < requests && (alive.empty() || below(10) == 0))
      for (int i = 1 + below(6); i > 0 && arrived < requests; --i, ++arrived)
        arrive();
    if (!alive.empty())
      step();
    if (testing::Test::HasFatalFailure())
      return;
    ASSERT_LT(++bound, int64_t{requests} * 2000) << "it never ends";
  }
  ASSERT_FALSE(scheduler.hasWork());
  ASSERT_EQ(space.freeBlocks(), limits.blockCount);
}

} // namespace

TEST(SchedulerSimulation, PromisesHoldForRandomRequests) {
  constexpr int machines = 500, requestsEach = 1000;
  std::mt19937 random(2024);
  auto pick = [&](int least, int most) {
    return least + int(random() % unsigned(most - least + 1));
  };
  int64_t steps = 0, preemptions = 0, refused = 0, forks = 0;
  for (int machine = 0; machine < machines; ++machine) {
    SchedulerLimits limits;
    limits.tokenBudget = pick(1, 40);
    limits.maxSequences = pick(1, 8);
    limits.maxRows = pick(1, 12);
    limits.maxContext = pick(20, 80);
    limits.blockSize = pick(1, 8);
    limits.blockCount = pick(2, 40);
    limits.slidingWindow = pick(0, 3) ? 0 : pick(1, 20);
    limits.maxChunk = pick(0, 2) ? 0 : pick(1, 10);
    Simulation simulation(limits, random());
    simulation.run(requestsEach);
    ASSERT_FALSE(HasFatalFailure())
        << "machine " << machine << ": budget " << limits.tokenBudget
        << ", sequences " << limits.maxSequences << ", rows " << limits.maxRows
        << ", blocks " << limits.blockCount << " of " << limits.blockSize
        << ", window " << limits.slidingWindow;
    steps += simulation.steps;
    forks += simulation.forks;
    preemptions += simulation.preemptions;
    refused += simulation.refused;
  }
  // Otherwise this test tested nothing.
  EXPECT_GT(preemptions, machines * 20);
  EXPECT_GT(refused, machines);
  EXPECT_LT(refused, machines * requestsEach / 2);
  EXPECT_GT(forks, machines * 20);
  RecordProperty("steps", std::to_string(steps));
}

TEST(SchedulerSimulation, TheSameCallsGiveTheSamePlans) {
  SchedulerLimits limits;
  limits.tokenBudget = 9;
  limits.maxSequences = 5;
  limits.maxRows = 6;
  limits.maxContext = 80;
  limits.blockSize = 4;
  limits.blockCount = 19;
  Simulation first(limits, 7), second(limits, 7);
  first.run(500);
  second.run(500);
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_EQ(first.tokens, second.tokens);
  EXPECT_EQ(first.preemptions, second.preemptions);
}
