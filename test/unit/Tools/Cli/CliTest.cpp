// The program from outside: exit codes, helps, errors. What needs the compiler
// is in test/e2e.

#include "Artifact/SampleArtifact.h"
#include "ScratchFolder.h"
#include "Tools/RunProgram.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace pagoda;
using namespace pagoda::test;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kCommands[] = {
    "",       "run",    "compile",         "inspect",
    "bench",  "eval",   "profile",         "tokenize",
    "logits", "doctor", "eval perplexity", "completion"};

class SampleFile : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(writeSample(path).ok()); }

  ScratchFolder scratch;
  std::string path = scratch.path("cli-sample.pgd");
};

TEST(Cli, EveryHelpHasAPurposeAndAnExampleAndFits) {
  for (const std::string command : kCommands) {
    ProgramResult help = runProgram(command + " --help");
    EXPECT_EQ(help.exitCode, 0) << command;
    EXPECT_THAT(help.output, HasSubstr("\n\nUsage: pagoda")) << command;
    EXPECT_THAT(help.output, HasSubstr("\nExamples:\n  ")) << command;
    // Helps of values, not of the types they are parsed as.
    for (const char *noise : {"TEXT:", "INT:", "UINT", "REQUIRED"})
      EXPECT_THAT(help.output, Not(HasSubstr(noise))) << command;
    std::istringstream lines(help.output);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(Cli, WrongCommandLinesEndWithTwoAndSayWhatWasMeant) {
  struct {
    const char *arguments, *says;
  } cases[] = {
      {"", "a command is missing; commands are run, compile"},
      {"rnu model.gguf", "there is no command 'rnu'; did you mean run?"},
      {"eval", "a command is missing; commands are perplexity"},
      {"eval perplexty", "did you mean perplexity?"},
      {"run", "MODEL is missing: an artifact (.pgd), or what one is compiled "
              "from: a Hugging Face folder, a .gguf or an .mlir file\n"
              "for example: pagoda run model.gguf"},
      {"compile", "MODEL is missing"},
      {"inspect", "ARTIFACT is missing"},
      {"run m.pgd --temprature 1",
       "unknown option --temprature; did you mean --temperature?"},
      {"inspect m.pgd --wieghts", "did you mean --weights?"},
      {"inspect m.pgd --zzzzzzzz", "unknown option --zzzzzzzz\nsee pagoda "
                                   "inspect --help"},
      {"run m.pgd --precision half", "half not in {fast,exact}"},
      {"completion tcsh", "tcsh not in {bash,zsh,fish}"},
  };
  for (const auto &[arguments, says] : cases) {
    ProgramResult result = runProgram(arguments);
    EXPECT_EQ(result.exitCode, 2) << arguments;
    EXPECT_THAT(result.output, HasSubstr(says)) << arguments;
  }
}

TEST(Cli, InspectOfWhatIsNoArtifactSaysHowToCompile) {
  std::string model = testing::TempDir() + "a model.gguf";
  std::ofstream(model) << "GGUF";
  ProgramResult result = runProgram("inspect '" + model + "'");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr("is a model, not an artifact; compile "
                                       "it first: pagoda compile"));
  std::filesystem::remove(model);
  EXPECT_THAT(runProgram("inspect /nowhere/x.pgd").output,
              HasSubstr("no such file: '/nowhere/x.pgd'"));
}

TEST_F(SampleFile, InspectPrintsJsonForEverything) {
  ProgramResult result =
      runProgram("inspect " + path +
                 " --sizes --weights --kernels --program --memory --verify "
                 "--target x86-64-v3 --threads 3 --json");
  ASSERT_EQ(result.exitCode, 0) << result.output;
  auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["summary"]["model"]["name"], "sample");
  EXPECT_EQ(json["weights"].size(), 3u);
  EXPECT_EQ(json["kernels"][0]["code"][0]["run_offset"], 64);
  EXPECT_EQ(json["program"][0]["launches"][0]["arguments"][1]["weight"], "w1");
  EXPECT_EQ(json["memory"]["bytes"]["scratch"], 3 * 128);
  EXPECT_EQ(json["checksums"], "agree");
  uint64_t sum = 0;
  for (const auto &part : json["sizes"]["parts"])
    sum += part["bytes"].get<uint64_t>();
  EXPECT_EQ(sum, std::filesystem::file_size(path));
}

TEST_F(SampleFile, InspectTakesKernelsWithAndWithoutAName) {
  for (const std::string &arguments :
       {"inspect --kernels " + path, "inspect " + path + " --kernels"}) {
    ProgramResult result = runProgram(arguments);
    EXPECT_EQ(result.exitCode, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("norm    rms_norm"));
    EXPECT_THAT(result.output, Not(HasSubstr("contract:")));
  }
  EXPECT_THAT(runProgram("inspect " + path + " --kernels norm").output,
              HasSubstr("  contract:\n    contract\n  source:\n    source\n"));
  EXPECT_THAT(runProgram("inspect " + path + " --kernels nrom").output,
              HasSubstr("has no kernel 'nrom'; it has norm"));
}

TEST_F(SampleFile, DoctorReportsAndItsExitCodeFollows) {
  std::string cache = testing::TempDir() + "doctor-cache";
  ProgramResult result =
      runProgram("doctor --json 2>/dev/null", "XDG_CACHE_HOME=" + cache);
  auto report = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << result.output;
  EXPECT_EQ(result.exitCode, report["missing"] == 0 ? 0 : 1);
  EXPECT_GE(report["findings"].size(), 8u);
  for (const auto &finding : report["findings"])
    if (finding["status"] == "missing") {
      EXPECT_NE(finding["remedy"], "") << finding;
    }
  // Nothing of the measurement stays.
  for (const auto &entry :
       std::filesystem::directory_iterator(cache + "/pagoda"))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("doctor")));
  std::filesystem::remove_all(cache);

  ProgramResult homeless =
      runProgram("doctor", "env -u HOME -u XDG_CACHE_HOME");
  EXPECT_EQ(homeless.exitCode, 1);
  EXPECT_THAT(homeless.output, HasSubstr("MISSING cache"));
}

} // namespace
