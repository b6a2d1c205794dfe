#include "CommandQueue.h"

#include <iterator>
#include <utility>

namespace pagoda::rt {

bool CommandQueue::push(Command command) {
  {
    std::lock_guard lock(mutex);
    if (closed)
      return false;
    queued.push_back(std::move(command));
  }
  changed.notify_one();
  return true;
}

void CommandQueue::close() {
  {
    std::lock_guard lock(mutex);
    closed = true;
  }
  changed.notify_all();
}

bool CommandQueue::take(std::vector<Command> &commands) {
  std::lock_guard lock(mutex);
  commands.insert(commands.end(), std::make_move_iterator(queued.begin()),
                  std::make_move_iterator(queued.end()));
  queued.clear();
  return !closed;
}

bool CommandQueue::hasCommands() {
  std::lock_guard lock(mutex);
  return !queued.empty();
}

bool CommandQueue::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return closed || !queued.empty(); });
  return !queued.empty();
}

} // namespace pagoda::rt
