//===- ProgramExtent.h - Is a program as large as it says? ------*- C++ -*-===//

#ifndef PAGODA_LIB_ARTIFACT_PROGRAMEXTENT_H
#define PAGODA_LIB_ARTIFACT_PROGRAMEXTENT_H

#include "pagoda/Artifact/Artifact.h"

namespace pagoda {

/// FlatBuffers may refer to one table or text any number of times, so that a
/// small file could describe gigabytes. Our writer never does: whatever a walk
/// over all of the program reaches must fit in its bytes.
Status checkExtent(const artifact::Program &program, uint64_t programBytes);

} // namespace pagoda

#endif // PAGODA_LIB_ARTIFACT_PROGRAMEXTENT_H
