#include "pagoda/Base/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pagoda {

namespace {

/// Closes a descriptor at the end of a scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

Status openError(const std::string &path) {
  if (errno == ENOENT)
    return notFound("no such file: '", path, "'");
  return ioError("cannot open '", path, "': ", std::strerror(errno));
}

} // namespace

StatusOr<MappedFile> MappedFile::open(const std::string &path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    return openError(path);
  struct stat info{};
  if (::fstat(file.number, &info) != 0)
    return openError(path);
  if (!S_ISREG(info.st_mode))
    return ioError("'", path, "' is not a regular file");

  MappedFile mapped;
  mapped.name = path;
  mapped.length = static_cast<size_t>(info.st_size);
  if (mapped.length == 0)
    return mapped;
  void *address =
      ::mmap(nullptr, mapped.length, PROT_READ, MAP_SHARED, file.number, 0);
  if (address == MAP_FAILED)
    return ioError("cannot map '", path, "': ", std::strerror(errno));
  mapped.data = static_cast<const std::byte *>(address);
  return mapped;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : name(std::move(other.name)), data(std::exchange(other.data, nullptr)),
      length(std::exchange(other.length, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(name, other.name);
  std::swap(data, other.data);
  std::swap(length, other.length);
  return *this;
}

MappedFile::~MappedFile() {
  if (data)
    ::munmap(const_cast<std::byte *>(data), length);
}

StatusOr<std::string> readTextFile(const std::string &path, size_t limit) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    return openError(path);
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    ssize_t count = ::read(file.number, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return ioError("cannot read '", path, "': ", std::strerror(errno));
    if (count == 0)
      return text;
    if (text.size() + static_cast<size_t>(count) > limit)
      return resourceExhausted("'", path, "' is larger than ", limit, " bytes");
    text.append(buffer, static_cast<size_t>(count));
  }
}

} // namespace pagoda
