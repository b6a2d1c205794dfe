//===- QuotedName.h - Names from a file, in messages ------------*- C++ -*-===//
//
// Names come from files that nobody vouches for. In messages they are cut to
// a length that a person reads, and bytes that a terminal would act on are
// spelt out. For the readers of this room.
//
//   corruptData("tensor ", quotedName(name), " occurs twice")
//     -> "tensor 'blk.0\x1b[2J' occurs twice"
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_FILES_QUOTEDNAME_H
#define PAGODA_LIB_FILES_QUOTEDNAME_H

#include <string>
#include <string_view>

namespace pagoda {

/// `name` between single quotes; at most 80 bytes of it.
std::string quotedName(std::string_view name);

/// Whether `text` is well-formed UTF-8: no overlong form, no surrogate,
/// nothing above U+10FFFF.
bool isUtf8(std::string_view text);

} // namespace pagoda

#endif // PAGODA_LIB_FILES_QUOTEDNAME_H
