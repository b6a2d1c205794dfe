#include "NumpyFile.h"

#include <cstdio>

namespace pagoda::cli {

StatusOr<NumpyFile> NumpyFile::create(const std::string &path, int64_t rows,
                                      int64_t columns) {
  NumpyFile numpy;
  numpy.path = path;
  numpy.aside = path + ".part";
  numpy.file.open(numpy.aside, std::ios::binary);
  // Magic, version, length of the text, and a text that ends with a line feed
  // and fills up to a multiple of 64.
  std::string text = concat("{'descr': '<f4', 'fortran_order': False, "
                            "'shape': (",
                            rows, ", ", columns, "), }");
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  numpy.file << header << text;
  if (!numpy.file)
    return ioError("cannot write '", numpy.aside, "'");
  return numpy;
}

Status NumpyFile::append(std::span<const float> row) {
  file.write(reinterpret_cast<const char *>(row.data()),
             static_cast<std::streamsize>(row.size_bytes()));
  if (!file)
    return ioError("cannot write '", aside, "'");
  return {};
}

Status NumpyFile::finish() {
  file.close();
  if (!file || std::rename(aside.c_str(), path.c_str()) != 0)
    return ioError("cannot write '", path, "'");
  return {};
}

} // namespace pagoda::cli
