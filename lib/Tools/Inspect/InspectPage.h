//===- InspectPage.h - An artifact as a page --------------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_INSPECT_INSPECTPAGE_H
#define PAGODA_LIB_TOOLS_INSPECT_INSPECTPAGE_H

#include "Describe.h"

namespace pagoda {

/// All descriptions of an artifact on one page of HTML, to look at and search.
/// Memory is planned around `question`.
StatusOr<std::string> inspectPage(const Artifact &artifact,
                                  const MemoryQuestion &question);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_INSPECT_INSPECTPAGE_H
