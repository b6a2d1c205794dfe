#include "pagoda/Artifact/Artifact.h"

#include "SampleArtifact.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::test;
using testing::HasSubstr;

namespace {

std::string samplePath(const char *name) {
  return testing::TempDir() + name + ".pgd";
}

std::vector<std::byte> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

void writeFile(const std::string &path, const std::vector<std::byte> &bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::string errorOf(const std::vector<std::byte> &bytes) {
  std::string path = samplePath("changed");
  writeFile(path, bytes);
  auto opened = Artifact::open(path);
  std::filesystem::remove(path);
  return opened.ok() ? "" : opened.status().message();
}

TEST(Artifact, HoldsWhatWasWritten) {
  std::string path = samplePath("sample");
  Status status = writeSample(path);
  ASSERT_TRUE(status.ok()) << status.message();
  auto artifact = Artifact::open(path);
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->program().model()->name()->str(), "sample");
  EXPECT_EQ(artifact->weight(2).size(), 300000u);
  EXPECT_EQ(artifact->weight(2)[5], bytesOf(10, 3)[5]);
  EXPECT_EQ(artifact->tokenizer().size(), 100u);
  EXPECT_EQ(artifact->image(0).size(), 4096u);
  EXPECT_EQ(artifact->program().images()->Get(0)->offset() % kImageAlignment,
            0u);
  EXPECT_TRUE(artifact->verifyWeights().ok());
}

TEST(Artifact, TheSameCallsGiveTheSameBytes) {
  std::string first = samplePath("first"), second = samplePath("second");
  ASSERT_TRUE(writeSample(first).ok());
  ASSERT_TRUE(writeSample(second).ok());
  EXPECT_TRUE(readFile(first) == readFile(second));
}

TEST(Artifact, AFailedWriteLeavesNothingBehind) {
  std::string path = samplePath("unfinished");
  {
    auto writer = ArtifactWriter::create(path);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->addImage(bytesOf(100, 1)).ok());
  }
  for (const auto &entry :
       std::filesystem::directory_iterator(testing::TempDir()))
    EXPECT_THAT(entry.path().filename().string(),
                testing::Not(HasSubstr("unfinished")));
}

TEST(Artifact, ErrorsSayWhatIsWrong) {
  std::string path = samplePath("whole");
  ASSERT_TRUE(writeSample(path).ok());
  const std::vector<std::byte> whole = readFile(path);

  EXPECT_THAT(errorOf({}), HasSubstr("not a Pagoda artifact"));
  EXPECT_THAT(errorOf(bytesOf(5000, 0)), HasSubstr("not a Pagoda artifact"));

  std::vector<std::byte> shorter(whole.begin(), whole.end() - 1);
  EXPECT_THAT(errorOf(shorter), HasSubstr("it was cut short or added to"));
  std::vector<std::byte> longer = whole;
  longer.push_back({});
  EXPECT_THAT(errorOf(longer), HasSubstr("it was cut short or added to"));

  std::vector<std::byte> newer = whole;
  newer[offsetof(ArtifactHeader, version)] = std::byte(9);
  EXPECT_THAT(errorOf(newer),
              HasSubstr("written for version 9 of the format, this build reads "
                        "version 1; compile the model again"));

  std::vector<std::byte> damaged = whole;
  damaged[offsetof(ArtifactHeader, programBytes)] ^= std::byte(1);
  EXPECT_THAT(errorOf(damaged), HasSubstr("the header is damaged"));

  damaged = whole;
  damaged[damaged.size() - 8] ^= std::byte(1);
  EXPECT_THAT(errorOf(damaged), HasSubstr("the program is damaged"));

  damaged = whole;
  damaged[kImageAlignment + 7] ^= std::byte(1);
  EXPECT_THAT(errorOf(damaged), HasSubstr("the kernels for x86-64-v3 are "
                                          "damaged"));
}

TEST(Artifact, DamagedWeightsAreFoundByName) {
  std::string path = samplePath("weights");
  ASSERT_TRUE(writeSample(path).ok());
  auto artifact = Artifact::open(path);
  uint64_t offset = artifact->program().weights()->Get(1)->offset();
  std::vector<std::byte> bytes = readFile(path);
  bytes[offset] ^= std::byte(1);
  writeFile(path, bytes);
  auto damaged = Artifact::open(path);
  ASSERT_TRUE(damaged.ok());
  EXPECT_THAT(damaged->verifyWeights().message(), HasSubstr("'w1'"));
}

} // namespace
