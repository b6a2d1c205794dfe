//===- BatchBuilder.h - From a plan to a step's arguments -------*- C++ -*-===//
//
// Writes out what a plan says in numbers of tokens as the arrays that a runner
// takes.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_ENGINE_BATCHBUILDER_H
#define PAGODA_LIB_RUNTIME_ENGINE_BATCHBUILDER_H

#include "pagoda/Runtime/Cache/BlockTable.h"
#include "pagoda/Runtime/Scheduler/Scheduler.h"
#include "pagoda/Runtime/Step/StepBatch.h"

#include <span>

namespace pagoda::rt {

/// One chunk of a plan, with what the scheduler does not know.
struct BatchPart {
  ScheduledChunk chunk;
  std::span<const int32_t> tokens; // [all known tokens of the sequence]
  const BlockTable *table;
};

/// Overwrites `batch`; its memory is reused.
void buildBatch(std::span<const BatchPart> parts,
                std::span<const BlockCopy> copies, StepBatch &batch);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_ENGINE_BATCHBUILDER_H
