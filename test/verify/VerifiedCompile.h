//===- VerifiedCompile.h - `pagoda compile --verify-passes` -----*- C++ -*-===//
//
// Compiles through the library that the command opens, as it does, and keeps
// what it says.
//
//   Outcome outcome = verifiedCompile({.model = path,
//                                      .insertAfter = "cse:plant-x"});
//   EXPECT_THAT(outcome.error, HasSubstr("plant-x"));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_VERIFY_VERIFIEDCOMPILE_H
#define PAGODA_TEST_VERIFY_VERIFIEDCOMPILE_H

#include <string>
#include <vector>

namespace pagoda::test {

struct VerifiedCompile {
  std::string model;
  std::string precision = "exact";
  std::string kvDtype = {};
  /// "PASS:PLANT"; the plants' plugin is loaded then.
  std::string insertAfter = {};
  /// Empty: nothing is kept.
  std::string output = {};
  /// Kernels for one target save half the time.
  bool allTargets = false;
};

struct Outcome {
  bool ok;
  std::string error;
  std::vector<std::string> log;

  /// The line about a pass; empty if there is none.
  std::string line(const std::string &pass) const;
};

Outcome verifiedCompile(const VerifiedCompile &compile);

/// A file of test/verify/Inputs.
std::string inputFile(const std::string &name);

} // namespace pagoda::test

#endif // PAGODA_TEST_VERIFY_VERIFIEDCOMPILE_H
