// Seeds for the fuzzers whose formats are our own: written anew with every
// build, so that they are of the current version.
//   write-seeds FOLDER

#include "../unit/Artifact/SampleArtifact.h"
#include "../unit/Runtime/Tokenizer/ExerciseTokenizer.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace pagoda;

static std::string seedPath(const std::filesystem::path &root,
                            const std::string &format) {
  std::filesystem::create_directories(root / format);
  return (root / format / "seed").string();
}

int main(int count, char **arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: write-seeds FOLDER\n");
    return 2;
  }
  std::filesystem::path root = arguments[1];
  std::string json = rt::test::fullTokenizer().dump();
  std::ofstream(seedPath(root, "tokenizer-json")) << json;

  auto document = JsonDocument::parse(json, "seed");
  auto tokenizer = rt::Tokenizer::fromJson(*document);
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "%s\n", tokenizer.status().message().c_str());
    return 1;
  }
  std::ofstream(seedPath(root, "tokenizer-tables"), std::ios::binary)
      .write(reinterpret_cast<const char *>(tokenizer->bytes().data()),
             static_cast<std::streamsize>(tokenizer->bytes().size()));

  if (Status written = test::writeSample(seedPath(root, "artifact"));
      !written.ok()) {
    std::fprintf(stderr, "%s\n", written.message().c_str());
    return 1;
  }
  return 0;
}
