// What a traced step adds up to, for one launch whose demand is known.

#include "Profile/StepProfile.h"

#include "Artifact/SampleArtifact.h"
#include "Profile/ProfileText.h"
#include "ScratchFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::test;
using testing::HasSubstr;

namespace {

TEST(LayerOf, EndsAtTheFirstNumber) {
  EXPECT_EQ(layerOf("blk.3.ffn_gate"), "blk.3");
  EXPECT_EQ(layerOf("model.layers.12.mlp"), "model.layers.12");
  EXPECT_EQ(layerOf("0.attention"), "0");
  EXPECT_EQ(layerOf("layer.7"), "layer.7");
  EXPECT_EQ(layerOf("token_embd"), "");
  EXPECT_EQ(layerOf("blk.x1.y"), "");
  EXPECT_EQ(layerOf("a..b"), "");
  EXPECT_EQ(layerOf(""), "");
}

class StepProfile : public testing::Test {
protected:
  void SetUp() override {
    std::string path = scratch.path("sample.pgd");
    ASSERT_TRUE(writeSample(path).ok());
    auto opened = Artifact::open(path);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    artifact.emplace(*std::move(opened));
    trace.entry = artifact->program().entries()->Get(0);
  }

  /// Three tokens of a sequence of 5 keys and one of a sequence of 40, on two
  /// threads that take 10 and 6 of the step's 10 us.
  rt::TracedStep step() const {
    rt::TraceClock::time_point start{};
    auto at = [&](int us) { return start + std::chrono::microseconds(us); };
    rt::TracedStep step;
    step.begin = at(0);
    step.end = at(10);
    step.qStart = {0, 3, 4};
    step.kvLength = {5, 40};
    step.rows = 2;
    step.pieces = {{{0, 0, 2, at(0), at(10)}}, {{0, 2, 4, at(1), at(7)}}};
    return step;
  }

  ScratchFolder scratch;
  std::optional<Artifact> artifact;
  rt::StepTrace trace;
  // 1 byte and 1 float operation a nanosecond.
  MachineLimits limits{1e9, 4e9, 1e9};
};

TEST_F(StepProfile, CountsWhatALaunchHasToDo) {
  trace.steps = {step()};
  Json profile = profileSteps(*artifact, trace, limits);
  EXPECT_EQ(profile["steps"], 1);
  EXPECT_EQ(profile["tokens"], 4.0);
  EXPECT_DOUBLE_EQ(profile["ms"].get<double>(), 0.010);
  EXPECT_DOUBLE_EQ(profile["tokens_per_s"].get<double>(), 400000);
  EXPECT_NEAR(profile["waiting_ms"].get<double>(), 0.002, 1e-12);
  ASSERT_EQ(profile["kernels"].size(), 1u);
  const Json &kernel = profile["kernels"][0];
  // A weight of 64 bytes; keys of a layer with a window of 32: 5 + 32 of them,
  // values of one without: 5 + 40; two heads of 16 elements in f16.
  EXPECT_EQ(kernel["bytes"], 64.0 + 37 * 64 + 45 * 64);
  // 1000 a row, 8 a row and key: 3 + 4 + 5 keys and 32.
  EXPECT_EQ(kernel["operations"], 4000.0 + 8 * 44);
  EXPECT_DOUBLE_EQ(kernel["ms"].get<double>(), 0.008);
  EXPECT_DOUBLE_EQ(kernel["share"].get<double>(), 0.8);
  EXPECT_DOUBLE_EQ(kernel["of_limit"].get<double>(), 5312 / 8000.0);
  ASSERT_EQ(profile["layers"].size(), 1u);
  EXPECT_EQ(profile["layers"][0]["layer"], "blk.3");
}

TEST_F(StepProfile, IsAMeanOverSteps) {
  trace.steps = {step(), step()};
  trace.steps[1].end += std::chrono::microseconds(10);
  Json profile = profileSteps(*artifact, trace, limits);
  EXPECT_EQ(profile["steps"], 2);
  EXPECT_DOUBLE_EQ(profile["ms"].get<double>(), 0.015);
  EXPECT_NEAR(profile["waiting_ms"].get<double>(), 0.007, 1e-12);
  EXPECT_EQ(profile["kernels"][0]["launches"], 1.0);
  EXPECT_EQ(profile["kernels"][0]["bytes"], 5312.0);
}

TEST_F(StepProfile, TraceHasStepsAndPieces) {
  trace.steps = {step()};
  Json events = perfettoTrace(*artifact, trace)["traceEvents"];
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["args"]["tokens"], 4);
  EXPECT_EQ(events[2]["name"], "norm");
  EXPECT_EQ(events[2]["tid"], "thread 1");
  EXPECT_DOUBLE_EQ(events[2]["ts"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(events[2]["dur"].get<double>(), 6);
  EXPECT_EQ(perfettoTrace(*artifact, {})["traceEvents"].size(), 0u);
}

TEST(MachineLimits, AreMeasured) {
  MachineLimits limits = measureLimits(1, 1 << 20);
  EXPECT_GT(limits.readBytesPerSecond, 1e8);
#if defined(__x86_64__)
  EXPECT_GT(limits.int8OperationsPerSecond, limits.floatOperationsPerSecond);
  EXPECT_GT(limits.floatOperationsPerSecond, 1e8);
#endif
}

} // namespace
