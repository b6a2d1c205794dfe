//===- GuardedMemory.h - Memory that nobody reads beyond --------*- C++ -*-===//
//
// What a kernel gets as an argument in conformance tests. The last byte lies in
// front of a page that cannot be touched, so that reading or writing behind the
// end is a fault at once; what lies in front of the first byte is watched.
//
//   GuardedMemory memory(bytes, /*fill=*/0xff);
//   kernel(memory.data());
//   EXPECT_TRUE(memory.isIntact());
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_GUARDEDMEMORY_H
#define PAGODA_TEST_KERNELS_GUARDEDMEMORY_H

#include <cstddef>
#include <span>
#include <vector>

namespace pagoda::test {

class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes, unsigned char fill = 0xff);
  explicit GuardedMemory(std::span<const std::byte> content);
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory &operator=(GuardedMemory &&) = delete;
  ~GuardedMemory();

  std::byte *data() const { return first; }
  size_t size() const { return bytes; }
  std::vector<std::byte> content() const { return {first, first + bytes}; }

  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T *>(first), bytes / sizeof(T)};
  }

  /// Whether nothing was written in front of the first byte.
  bool isIntact() const;

private:
  std::byte *mapping; // a whole number of pages, the last one out of bounds
  size_t pages;       // bytes of the usable ones
  std::byte *first;
  size_t bytes;
};

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_GUARDEDMEMORY_H
