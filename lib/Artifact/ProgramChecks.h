//===- ProgramChecks.h - Is a program consistent? ---------------*- C++ -*-===//

#ifndef PAGODA_LIB_ARTIFACT_PROGRAMCHECKS_H
#define PAGODA_LIB_ARTIFACT_PROGRAMCHECKS_H

#include "pagoda/Artifact/Artifact.h"

namespace pagoda {

/// Every index within what it counts in, every region within its part of the
/// file, every count within reason. `program` has passed FlatBuffers' own
/// verifier.
Status checkProgram(const artifact::Program &program,
                    const ArtifactHeader &header);

} // namespace pagoda

#endif // PAGODA_LIB_ARTIFACT_PROGRAMCHECKS_H
