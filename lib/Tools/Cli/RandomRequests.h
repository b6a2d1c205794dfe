//===- RandomRequests.h - Work to measure -----------------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_RANDOMREQUESTS_H
#define PAGODA_LIB_TOOLS_CLI_RANDOMREQUESTS_H

#include "pagoda/Runtime/Engine/Engine.h"

#include <chrono>
#include <memory>
#include <vector>

namespace pagoda::cli {

using Clock = std::chrono::steady_clock;

/// Notes when tokens come.
class ClockSink final : public rt::RequestSink {
public:
  rt::SinkReply onToken(const rt::TokenEvent &) override {
    last = Clock::now();
    if (tokens++ == 0)
      first = last;
    return rt::SinkReply::Continue;
  }
  void onFinish(const rt::FinishEvent &event) override {
    status = event.status;
  }

  int tokens = 0;
  Clock::time_point first, last;
  Status status;
};

/// `count` requests at once, each a random prompt and a number of greedy
/// tokens; returns their sinks when all are done.
StatusOr<std::vector<std::shared_ptr<ClockSink>>>
runRequests(rt::Engine &engine, int count, int promptTokens, int newTokens);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_RANDOMREQUESTS_H
