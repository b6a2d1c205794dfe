#include "pagoda/Base/Parallel.h"

#include <atomic>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace pagoda {

unsigned availableCores() {
  // hardware_concurrency() ignores affinity; containers and taskset set it.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

Status parallelFor(size_t count, const std::function<Status(size_t)> &body) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t failedIndex = count;
  Status failure;
  auto work = [&] {
    for (size_t index; (index = next.fetch_add(1)) < count;) {
      Status status = body(index);
      if (status.ok())
        continue;
      std::lock_guard<std::mutex> guard(mutex);
      if (index < failedIndex) {
        failedIndex = index;
        failure = std::move(status);
      }
      next.store(count); // start nothing more
    }
  };
  size_t helpers = std::min<size_t>(availableCores(), count);
  std::vector<std::thread> threads;
  for (size_t i = 1; i < helpers; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return failure;
}

} // namespace pagoda
