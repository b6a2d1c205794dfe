//===- StagedFile.h - Files that appear whole -------------------*- C++ -*-===//
//
// A file that is written without a name where the file system allows that, and
// under a name of its own elsewhere, and gets its real name at the end. So a
// reader never sees half a file, a failure leaves nothing behind, and neither
// does a process that is killed (but for the fallback, "NAME.PID.N.part").
//
//   PAGODA_ASSIGN_OR_RETURN(StagedFile file, StagedFile::create("m.pgd"));
//   PAGODA_RETURN_IF_ERROR(file.writeAt(0, bytes));
//   PAGODA_RETURN_IF_ERROR(file.publish());
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_STAGEDFILE_H
#define PAGODA_BASE_STAGEDFILE_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pagoda {

class StagedFile {
public:
  /// Errors: IoError where the folder cannot be written.
  static StatusOr<StagedFile> create(const std::string &path);

  StagedFile(StagedFile &&other) noexcept;
  StagedFile &operator=(StagedFile &&other) noexcept;
  StagedFile(const StagedFile &) = delete;
  StagedFile &operator=(const StagedFile &) = delete;
  /// What was not published is gone.
  ~StagedFile();

  /// Errors: IoError.
  Status writeAt(uint64_t offset, std::span<const std::byte> bytes);
  /// Gives the file its name, in place of any that had it. Nothing is written
  /// afterwards. Errors: IoError.
  Status publish();

private:
  StagedFile() = default;
  Status fail(const char *what) const;
  Status publishUnnamed();

  std::string path;
  /// The name until then; empty: none.
  std::string aside;
  int descriptor = -1;
};

} // namespace pagoda

#endif // PAGODA_BASE_STAGEDFILE_H
