#include "ExecutableImage.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace pagoda::rt {

namespace {

/// Reads the whole region; false with errno set.
bool readAll(int file, uint64_t offset, std::byte *out, size_t bytes) {
  while (bytes > 0) {
    ssize_t count = ::pread(file, out, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    out += count;
    offset += static_cast<uint64_t>(count);
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

} // namespace

StatusOr<ExecutableImage>
ExecutableImage::map(const std::string &path, uint64_t offset, uint64_t bytes) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return ioError("cannot open '", path, "': ", std::strerror(errno));
  void *code = ::mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
                      static_cast<off_t>(offset));
  if (code == MAP_FAILED) {
    code = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool usable =
        code != MAP_FAILED &&
        readAll(file, offset, static_cast<std::byte *>(code), bytes) &&
        ::mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0;
    if (!usable) {
      Status status = unavailable("this system does not let '", path,
                                  "' be executed: ", std::strerror(errno));
      if (code != MAP_FAILED)
        ::munmap(code, bytes);
      ::close(file);
      return status;
    }
  }
  ::close(file);
  return ExecutableImage(static_cast<std::byte *>(code), bytes);
}

ExecutableImage::ExecutableImage(ExecutableImage &&other) noexcept
    : code(std::exchange(other.code, nullptr)), bytes(other.bytes) {}

ExecutableImage::~ExecutableImage() {
  if (code)
    ::munmap(code, bytes);
}

} // namespace pagoda::rt
