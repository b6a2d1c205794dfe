//===- RunProgram.h - The pagoda program in tests ---------------*- C++ -*-===//
//
//   ProgramResult result = runProgram("inspect x.pgd");
//   EXPECT_EQ(result.exitCode, 1);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_TOOLS_RUNPROGRAM_H
#define PAGODA_TEST_UNIT_TOOLS_RUNPROGRAM_H

#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace pagoda::test {

struct ProgramResult {
  int exitCode = -1;
  /// Standard output and error, as they came.
  std::string output;
};

/// Runs a line of the shell.
inline ProgramResult runShell(const std::string &line) {
  ProgramResult result;
  FILE *pipe = ::popen(("{ " + line + "\n} 2>&1").c_str(), "r");
  if (!pipe)
    return result;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    result.output.append(buffer, count);
  int status = ::pclose(pipe);
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

/// Runs pagoda with arguments as the shell reads them; `environment` such as
/// "HOME=/x" goes in front.
inline ProgramResult runProgram(const std::string &arguments,
                                const std::string &environment = "") {
  return runShell(environment + " " PAGODA_PROGRAM " " + arguments +
                  " </dev/null");
}

} // namespace pagoda::test

#endif // PAGODA_TEST_UNIT_TOOLS_RUNPROGRAM_H
