//===- Concat.h - Text from parts -------------------------------*- C++ -*-===//
//
// concat("layer ", 3, " of ", name) makes a string of anything that prints.
// For messages and names; not for hot paths.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_CONCAT_H
#define PAGODA_BASE_CONCAT_H

#include <sstream>
#include <string>

namespace pagoda {

template <typename... Parts>
std::string concat(const Parts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return std::move(stream).str();
}

/// "a, b, c" of a range of printable things.
template <typename Range>
std::string join(const Range &range, const char *separator = ", ") {
  std::ostringstream stream;
  const char *between = "";
  for (const auto &part : range) {
    stream << between << part;
    between = separator;
  }
  return std::move(stream).str();
}

} // namespace pagoda

#endif // PAGODA_BASE_CONCAT_H
