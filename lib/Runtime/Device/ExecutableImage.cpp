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

/// Anonymous memory that `fill` writes and that can be executed afterwards;
/// null, with errno set, where that is refused.
template <typename Fill>
std::byte *makeCode(size_t bytes, Fill fill) {
  void *code = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED)
    return nullptr;
  auto *start = static_cast<std::byte *>(code);
  if (fill(start) && ::mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0)
    return start;
  int error = errno;
  ::munmap(code, bytes);
  errno = error;
  return nullptr;
}

} // namespace

StatusOr<ExecutableImage>
ExecutableImage::map(const std::string &path, uint64_t offset, uint64_t bytes) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return ioError("cannot open '", path, "': ", std::strerror(errno));
  void *mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE,
                        file, static_cast<off_t>(offset));
  std::byte *code = mapped != MAP_FAILED
                        ? static_cast<std::byte *>(mapped)
                        : makeCode(bytes, [&](std::byte *start) {
                            return readAll(file, offset, start, bytes);
                          });
  int error = errno;
  ::close(file);
  if (!code)
    return unavailable("this system does not let '", path,
                       "' be executed: ", std::strerror(error));
  return ExecutableImage(code, bytes);
}

StatusOr<ExecutableImage>
ExecutableImage::copy(std::span<const std::byte> image) {
  std::byte *code = makeCode(image.size(), [&](std::byte *start) {
    std::memcpy(start, image.data(), image.size());
    return true;
  });
  if (!code)
    return unavailable("this system does not let kernels that were just "
                       "compiled be executed: ",
                       std::strerror(errno));
  return ExecutableImage(code, image.size());
}

ExecutableImage::ExecutableImage(ExecutableImage &&other) noexcept
    : code(std::exchange(other.code, nullptr)), bytes(other.bytes) {}

ExecutableImage::~ExecutableImage() {
  if (code)
    ::munmap(code, bytes);
}

} // namespace pagoda::rt
