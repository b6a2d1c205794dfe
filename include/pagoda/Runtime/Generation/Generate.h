//===- Generate.h - Text from an engine, here and now -----------*- C++ -*-===//
//
// Runs one request to its end on the calling thread, which owns the engine. For
// the command line, evaluation and tests; many requests at once are Session's.
//
//   PAGODA_ASSIGN_OR_RETURN(
//       GenerationResult result,
//       generate(*engine, text, std::move(request), [](const TextEvent &event)
//       {
//         std::cout << event.text << std::flush;
//         return true;
//       }));
//   std::cout << finishReasonName(result.choices[0].finish);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_GENERATION_GENERATE_H
#define PAGODA_RUNTIME_GENERATION_GENERATE_H

#include "pagoda/Runtime/Engine/Engine.h"
#include "pagoda/Runtime/Generation/GenerationRequest.h"
#include "pagoda/Runtime/Generation/ModelText.h"

namespace pagoda::rt {

/// An error if the request is refused or one of its choices fails; a cancelled
/// one returns what it has.
StatusOr<GenerationResult> generate(Engine &engine, const ModelText &text,
                                    GenerationRequest request,
                                    const TextCallback &onText = {});

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_GENERATION_GENERATE_H
