#include "pagoda/Runtime/Device/ThreadTeam.h"

namespace pagoda::rt {

namespace {

/// About 20 µs: longer than any gap within a step on an idle machine, shorter
/// than a scheduler's time slice on a busy one.
constexpr int kSpins = 500;

void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace

ThreadTeam::ThreadTeam(unsigned threadCount)
    : count(threadCount < 1 ? 1 : threadCount) {
  for (unsigned thread = 1; thread < count; ++thread)
    threads.emplace_back([this, thread] { work(thread); });
}

ThreadTeam::~ThreadTeam() {
  ending = true;
  job.fetch_add(1, std::memory_order_release);
  job.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void ThreadTeam::waitFor(const std::atomic<uint32_t> &phase, uint32_t seen) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (phase.load(std::memory_order_acquire) != seen)
      return;
    pauseBriefly();
  }
  while (phase.load(std::memory_order_acquire) == seen)
    phase.wait(seen, std::memory_order_acquire);
}

void ThreadTeam::work(unsigned thread) {
  for (uint32_t seen = 0;; ++seen) {
    waitFor(job, seen);
    if (ending)
      return;
    (*body)(thread);
    barrier();
  }
}

void ThreadTeam::run(const std::function<void(unsigned)> &function) {
  body = &function;
  job.fetch_add(1, std::memory_order_release);
  job.notify_all();
  function(0);
  barrier();
}

void ThreadTeam::barrier() {
  if (count == 1)
    return;
  uint32_t seen = phase.load(std::memory_order_relaxed);
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
    arrived.store(0, std::memory_order_relaxed);
    phase.store(seen + 1, std::memory_order_release);
    phase.notify_all();
  } else {
    waitFor(phase, seen);
  }
}

} // namespace pagoda::rt
