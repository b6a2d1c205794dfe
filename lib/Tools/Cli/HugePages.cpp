#include "HugePages.h"

#include "pagoda/Base/MappedFile.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace pagoda::cli {

namespace {

constexpr size_t kPieceBytes = 2 << 20;
constexpr size_t kPieces = 4;
constexpr size_t kPageBytes = 4096;

Status writePieces(int file, const std::string &path) {
  std::vector<std::byte> piece(kPieceBytes, std::byte(1));
  for (size_t i = 0; i < kPieces; ++i)
    if (::write(file, piece.data(), piece.size()) !=
        static_cast<ssize_t>(piece.size()))
      return ioError("cannot write '", path, "': ", std::strerror(errno));
  return {};
}

/// FilePmdMapped of all mappings within [start, end).
uint64_t hugeBytesWithin(uintptr_t start, uintptr_t end) {
  std::ifstream maps("/proc/self/smaps");
  uint64_t total = 0;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t from, to;
    uint64_t kilobytes;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) ==
        2)
      inside = from >= start && to <= end;
    else if (inside && std::sscanf(line.c_str(), "FilePmdMapped: %" SCNu64,
                                   &kilobytes) == 1)
      total += kilobytes * 1024;
  }
  return total;
}

} // namespace

std::string hugePageMode() {
  // "always [madvise] never"
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  size_t begin = line.find('['), end = line.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return {};
  return line.substr(begin + 1, end - begin - 1);
}

StatusOr<HugeMapping> measureHugeMapping(const std::string &folder) {
  std::string path = folder + "/doctor-XXXXXX";
  int file = ::mkstemp(path.data());
  if (file < 0)
    return ioError("cannot create a file in '", folder,
                   "': ", std::strerror(errno));
  Status written = writePieces(file, path);
  ::close(file);
  StatusOr<MappedFile> mapped =
      written.ok() ? MappedFile::open(path) : StatusOr<MappedFile>(written);
  ::unlink(path.c_str());
  if (!mapped.ok())
    return std::move(mapped).status();
  auto bytes = mapped->bytes();
  std::byte sum{};
  for (size_t at = 0; at < bytes.size(); at += kPageBytes)
    sum ^= *static_cast<const volatile std::byte *>(&bytes[at]);
  auto start = reinterpret_cast<uintptr_t>(bytes.data());
  return HugeMapping{bytes.size(),
                     hugeBytesWithin(start, start + bytes.size())};
}

} // namespace pagoda::cli
