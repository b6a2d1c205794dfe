#include "pagoda/Runtime/Generation/Generate.h"

#include "TextStream.h"

#include <utility>

namespace pagoda::rt {

StatusOr<GenerationResult> generate(Engine &engine, const ModelText &text,
                                    GenerationRequest request,
                                    const TextCallback &onText) {
  // Shared with the sink: should this return early, the engine still has it.
  auto collector = std::make_shared<ResultCollector>(request.choices);
  PAGODA_ASSIGN_OR_RETURN(
      Request engineRequest,
      makeEngineRequest(text, std::move(request),
                        [collector, onText](const TextEvent &event) {
                          collector->add(event);
                          return !onText || onText(event);
                        }));
  PAGODA_RETURN_IF_ERROR(engine.add(std::move(engineRequest)).status());
  while (!collector->complete())
    if (!engine.step() && !collector->complete())
      return internalError("the engine has nothing left to do, but the request "
                           "has not ended");
  return std::move(*collector).take();
}

} // namespace pagoda::rt
