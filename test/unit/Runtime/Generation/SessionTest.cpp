#include "pagoda/Runtime/Generation/Session.h"

#include "ChainRunner.h"
#include "pagoda/Runtime/Generation/Generate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

using namespace pagoda;
using namespace pagoda::rt;

namespace {

struct Fixture {
  explicit Fixture(const NextByte &next, int32_t maxContext = 4096)
      : runner(next, maxContext), session(*Engine::create(runner), byteText()) {
  }

  /// Whether the engine comes to rest in reasonable time, with all its blocks.
  bool comesToRest() {
    for (int i = 0; i < 10000; ++i) {
      EngineStats stats = session.stats();
      if (stats.openRequests == 0)
        return stats.running == 0 && stats.waiting == 0 &&
               stats.freeBlocks == stats.blockCount;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  ChainRunner runner;
  Session session;
};

/// 'A' and 'B' in turn for ever.
void endless(int32_t id, std::span<float> logits) {
  logits[id == 'A' ? 'B' : 'A'] = 16.246f;
}

} // namespace

TEST(Session, MixedParametersGiveTheirSoloResults) {
  NextByte next = fork('A', 'B', 0.6);
  std::vector<GenerationRequest> requests(3, greedyRequest(">"));
  for (GenerationRequest &request : requests)
    request.maxTokens = 20;
  requests[1].sampling.temperature = requests[2].sampling.temperature = 1;
  requests[1].sampling.seed = requests[2].sampling.seed = 1;
  requests[1].sampling.topK = 1;

  Fixture f(next);
  std::vector<std::future<std::string>> answers;
  for (const GenerationRequest &request : requests)
    answers.push_back(std::async(std::launch::async, [&f, request] {
      return f.session.generate(request)->choices[0].text;
    }));
  for (size_t i = 0; i < requests.size(); ++i) {
    ChainRunner runner(next);
    std::unique_ptr<Engine> engine = *Engine::create(runner);
    EXPECT_EQ(answers[i].get(),
              generate(*engine, byteText(), requests[i])->choices[0].text);
  }
}

TEST(Session, ManyClientsAtOnce) {
  Fixture f(chain(">ABCDEFGHIJKLM"));
  std::vector<std::thread> clients;
  std::atomic<int> right{0};
  for (int client = 0; client < 8; ++client)
    clients.emplace_back([&, client] {
      for (int i = 0; i < 25; ++i) {
        GenerationRequest request = greedyRequest(">ABC");
        if (client % 2)
          request.stop = {"GH"};
        StatusOr<GenerationResult> result = f.session.generate(request);
        right += result.ok() &&
                 result->choices[0].text == (client % 2 ? "DEF" : "DEFGHIJKLM");
      }
    });
  for (std::thread &client : clients)
    client.join();
  EXPECT_EQ(right, 200);
  EXPECT_TRUE(f.comesToRest());
}

TEST(Session, ClientsThatLeaveFreeTheirBlocks) {
  Fixture f(endless, 1 << 22); // far more than could be generated here
  std::atomic<int> ended{0};
  auto listen = [&](const TextEvent &event) {
    ended += event.finish == FinishReason::Cancelled;
    return true;
  };
  for (int i = 0; i < 50; ++i) {
    StatusOr<RequestId> id = f.session.start(greedyRequest("A"), listen);
    ASSERT_TRUE(id.ok());
    if (i % 2)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    f.session.cancel(*id);
  }
  // Those that hang up while they are being told.
  for (int i = 0; i < 50; ++i) {
    auto hangUp = [&, pieces = 0](const TextEvent &event) mutable {
      ended += event.finish == FinishReason::Cancelled;
      return ++pieces < 3;
    };
    ASSERT_TRUE(f.session.start(greedyRequest("A"), hangUp).ok());
  }
  EXPECT_TRUE(f.comesToRest());
  EXPECT_EQ(ended, 100);
  EXPECT_EQ(f.session.stats().endedRequests, 100);
  GenerationRequest next = greedyRequest("A");
  next.maxTokens = 4;
  EXPECT_EQ(f.session.generate(next)->choices[0].text, "BABA");
}

TEST(Session, ItsEndIsTheEndOfWhatIsOpen) {
  std::atomic<int> ended{0};
  {
    Fixture f(endless);
    for (int i = 0; i < 20; ++i)
      ASSERT_TRUE(f.session
                      .start(greedyRequest("A"),
                             [&](const TextEvent &event) {
                               ended += event.finish.has_value();
                               return true;
                             })
                      .ok());
  }
  EXPECT_EQ(ended, 20);
}

TEST(Session, RefusalsComeAtOnce) {
  Fixture f(endless);
  EXPECT_EQ(f.session.generate(greedyRequest("")).status().code(),
            StatusCode::InvalidArgument);
  GenerationRequest request = greedyRequest("A");
  request.stop = {""};
  EXPECT_EQ(f.session.start(request, {}).status().code(),
            StatusCode::InvalidArgument);
  // Nobody has to listen.
  request.stop = {};
  request.maxTokens = 3;
  EXPECT_TRUE(f.session.start(request, {}).ok());
  EXPECT_TRUE(f.comesToRest());
}
