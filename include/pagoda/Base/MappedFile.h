//===- MappedFile.h - Files as memory ---------------------------*- C++ -*-===//
//
// A regular file mapped read-only. For importers and the artifact reader:
// models are never copied whole. Movable; the mapping lives as long as the
// object. A file that another process cuts short while it is mapped raises
// SIGBUS on access, as with every mapping: publish files by renaming.
//
//   PAGODA_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open("m.gguf"));
//   std::span<const std::byte> bytes = file.bytes();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_MAPPEDFILE_H
#define PAGODA_BASE_MAPPEDFILE_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace pagoda {

class MappedFile {
public:
  /// Errors: NotFound, IoError (a directory, no permission, no mapping).
  static StatusOr<MappedFile> open(const std::string &path);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data, length}; }
  size_t size() const { return length; }
  const std::string &path() const { return name; }

private:
  MappedFile() = default;

  std::string name;
  const std::byte *data = nullptr;
  size_t length = 0;
};

/// The whole of a small text file (configuration, templates). Errors as above,
/// and ResourceExhausted above `limit` bytes.
StatusOr<std::string> readTextFile(const std::string &path,
                                   size_t limit = size_t(64) << 20);

} // namespace pagoda

#endif // PAGODA_BASE_MAPPEDFILE_H
