// What the scripts complete, asked of the shells themselves.

#include "ScratchFolder.h"
#include "Tools/RunProgram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda::test;
using testing::HasSubstr;

namespace {

bool has(const std::string &shell) {
  return runShell("command -v " + shell + " >/dev/null").exitCode == 0;
}

class CompletionScripts : public testing::Test {
protected:
  std::string script(const std::string &shell) {
    std::string path = folder + "/_pagoda";
    EXPECT_EQ(runProgram("completion " + shell + " > " + path).exitCode, 0);
    return path;
  }
  ScratchFolder scratch;
  const std::string &folder = scratch.path();
};

TEST_F(CompletionScripts, BashCompletesWhatThereIs) {
  if (!has("bash"))
    GTEST_SKIP() << "needs bash";
  std::string path = script("bash");
  auto complete = [&](const std::string &words) {
    return runShell("bash -c 'source " + path + "; COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pagoda; "
                    "echo \"${COMPREPLY[*]}\"'")
        .output;
  };
  EXPECT_EQ(complete("pagoda co"), "compile completion\n");
  EXPECT_THAT(complete("pagoda \"\""), HasSubstr("run compile inspect"));
  EXPECT_EQ(complete("pagoda run --te"), "--temperature\n");
  EXPECT_EQ(complete("pagoda run --precision \"\""), "fast exact\n");
  EXPECT_EQ(complete("pagoda run --precision = ex"), "exact\n");
  EXPECT_EQ(complete("pagoda compile --kv-dtype ="), "f32 f16\n");
  EXPECT_EQ(complete("pagoda eval \"\""), "perplexity\n");
  EXPECT_EQ(complete("pagoda eval perplexity --win"), "--window --windows\n");
  EXPECT_EQ(complete("pagoda completion z"), "zsh\n");
  EXPECT_EQ(complete("pagoda inspect " + folder + "/_pa"), path + "\n");
  // An option of another command is none of this one's.
  EXPECT_EQ(complete("pagoda inspect --temp"), "\n");
}

TEST_F(CompletionScripts, ZshReadsItsScript) {
  if (!has("zsh"))
    GTEST_SKIP() << "needs zsh";
  std::string path = script("zsh");
  ProgramResult syntax = runShell("zsh -n " + path);
  EXPECT_EQ(syntax.exitCode, 0) << syntax.output;
  ProgramResult loaded = runShell("zsh -c 'autoload -Uz compinit; compinit -u "
                                  "-D; source " +
                                  path + "; echo $_comps[pagoda]'");
  EXPECT_EQ(loaded.output, "_pagoda\n");
}

TEST_F(CompletionScripts, FishCompletesWhatThereIs) {
  if (!has("fish"))
    GTEST_SKIP() << "needs fish";
  std::string path = script("fish");
  auto complete = [&](const std::string &line) {
    return runShell("fish -c 'source " + path + "; complete -C \"" + line +
                    "\"'")
        .output;
  };
  EXPECT_THAT(complete("pagoda ev"), HasSubstr("eval\tMeasure"));
  EXPECT_THAT(complete("pagoda run --te"), HasSubstr("--temperature"));
  EXPECT_THAT(complete("pagoda run --precision "), HasSubstr("exact"));
}

} // namespace
