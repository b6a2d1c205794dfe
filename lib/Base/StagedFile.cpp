#include "pagoda/Base/StagedFile.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace pagoda {

namespace {

namespace fs = std::filesystem;

/// A name beside `path` that no other process or thread takes.
std::string nameBeside(const std::string &path) {
  static std::atomic<unsigned> number{0};
  return concat(path, ".", ::getpid(), ".", number++, ".part");
}

/// A file without a name in the folder of `path`; -1 where the file system has
/// none, or where it could not be named later.
int openUnnamed([[maybe_unused]] const std::string &path) {
#ifdef O_TMPFILE
  std::string folder = fs::path(path).parent_path().string();
  if (::access("/proc/self/fd", X_OK) == 0)
    return ::open(folder.empty() ? "." : folder.c_str(),
                  O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#endif
  return -1;
}

} // namespace

StatusOr<StagedFile> StagedFile::create(const std::string &path) {
  StagedFile file;
  file.path = path;
  // A link keeps pointing to what it points to; devices (/dev/stdout) are not
  // to be replaced by files.
  std::error_code error;
  if (fs::is_symlink(path, error) && fs::exists(path, error))
    file.path = fs::canonical(path, error).string();
  if (fs::exists(file.path, error) && !fs::is_regular_file(file.path, error))
    return ioError("'", path, "' is not a regular file");
  file.descriptor = openUnnamed(file.path);
  if (file.descriptor >= 0)
    return file;
  file.aside = nameBeside(file.path);
  file.descriptor =
      ::open(file.aside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.descriptor < 0) {
    Status status = file.fail("create");
    file.aside.clear();
    return status;
  }
  return file;
}

StagedFile::StagedFile(StagedFile &&other) noexcept
    : path(std::move(other.path)), aside(std::exchange(other.aside, {})),
      descriptor(std::exchange(other.descriptor, -1)) {}

StagedFile &StagedFile::operator=(StagedFile &&other) noexcept {
  std::swap(path, other.path);
  std::swap(aside, other.aside);
  std::swap(descriptor, other.descriptor);
  return *this;
}

StagedFile::~StagedFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!aside.empty())
    ::unlink(aside.c_str());
}

Status StagedFile::fail(const char *what) const {
  return ioError("cannot ", what, " '", path, "': ", std::strerror(errno));
}

Status StagedFile::writeAt(uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(),
                               static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fail("write");
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return {};
}

Status StagedFile::publishUnnamed() {
  std::string link = concat("/proc/self/fd/", descriptor);
  if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, path.c_str(),
               AT_SYMLINK_FOLLOW) == 0)
    return {};
  if (errno != EEXIST)
    return fail("name");
  // A link does not take another file's name, a rename does.
  aside = nameBeside(path);
  if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, aside.c_str(),
               AT_SYMLINK_FOLLOW) == 0)
    return {};
  aside.clear();
  return fail("name");
}

Status StagedFile::publish() {
  if (aside.empty())
    PAGODA_RETURN_IF_ERROR(publishUnnamed());
  if (::close(std::exchange(descriptor, -1)) != 0)
    return fail("close");
  if (aside.empty())
    return {};
  if (::rename(aside.c_str(), path.c_str()) != 0)
    return fail("rename to");
  aside.clear();
  return {};
}

} // namespace pagoda
