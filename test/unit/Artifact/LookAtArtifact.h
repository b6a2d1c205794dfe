//===- LookAtArtifact.h - All that inspect does with a file -----*- C++ -*-===//
//
// Opens an artifact and describes every side of it, so that a file which was
// wrongly accepted shows under a sanitizer. For the tests of damage and the
// fuzzers. Nothing is run.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_ARTIFACT_LOOKATARTIFACT_H
#define PAGODA_TEST_UNIT_ARTIFACT_LOOKATARTIFACT_H

#include "InspectPage.h"
#include "InspectText.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <cstdlib>

namespace pagoda::test {

inline void mustHold(bool condition) {
  if (!condition)
    std::abort();
}

/// Returns whether the file opened.
inline bool lookAt(const std::string &path) {
  auto artifact = Artifact::open(path);
  if (!artifact.ok()) {
    mustHold(!artifact.status().message().empty());
    return false;
  }
  MemoryQuestion question;
  question.sequences = 4;
  (void)artifact->verifyWeights();
  (void)rt::Tokenizer::fromBytes(artifact->tokenizer(), nullptr);
  (void)summaryText(describeSummary(*artifact));
  (void)sizesText(describeSizes(*artifact));
  (void)weightsText(describeWeights(*artifact));
  (void)programText(describeProgram(*artifact));
  auto kernels = describeKernels(*artifact, "");
  mustHold(kernels.ok());
  (void)kernelsText(*kernels, true);
  if (auto memory = describeMemory(*artifact, question); memory.ok())
    (void)memoryText(*memory);
  mustHold(inspectPage(*artifact, question).ok());
  return true;
}

} // namespace pagoda::test

#endif // PAGODA_TEST_UNIT_ARTIFACT_LOOKATARTIFACT_H
