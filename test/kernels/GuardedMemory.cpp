#include "GuardedMemory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace pagoda::test {

namespace {

constexpr std::byte kWatched{0xa5};

} // namespace

GuardedMemory::GuardedMemory(size_t bytes, unsigned char fill) : bytes(bytes) {
  size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  pages = (bytes / page + 1) * page; // something in front, always
  void *memory = ::mmap(nullptr, pages + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    std::abort();
  mapping = static_cast<std::byte *>(memory);
  if (::mprotect(mapping + pages, page, PROT_NONE) != 0)
    std::abort();
  first = mapping + pages - bytes;
  std::fill(mapping, first, kWatched);
  std::memset(first, fill, bytes);
}

GuardedMemory::GuardedMemory(std::span<const std::byte> content)
    : GuardedMemory(content.size()) {
  std::copy(content.begin(), content.end(), first);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)), pages(other.pages),
      first(other.first), bytes(other.bytes) {}

GuardedMemory::~GuardedMemory() {
  if (mapping)
    ::munmap(mapping, pages + static_cast<size_t>(::sysconf(_SC_PAGESIZE)));
}

bool GuardedMemory::isIntact() const {
  return std::all_of(mapping, first,
                     [](std::byte byte) { return byte == kWatched; });
}

} // namespace pagoda::test
