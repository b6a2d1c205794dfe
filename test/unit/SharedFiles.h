//===- SharedFiles.h - Test data outside the repository ---------*- C++ -*-===//
//
// Models and goldens that are too large for the repository lie in a folder
// beside it, or where PAGODA_SHARED points. Tests that want them skip without:
//
//   std::string path = sharedFile("models/llama/model.safetensors");
//   if (path.empty())
//     GTEST_SKIP() << "needs the shared files: set PAGODA_SHARED";
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_SHAREDFILES_H
#define PAGODA_TEST_UNIT_SHAREDFILES_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pagoda {

/// The path of a shared file or folder; empty if it is not on this machine.
inline std::string sharedFile(const std::string &relative) {
  const char *chosen = std::getenv("PAGODA_SHARED");
  std::filesystem::path root = chosen ? chosen : PAGODA_SOURCE_DIR "/../shared";
  std::filesystem::path path = root / relative;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path.string() : "";
}

} // namespace pagoda

#endif // PAGODA_TEST_UNIT_SHAREDFILES_H
