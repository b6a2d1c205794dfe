#include "Memory.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace pagoda::rt {

StatusOr<Memory> Memory::allocate(uint64_t bytes, Pages pages,
                                  const char *what) {
  Memory memory;
  if (bytes == 0)
    return memory;
  void *address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return resourceExhausted("cannot allocate ", bytes, " bytes for ", what,
                             ": ", std::strerror(errno));
  ::madvise(address, bytes,
            pages == Pages::Huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  memory.address = static_cast<std::byte *>(address);
  memory.bytes = bytes;
  return memory;
}

Memory::Memory(Memory &&other) noexcept
    : address(std::exchange(other.address, nullptr)),
      bytes(std::exchange(other.bytes, 0)) {}

Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(address, other.address);
  std::swap(bytes, other.bytes);
  return *this;
}

Memory::~Memory() {
  if (address)
    ::munmap(address, bytes);
}

} // namespace pagoda::rt
