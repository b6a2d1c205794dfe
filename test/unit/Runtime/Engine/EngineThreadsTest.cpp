// Many threads at the engine's door while one runs it. Meant for the thread
// sanitizer as much as for the assertions.

#include "pagoda/Runtime/Engine/Engine.h"

#include "HashRunner.h"
#include "RecordingSink.h"
#include "pagoda/Runtime/Cache/BlockPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

/// Records, and lets another thread wait for the end.
class WaitingSink : public RecordingSink {
public:
  void onFinish(const FinishEvent &event) override {
    RecordingSink::onFinish(event);
    std::lock_guard lock(mutex);
    finished = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return finished; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
};

} // namespace

TEST(EngineThreads, AddAndCancelFromEverywhere) {
  HashRunner runner(hashRunnerLimits());
  std::unique_ptr<Engine> engine = *Engine::create(runner);
  std::thread owner([&] { engine->run(); });

  std::atomic<int> completed{0}, cancelled{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 6; ++client)
    clients.emplace_back([&, client] {
      for (int i = 0; i < 40; ++i) {
        TrackedRequest request({client, i % 61, 5}, 1 + i % 17, 1.0);
        auto sink = std::make_shared<WaitingSink>();
        request.sink = sink;
        StatusOr<RequestId> id = engine->add(request.copy());
        ASSERT_TRUE(id.ok());
        if (i % 3 == 0)
          engine->cancel(*id);
        engine->stats();
        sink->wait();
        const RecordingSink::Choice &result = request.result();
        std::vector<int32_t> expected =
            soloTokens(request.request, 0, runner.limits());
        if (result.reason == FinishReason::Cancelled) {
          ++cancelled;
          expected.resize(result.tokens.size());
        } else {
          ++completed;
        }
        ASSERT_EQ(result.tokens, expected);
      }
    });
  for (std::thread &client : clients)
    client.join();
  EXPECT_EQ(completed + cancelled, 240);
  EXPECT_GE(completed, 240 - 6 * 14);
  engine->stop();
  owner.join();
  EXPECT_EQ(engine->blocks().freeCount(), engine->blocks().blockCount());
}

TEST(EngineThreads, StopWakesASleepingEngineAndEndsABusyOne) {
  for (bool busy : {false, true}) {
    HashRunner runner(hashRunnerLimits());
    std::unique_ptr<Engine> engine = *Engine::create(runner);
    std::thread owner([&] { engine->run(); });
    TrackedRequest request({1, 2}, 190);
    auto sink = std::make_shared<WaitingSink>();
    request.sink = sink;
    if (busy) {
      ASSERT_TRUE(engine->add(request.copy()).ok());
    }
    engine->stop();
    owner.join();
    if (busy)
      sink->wait();
    EXPECT_EQ(engine->add(request.copy()).status().code(),
              StatusCode::Unavailable);
  }
}
