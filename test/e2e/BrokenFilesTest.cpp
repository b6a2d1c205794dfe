// Files that are not what they should be, of every kind that the program
// reads: one error that names the file, no output, nothing left behind.

#include "RandomGguf.h"
#include "ScratchFolder.h"
#include "SharedFiles.h"
#include "Tools/RunProgram.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::test;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Each test breaks one file of a folder that is sound otherwise.
class BrokenFiles : public testing::Test {
protected:
  /// Writes `content` in place of a sound file and expects one error from
  /// `pagoda COMMAND`, which is run in the folder.
  void expectError(const std::string &what, const std::string &content) {
    std::ofstream(path(), std::ios::binary) << content;
    expectError(what);
  }

  void expectError(const std::string &what) {
    SCOPED_TRACE(file + ", " + what);
    std::set<std::string> before = names();
    ProgramResult result =
        runShell("cd " + scratch.path() + " && " PAGODA_PROGRAM " " + command +
                 " </dev/null");
    EXPECT_EQ(result.exitCode, 1) << result.output;
    EXPECT_THAT(result.output, StartsWith("pagoda: error: "));
    // The file itself, or where it is looked for.
    EXPECT_THAT(result.output, HasSubstr(fs::path(file).begin()->string()));
    // What the parser of IR says stands on a line of its own.
    EXPECT_LE(std::count(result.output.begin(), result.output.end(), '\n'),
              file.ends_with(".mlir") ? 2 : 1)
        << result.output;
    EXPECT_EQ(names(), before) << "something was left behind";
  }

  void breakIt(const std::string &name, const std::string &use) {
    file = name;
    command = use;
    std::string sound = readFile(path());
    ASSERT_FALSE(sound.empty()) << path();
    size_t size = sound.size();
    expectError("empty", "");
    for (size_t length : {size_t(1), size_t(3), size / 10, size / 2, size - 2})
      expectError("cut to " + std::to_string(length), sound.substr(0, length));
    expectError("a picture", "\x89PNG\r\n\x1a\n" + std::string(5000, '\xa5'));
    expectError("text", "Once upon a time\nthere was a file.\n");
    expectError("zeros", std::string(5000, '\0'));
    fs::remove(path());
    expectError("missing");
    fs::create_directory(path());
    expectError("a folder");
    fs::remove(path());
    std::ofstream(path(), std::ios::binary) << sound;
  }

  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto &entry : fs::recursive_directory_iterator(scratch.path()))
      names.insert(entry.path());
    return names;
  }
  std::string path() const { return scratch.path(file); }

  ScratchFolder scratch;
  std::string file, command;
};

TEST_F(BrokenFiles, Gguf) {
  ASSERT_TRUE(RandomGguf().write(scratch.path("m.gguf")).ok());
  breakIt("m.gguf", "compile m.gguf -o m.pgd");
  std::string sound = readFile(path());
  for (char version : {0, 1, 99}) {
    sound[4] = version;
    expectError("version " + std::to_string(version), sound);
  }
}

TEST_F(BrokenFiles, HuggingFaceFolder) {
  PAGODA_REQUIRE_SHARED(model, "models/llama");
  PAGODA_REQUIRE_SHARED(tokenizer, "tokenizers/smollm2/tokenizer.json");
  fs::create_directory(scratch.path("m"));
  auto copy = [&](const std::string &from, const std::string &name) {
    std::ofstream(scratch.path("m/" + name), std::ios::binary)
        << readFile(from);
  };
  copy(model + "/config.json", "config.json");
  copy(model + "/model.safetensors", "model.safetensors");
  std::string use = "compile m -o m.pgd";
  breakIt("m/config.json", use);
  breakIt("m/model.safetensors", use);
  file = "m/config.json";
  std::string config = readFile(path());
  size_t at = config.find("llama");
  expectError("an unknown model type",
              std::string(config).replace(at, 5, "oracle9"));
  std::ofstream(path()) << config;

  // An index of shards takes the file's place.
  fs::rename(scratch.path("m/model.safetensors"),
             scratch.path("m/1.safetensors"));
  std::ofstream(scratch.path("m/model.safetensors.index.json"))
      << R"({"weight_map": {"model.norm.weight": "1.safetensors"}})";
  file = "m/model.safetensors.index.json";
  expectError("a shard that is not there",
              R"({"weight_map": {"model.norm.weight": "2.safetensors"}})");
  std::ofstream(path())
      << R"({"weight_map": {"model.norm.weight": "1.safetensors"}})";
  breakIt("m/model.safetensors.index.json", use);
}

TEST_F(BrokenFiles, Tokenizer) {
  PAGODA_REQUIRE_SHARED(tokenizer, "tokenizers/smollm2/tokenizer.json");
  std::ofstream(scratch.path("tokenizer.json")) << readFile(tokenizer);
  breakIt("tokenizer.json", "tokenize tokenizer.json hello");
}

TEST_F(BrokenFiles, Ir) {
  std::ofstream(scratch.path("m.mlir"))
      << readFile(PAGODA_SOURCE_DIR "/examples/tiny-llama.mlir");
  file = "m.mlir";
  breakIt("m.mlir", "compile m.mlir -o m.pgd");
}

TEST_F(BrokenFiles, Artifact) {
  std::ofstream(scratch.path("m.mlir"))
      << readFile(PAGODA_SOURCE_DIR "/examples/tiny-llama.mlir");
  ProgramResult compiled = runProgram("compile " + scratch.path("m.mlir") +
                                      " -o " + scratch.path("m.pgd"));
  ASSERT_EQ(compiled.exitCode, 0) << compiled.output;
  breakIt("m.pgd", "inspect m.pgd");
  breakIt("m.pgd", "run m.pgd --ids 1,2 --max-tokens 1");
  std::string sound = readFile(path());
  sound[8] += 1;
  expectError("a later version", sound);
}

} // namespace
