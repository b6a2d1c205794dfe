//===- SharedFiles.h - Test data outside the repository ---------*- C++ -*-===//
//
// Tests of all rooms that need reference data find it at ../shared from the
// source root, or at $PAGODA_SHARED, and are skipped where it is absent.
//
//   PAGODA_REQUIRE_SHARED(path, "tokenizers/smollm2/golden.jsonl");
//   std::ifstream golden(path);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_SHAREDFILES_H
#define PAGODA_TEST_UNIT_SHAREDFILES_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace pagoda::test {

inline std::filesystem::path sharedFolder() {
  if (const char *folder = std::getenv("PAGODA_SHARED"))
    return folder;
  return std::filesystem::path(PAGODA_SOURCE_DIR) / "../shared";
}

} // namespace pagoda::test

/// Declares `path`, a file or folder of the shared data, or skips the test.
#define PAGODA_REQUIRE_SHARED(path, name)                                      \
  const std::string path = (pagoda::test::sharedFolder() / (name)).string();   \
  if (!std::filesystem::exists(path))                                          \
  GTEST_SKIP() << "needs shared/" << (name) << " at ../shared or $PAGODA_SHARED"

#endif // PAGODA_TEST_UNIT_SHAREDFILES_H
