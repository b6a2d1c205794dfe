#include "pagoda/Runtime/Generation/Session.h"

#include "TextStream.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace pagoda::rt {

Session::Session(std::unique_ptr<Engine> engine, ModelText text)
    : engine(std::move(engine)), text(std::move(text)),
      owner([this] { this->engine->run(); }) {}

Session::~Session() {
  engine->stop();
  owner.join();
}

StatusOr<RequestId> Session::start(GenerationRequest request,
                                   TextCallback onText) {
  PAGODA_ASSIGN_OR_RETURN(
      Request engineRequest,
      makeEngineRequest(text, std::move(request), std::move(onText)));
  return engine->add(std::move(engineRequest));
}

StatusOr<GenerationResult> Session::generate(GenerationRequest request,
                                             TextCallback onText) {
  struct Waiting {
    explicit Waiting(int32_t choices) : collector(choices) {}
    std::mutex mutex;
    std::condition_variable changed;
    ResultCollector collector;
  };
  auto waiting = std::make_shared<Waiting>(request.choices);
  auto callback = [waiting,
                   onText = std::move(onText)](const TextEvent &event) {
    bool goOn = !onText || onText(event);
    std::lock_guard lock(waiting->mutex);
    waiting->collector.add(event);
    if (waiting->collector.complete())
      waiting->changed.notify_all();
    return goOn;
  };
  PAGODA_RETURN_IF_ERROR(
      start(std::move(request), std::move(callback)).status());
  std::unique_lock lock(waiting->mutex);
  waiting->changed.wait(lock, [&] { return waiting->collector.complete(); });
  return std::move(waiting->collector).take();
}

} // namespace pagoda::rt
