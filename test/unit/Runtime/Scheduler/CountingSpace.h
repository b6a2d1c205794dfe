//===- CountingSpace.h - A cache of which only the count matters -*- C++
//-*-===//
//
// The simplest TokenSpace: numbers of blocks, no blocks. For the scheduler's
// tests.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_RUNTIME_SCHEDULER_COUNTINGSPACE_H
#define PAGODA_TEST_UNIT_RUNTIME_SCHEDULER_COUNTINGSPACE_H

#include "pagoda/Runtime/Scheduler/Scheduler.h"

#include <algorithm>

namespace pagoda::rt {

class CountingSpace : public TokenSpace {
public:
  explicit CountingSpace(const SchedulerLimits &limits)
      : limits(limits), free(limits.blockCount) {}

  bool reserve(SequenceId id, int32_t first, int32_t count) override {
    // Blocks [begin, end) are seen from `first` on.
    int32_t begin = 0;
    if (limits.slidingWindow)
      begin = std::max(0, first - limits.slidingWindow + 1) / limits.blockSize;
    int32_t end = (first + count - 1) / limits.blockSize + 1;
    Holding &mine = held[id];
    if (mine.begin < begin) {
      free += std::min(begin, mine.end) - mine.begin;
      mine.begin = begin;
      mine.end = std::max(mine.end, begin);
    }
    int32_t needed = std::max(0, end - mine.end);
    if (needed > free)
      return false;
    free -= needed;
    mine.end += needed;
    return true;
  }

  void release(SequenceId id) override {
    auto place = held.find(id);
    if (place == held.end())
      return;
    free += place->second.end - place->second.begin;
    held.erase(place);
  }

  int32_t freeBlocks() const override { return free; }
  bool holds(SequenceId id) const { return held.count(id) != 0; }

private:
  struct Holding {
    int32_t begin = 0, end = 0;
  };
  SchedulerLimits limits;
  int32_t free;
  std::unordered_map<SequenceId, Holding> held;
};

} // namespace pagoda::rt

#endif // PAGODA_TEST_UNIT_RUNTIME_SCHEDULER_COUNTINGSPACE_H
