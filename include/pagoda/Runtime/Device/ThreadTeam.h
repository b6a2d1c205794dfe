//===- ThreadTeam.h - Threads that work in step -----------------*- C++ -*-===//
//
// A fixed number of threads, the caller's own among them, that run one
// function together and meet at barriers inside it. For the CPU device: all
// threads walk the command list of a step. Waiting spins briefly and then
// sleeps, so that a short gap costs nanoseconds and a busy machine costs no
// more than what the others take.
//
//   ThreadTeam team(2);
//   team.run([&](unsigned thread) {
//     firstHalf(thread);
//     team.barrier();
//     secondHalf(thread);
//   });
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_THREADTEAM_H
#define PAGODA_RUNTIME_DEVICE_THREADTEAM_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace pagoda::rt {

class ThreadTeam {
public:
  /// At least one thread; all but the first are started here.
  explicit ThreadTeam(unsigned threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam &) = delete;
  ThreadTeam &operator=(const ThreadTeam &) = delete;

  unsigned size() const { return count; }

  /// Runs body(0) here and body(1 … size() - 1) on the others; returns when all
  /// have. One caller at a time.
  void run(const std::function<void(unsigned)> &body);

  /// Within a body: waits until all threads of the team have come here.
  void barrier();

private:
  void work(unsigned thread);
  /// Waits until `phase` is no longer `seen`.
  static void waitFor(const std::atomic<uint32_t> &phase, uint32_t seen);

  unsigned count;
  std::vector<std::thread> threads;
  const std::function<void(unsigned)> *body = nullptr;
  bool ending = false;
  // On lines of their own: threads hammer on them.
  alignas(64) std::atomic<uint32_t> job{0};
  alignas(64) std::atomic<uint32_t> arrived{0};
  alignas(64) std::atomic<uint32_t> phase{0};
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_THREADTEAM_H
