#include "pagoda/Runtime/Device/ThreadTeam.h"

#include <algorithm>

namespace pagoda::rt {

namespace {

/// About 40 µs: longer than most launches, shorter than a scheduler's time
/// slice. Being woken takes longer than a launch.
constexpr int kSpins = 1000;

constexpr long long kMostUnits = (1 << 24) - 1;

void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace

ThreadTeam::ThreadTeam(unsigned count) : parts(std::max(count, 1u)) {
  static_assert(std::atomic<Part>::is_always_lock_free);
  for (unsigned thread = 1; thread < size(); ++thread)
    threads.emplace_back([this, thread] { work(thread); });
}

ThreadTeam::~ThreadTeam() {
  ending = true;
  turn.fetch_add(1, std::memory_order_release);
  turn.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void ThreadTeam::run(std::span<const long long> phaseTiles,
                     const Body &phaseBody) {
  tiles = phaseTiles;
  body = &phaseBody;
  begin(0);
  uint32_t now = turn.load(std::memory_order_acquire);
  while (now != endTurn.load(std::memory_order_relaxed)) {
    takePieces(0);
    now = waitForTurnAfter(now);
  }
}

void ThreadTeam::work(unsigned thread) {
  for (uint32_t now = 0; !ending.load(std::memory_order_relaxed);) {
    takePieces(thread);
    now = waitForTurnAfter(now);
  }
}

void ThreadTeam::begin(size_t next) {
  uint32_t following = turn.load(std::memory_order_relaxed) + 1;
  while (next < tiles.size() && tiles[next] == 0)
    ++next;
  if (next == tiles.size()) {
    endTurn.store(following, std::memory_order_relaxed);
  } else {
    phase = next;
    grain = (tiles[next] + kMostUnits - 1) / kMostUnits;
    auto units = static_cast<uint64_t>((tiles[next] + grain - 1) / grain);
    left.store(units, std::memory_order_relaxed);
    // From here on pieces are taken, and computed once the turn has moved.
    for (uint64_t i = 0; i < size(); ++i)
      parts[i].part.store(
          {following & 0xffff, units * i / size(), units * (i + 1) / size()},
          std::memory_order_release);
  }
  turn.store(following, std::memory_order_release);
  turn.notify_all();
}

void ThreadTeam::takePieces(unsigned thread) {
  uint64_t done = 0;
  for (unsigned i = 0; i < size(); ++i) {
    SharedPart &from = parts[(thread + i) % size()];
    while (uint64_t units = takePiece(thread, from, i == 0))
      done += units;
  }
  // What was computed is seen by whoever begins the next phase, and by all who
  // see that.
  if (done && left.fetch_sub(done, std::memory_order_acq_rel) == done)
    begin(phase + 1);
}

uint64_t ThreadTeam::takePiece(unsigned thread, SharedPart &from, bool own) {
  Part seen = from.part.load(std::memory_order_acquire);
  while (seen.front < seen.back) {
    uint64_t units = (uint64_t(seen.back) - seen.front + 1) / 2;
    Part kept = seen;
    if (own)
      kept.front += units;
    else
      kept.back -= units;
    if (!from.part.compare_exchange_weak(seen, kept, std::memory_order_acq_rel,
                                         std::memory_order_acquire))
      continue;
    while ((turn.load(std::memory_order_acquire) & 0xffff) != seen.turn)
      pauseBriefly();
    auto first = static_cast<long long>(own ? seen.front : kept.back) * grain;
    (*body)(
        thread, phase, first,
        std::min(first + static_cast<long long>(units) * grain, tiles[phase]));
    return units;
  }
  return 0;
}

uint32_t ThreadTeam::waitForTurnAfter(uint32_t seen) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (uint32_t now = turn.load(std::memory_order_acquire); now != seen)
      return now;
    pauseBriefly();
  }
  turn.wait(seen, std::memory_order_acquire);
  return turn.load(std::memory_order_acquire);
}

} // namespace pagoda::rt
