//===- Session.h - Many requests at once ------------------------*- C++ -*-===//
//
// An engine on a thread of its own, with text around it. For the server and the
// C API; everything here may be called from any thread.
//
//   Session session(std::move(engine), text);
//   PAGODA_ASSIGN_OR_RETURN(
//       RequestId id, session.start(std::move(request), [](const TextEvent &e)
//       {
//         return socket.send(e.text); // false: the client is gone
//       }));
//   session.cancel(id);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_GENERATION_SESSION_H
#define PAGODA_RUNTIME_GENERATION_SESSION_H

#include "pagoda/Runtime/Engine/Engine.h"
#include "pagoda/Runtime/Generation/GenerationRequest.h"
#include "pagoda/Runtime/Generation/ModelText.h"

#include <memory>
#include <thread>

namespace pagoda::rt {

class Session {
public:
  /// Starts the engine's thread.
  Session(std::unique_ptr<Engine> engine, ModelText text);
  /// Ends what is open, as cancelled, and waits for the thread.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Begins a request, or says at once why it can never run. `onText` is called
  /// on the engine's thread, possibly before this returns, and must not block;
  /// a last event comes for every choice, whatever happens.
  StatusOr<RequestId> start(GenerationRequest request, TextCallback onText);

  /// Ends a request; one that has ended is no error.
  void cancel(RequestId id) { engine->cancel(id); }

  /// Begins a request and waits for it, as Generate.h's does. Not from within a
  /// callback.
  StatusOr<GenerationResult> generate(GenerationRequest request,
                                      TextCallback onText = {});

  EngineStats stats() const { return engine->stats(); }
  const RunnerLimits &limits() const { return engine->limits(); }

private:
  std::unique_ptr<Engine> engine;
  ModelText text;
  std::thread owner;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_GENERATION_SESSION_H
