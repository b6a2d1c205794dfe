//===- ThreadTeam.h - Threads that work through phases ----------*- C++ -*-===//
//
// A fixed number of threads, the caller's own among them, that go through a
// list of phases together. A phase is a number of tiles; the next one begins
// when all of them are done. For the CPU device: the phases of a step are its
// launches.
//
//   ThreadTeam team(2);
//   team.run({64, 12}, [&](unsigned thread, size_t phase, long long first,
//                          long long last) { … });
//
// Each thread has a part of each phase to itself, and takes it front to back in
// pieces that halve, so that it streams through memory of its own. A thread
// that is done takes pieces from the back of others' parts. So a phase waits
// for tiles and not for threads: one that is slower, or kept off its core by
// another process, is waited for only while it holds a piece.
//
// Waiting spins briefly and then sleeps.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_THREADTEAM_H
#define PAGODA_RUNTIME_DEVICE_THREADTEAM_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

namespace pagoda::rt {

class ThreadTeam {
public:
  /// Computes tiles [first, last) of a phase. Must not throw.
  using Body = std::function<void(unsigned thread, size_t phase,
                                  long long first, long long last)>;

  /// At least one thread; all but the first are started here.
  explicit ThreadTeam(unsigned threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam &) = delete;
  ThreadTeam &operator=(const ThreadTeam &) = delete;

  unsigned size() const { return static_cast<unsigned>(parts.size()); }

  /// Has every tile of every phase computed once, by any thread; returns when
  /// all are. tiles[p] >= 0 is the number of tiles of phase p. One caller at a
  /// time.
  void run(std::span<const long long> tiles, const Body &body);

private:
  /// What is left of a thread's part of a phase, in units of `grain` tiles:
  /// [front, back), and the low bits of the turn that it belongs to. One word,
  /// so that whoever takes a piece takes it of the turn that he saw.
  struct Part {
    uint64_t turn : 16, front : 24, back : 24;
  };
  /// On a line of its own: its owner writes to it all the time.
  struct alignas(64) SharedPart {
    std::atomic<Part> part{Part{0, 0, 0}};
  };

  void work(unsigned thread);
  /// Computes pieces until there is none left to take.
  void takePieces(unsigned thread);
  /// Takes a piece of one part, from the front or from the back, and has it
  /// computed. Returns its units; 0: there was none.
  uint64_t takePiece(unsigned thread, SharedPart &from, bool own);
  /// Begins the first phase from `next` on that has tiles, or ends the run.
  void begin(size_t next);
  /// Waits until the turn is no longer `seen`, and returns it.
  uint32_t waitForTurnAfter(uint32_t seen);

  std::vector<std::thread> threads;
  std::vector<SharedPart> parts;
  std::span<const long long> tiles;
  const Body *body = nullptr;
  /// Of the turn that is on: which phase, and tiles a unit. Written before the
  /// turn moves, read by threads that hold a piece of it.
  size_t phase = 0;
  long long grain = 1;
  /// The latest turn that has nothing to do, because a run has ended.
  std::atomic<uint32_t> endTurn{0};
  std::atomic<bool> ending{false};
  /// Counts phases and ends of runs over the life of the team.
  alignas(64) std::atomic<uint32_t> turn{0};
  /// Units of the turn that are not computed yet.
  alignas(64) std::atomic<uint64_t> left{0};
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_THREADTEAM_H
