//===- Filters.h - The tables of filters ------------------------*- C++ -*-===//
//
// findFilter() looks in both.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_FILTERS_H
#define PAGODA_LIB_RUNTIME_CHAT_FILTERS_H

#include "Native.h"

namespace pagoda::rt::chat {

std::span<const NativeFunction> textFilters();
std::span<const NativeFunction> sequenceFilters();

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_FILTERS_H
