//===- ScratchFolder.h - A folder for one test ------------------*- C++ -*-===//
//
// Tests run beside each other, in several processes, so no two may share a
// path.
//
//   ScratchFolder scratch;
//   writeFile(scratch.path("model.gguf"), bytes);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_SCRATCHFOLDER_H
#define PAGODA_TEST_UNIT_SCRATCHFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace pagoda::test {

/// Goes away with its object.
class ScratchFolder {
public:
  ScratchFolder() : folder(testing::TempDir() + "pagoda-XXXXXX") {
    if (!::mkdtemp(folder.data()))
      std::abort();
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  const std::string &path() const { return folder; }
  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }

private:
  std::string folder;
};

} // namespace pagoda::test

#endif // PAGODA_TEST_UNIT_SCRATCHFOLDER_H
