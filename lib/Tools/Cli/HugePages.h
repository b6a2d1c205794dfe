//===- HugePages.h - What the system makes of large files -------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_HUGEPAGES_H
#define PAGODA_LIB_TOOLS_CLI_HUGEPAGES_H

#include "pagoda/Base/Status.h"

#include <cstdint>
#include <string>

namespace pagoda::cli {

/// The chosen mode of transparent huge pages: "always", "madvise" or "never";
/// empty where the kernel has none.
std::string hugePageMode();

/// How much of a file is mapped in huge pages.
struct HugeMapping {
  uint64_t bytes = 0;
  uint64_t hugeBytes = 0;
};

/// Writes a file into `folder` the way artifacts are written, maps it the way
/// they are mapped, and reads from the kernel what came of it. The file is gone
/// afterwards. Errors: IoError.
StatusOr<HugeMapping> measureHugeMapping(const std::string &folder);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_HUGEPAGES_H
