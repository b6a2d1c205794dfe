//===- Memory.h - Large blocks from the system ------------------*- C++ -*-===//

#ifndef PAGODA_LIB_RUNTIME_DEVICE_MEMORY_H
#define PAGODA_LIB_RUNTIME_DEVICE_MEMORY_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>

namespace pagoda::rt {

/// How much of memory is taken when one byte of it is touched.
enum class Pages {
  Small,
  /// 2 MiB, where the system has such.
  Huge,
};

/// Zeroed memory whose pages are taken as they are touched. At least 64-byte
/// aligned.
class Memory {
public:
  /// ResourceExhausted where the address space does not suffice; `what` names
  /// its purpose in the message. No bytes give a null pointer.
  static StatusOr<Memory> allocate(uint64_t bytes, Pages pages,
                                   const char *what);

  Memory() = default;
  Memory(Memory &&other) noexcept;
  Memory &operator=(Memory &&other) noexcept;
  ~Memory();

  std::byte *data() const { return address; }
  uint64_t size() const { return bytes; }

private:
  std::byte *address = nullptr;
  uint64_t bytes = 0;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_DEVICE_MEMORY_H
