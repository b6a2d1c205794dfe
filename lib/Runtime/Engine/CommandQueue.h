//===- CommandQueue.h - The engine's one door -------------------*- C++ -*-===//
//
// How other threads reach the thread that owns the engine: requests and
// cancellations in order of arrival. Nothing else of the engine is shared.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_ENGINE_COMMANDQUEUE_H
#define PAGODA_LIB_RUNTIME_ENGINE_COMMANDQUEUE_H

#include "pagoda/Runtime/Engine/Request.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace pagoda::rt {

struct Command {
  RequestId id;
  /// Null: cancel `id`.
  std::unique_ptr<Request> request;
};

class CommandQueue {
public:
  /// False, with nothing queued, once the queue is closed.
  bool push(Command command);

  /// No more pushes; what is queued can still be taken.
  void close();

  /// Moves what is queued to the end of `commands`. Returns whether the queue
  /// is still open.
  bool take(std::vector<Command> &commands);

  bool hasCommands();

  /// Sleeps until something is queued: true; or the queue is closed and empty:
  /// false.
  bool wait();

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Command> queued;
  bool closed = false;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_ENGINE_COMMANDQUEUE_H
