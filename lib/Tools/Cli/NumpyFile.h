//===- NumpyFile.h - Writing .npy files -------------------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_NUMPYFILE_H
#define PAGODA_LIB_TOOLS_CLI_NUMPYFILE_H

#include "pagoda/Base/Status.h"

#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace pagoda::cli {

/// A float32 matrix in NumPy's format, version 1.0, written row by row. It
/// gets its name when it is whole.
class NumpyFile {
public:
  static StatusOr<NumpyFile> create(const std::string &path, int64_t rows,
                                    int64_t columns);
  Status append(std::span<const float> row);
  Status finish();

private:
  std::string path, aside;
  std::ofstream file;
};

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_NUMPYFILE_H
