//===- WatchedMemory.h - Which pages are read and written -------*- C++ -*-===//
//
// Memory whose pages start out of bounds. The first read and the first write of
// each page is a fault, which is noted and let through. For counting the bytes
// of caches that a step touches: shapes are chosen so that the keys of one head
// in one block are one page.
//
//   WatchedMemory pool(pages);
//   pool.watch();
//   kernel(pool.data());
//   pool.unwatch();
//   EXPECT_THAT(pool.read(), ElementsAre(3, 7));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_WATCHEDMEMORY_H
#define PAGODA_TEST_KERNELS_WATCHEDMEMORY_H

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace pagoda::test {

class WatchedMemory {
public:
  static constexpr size_t kPage = 4096;

  explicit WatchedMemory(size_t pages);
  ~WatchedMemory();
  WatchedMemory(const WatchedMemory &) = delete;
  WatchedMemory &operator=(const WatchedMemory &) = delete;

  std::byte *data() const { return memory; }
  size_t size() const { return pages * kPage; }

  /// From here on accesses are noted; what was noted is forgotten.
  void watch();
  /// Until here. All pages can be read and written again.
  void unwatch();

  /// Pages that were read, or written. A page that is written first counts as
  /// read only if the machine says so.
  std::set<size_t> read() const { return touched(1); }
  std::set<size_t> written() const { return touched(2); }

private:
  friend struct FaultHandler;
  std::set<size_t> touched(uint8_t how) const;

  std::byte *memory;
  size_t pages;
  std::vector<uint8_t> accesses; // 1: read, 2: written
};

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_WATCHEDMEMORY_H
