// Every tile of every phase once, no phase before the one before it is done,
// for any number of threads and tiles; and a thread that does not come is not
// waited for.

#include "pagoda/Runtime/Device/ThreadTeam.h"

#include <gtest/gtest.h>

using namespace pagoda::rt;

namespace {

class ThreadTeams : public testing::TestWithParam<unsigned> {};

TEST_P(ThreadTeams, ComputeEveryTileOnceAndPhasesInOrder) {
  ThreadTeam team(GetParam());
  ASSERT_EQ(team.size(), GetParam());
  const std::vector<long long> tiles = {0, 1, 2, 3, 64, 0, 0, 5, 1000, 1, 0};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::atomic<int>>> computed;
    for (long long count : tiles)
      computed.emplace_back(count);
    std::atomic<long long> open{0}; // tiles of earlier phases not computed
    std::vector<std::atomic<long long>> finished(tiles.size());
    team.run(tiles, [&](unsigned thread, size_t phase, long long first,
                        long long last) {
      EXPECT_LT(thread, team.size());
      EXPECT_LT(first, last);
      for (size_t before = 0; before < phase; ++before)
        if (finished[before].load(std::memory_order_relaxed) != tiles[before])
          ++open;
      for (long long tile = first; tile < last; ++tile)
        computed[phase][tile].fetch_add(1, std::memory_order_relaxed);
      finished[phase].fetch_add(last - first, std::memory_order_relaxed);
    });
    EXPECT_EQ(open, 0);
    for (auto &phase : computed)
      for (auto &count : phase)
        ASSERT_EQ(count, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadTeams, testing::Values(1, 2, 3, 8));

TEST(ThreadTeam, TakesMoreTilesThanFitAWord) {
  ThreadTeam team(3);
  const long long many = (1ll << 40) + 3;
  std::atomic<long long> sum{0};
  team.run(std::vector<long long>{many, 1},
           [&](unsigned, size_t phase, long long first, long long last) {
             if (phase == 0)
               sum += last - first;
           });
  EXPECT_EQ(sum, many);
}

TEST(ThreadTeam, RunsNothing) {
  ThreadTeam team(2);
  team.run({}, [](unsigned, size_t, long long, long long) { FAIL(); });
  team.run(std::vector<long long>{0, 0},
           [](unsigned, size_t, long long, long long) { FAIL(); });
}

TEST(ThreadTeam, GoesOnWithoutAThreadThatHoldsNothing) {
  // The second thread is kept within the first phase until the caller's thread
  // has computed all the rest of it.
  ThreadTeam team(2);
  constexpr long long kTiles = 64;
  std::atomic<long long> done{0}, held{0};
  std::atomic<bool> here{false};
  team.run(std::vector<long long>{kTiles},
           [&](unsigned thread, size_t, long long first, long long last) {
             if (thread == 1) {
               here = true;
               held = last - first;
               while (done + held < kTiles)
                 std::this_thread::yield();
             } else {
               while (!here)
                 std::this_thread::yield();
             }
             done += last - first;
           });
  EXPECT_EQ(done, kTiles);
  // It took one piece, half of its half.
  EXPECT_EQ(held, kTiles / 4);
}

} // namespace
