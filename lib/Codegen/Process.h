//===- Process.h - Running a tool -------------------------------*- C++ -*-===//

#ifndef PAGODA_LIB_CODEGEN_PROCESS_H
#define PAGODA_LIB_CODEGEN_PROCESS_H

#include "pagoda/Base/Status.h"

#include <string>
#include <vector>

namespace pagoda {

struct ProcessResult {
  int exitCode;
  /// Standard output and error together, at most 64 KiB.
  std::string output;
};

/// Runs a program (looked up in PATH) with arguments, without a shell, and
/// waits for it. Errors: Unavailable if it cannot be started.
StatusOr<ProcessResult> runProcess(const std::vector<std::string> &command);

} // namespace pagoda

#endif // PAGODA_LIB_CODEGEN_PROCESS_H
