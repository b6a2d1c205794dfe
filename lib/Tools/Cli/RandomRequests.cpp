#include "RandomRequests.h"

#include "pagoda/Base/Random.h"

#include <algorithm>

namespace pagoda::cli {

StatusOr<std::vector<std::shared_ptr<ClockSink>>>
runRequests(rt::Engine &engine, int count, int promptTokens, int newTokens) {
  std::vector<std::shared_ptr<ClockSink>> sinks;
  int32_t vocabulary = engine.limits().vocabulary;
  // Away from the ends, where vocabularies keep control tokens.
  int32_t low = std::min(100, vocabulary / 4);
  for (int i = 0; i < count; ++i) {
    rt::Request request;
    for (int k = 0; k < promptTokens; ++k)
      request.prompt.push_back(static_cast<int32_t>(
          low + mix64(static_cast<uint64_t>(i * promptTokens + k)) %
                    static_cast<uint64_t>(vocabulary - 2 * low)));
    request.sampling.temperature = 0;
    request.maxTokens = newTokens;
    sinks.push_back(std::make_shared<ClockSink>());
    request.sink = sinks.back();
    PAGODA_ASSIGN_OR_RETURN([[maybe_unused]] rt::RequestId id,
                            engine.add(std::move(request)));
  }
  while (engine.step()) {
  }
  for (const auto &sink : sinks)
    PAGODA_RETURN_IF_ERROR(Status(sink->status));
  return sinks;
}

} // namespace pagoda::cli
