//===- InspectText.h - Descriptions as text ---------------------*- C++ -*-===//
//
// The descriptions of Describe.h as people read them on a terminal. Safe for
// any file: nothing in it reaches the terminal as a control character.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_INSPECT_INSPECTTEXT_H
#define PAGODA_LIB_TOOLS_INSPECT_INSPECTTEXT_H

#include "Describe.h"

#include <string>

namespace pagoda {

std::string summaryText(const Json &summary);
std::string weightsText(const Json &weights);
/// With sources and contracts, or only a table.
std::string kernelsText(const Json &kernels, bool sources);
std::string programText(const Json &program);
std::string sizesText(const Json &sizes);
std::string memoryText(const Json &memory);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_INSPECT_INSPECTTEXT_H
