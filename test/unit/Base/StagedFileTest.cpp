#include "pagoda/Base/StagedFile.h"
#include "ScratchFolder.h"

#include "pagoda/Base/MappedFile.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
namespace fs = std::filesystem;

namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class StagedFileTest : public testing::Test {
protected:
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename());
    return names;
  }
  std::string text(const std::string &name) const {
    return *readTextFile(folder + "/" + name);
  }

  test::ScratchFolder scratch;
  const std::string &folder = scratch.path();
};

TEST_F(StagedFileTest, AppearsWhenItIsPublished) {
  auto file = StagedFile::create(folder + "/a");
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_TRUE(file->writeAt(6, bytesOf("world")).ok());
  ASSERT_TRUE(file->writeAt(0, bytesOf("hello ")).ok());
  EXPECT_FALSE(fs::exists(folder + "/a"));
  ASSERT_TRUE(file->publish().ok());
  EXPECT_THAT(names(), testing::ElementsAre("a"));
  EXPECT_EQ(text("a"), "hello world");
}

TEST_F(StagedFileTest, ReplacesWhatHadItsName) {
  std::ofstream(folder + "/a") << "before, and longer";
  auto file = StagedFile::create(folder + "/a");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->writeAt(0, bytesOf("after")).ok());
  EXPECT_EQ(text("a"), "before, and longer");
  ASSERT_TRUE(file->publish().ok());
  EXPECT_THAT(names(), testing::ElementsAre("a"));
  EXPECT_EQ(text("a"), "after");
}

TEST_F(StagedFileTest, LeavesNothingUnlessPublished) {
  {
    auto file = StagedFile::create(folder + "/a");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->writeAt(0, bytesOf("half")).ok());
  }
  EXPECT_THAT(names(), testing::IsEmpty());
}

TEST_F(StagedFileTest, WritesBehindLinksAndNotOverDevices) {
  std::ofstream(folder + "/real") << "before";
  fs::create_symlink("real", folder + "/link");
  auto file = StagedFile::create(folder + "/link");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->writeAt(0, bytesOf("after")).ok());
  ASSERT_TRUE(file->publish().ok());
  EXPECT_TRUE(fs::is_symlink(folder + "/link"));
  EXPECT_EQ(text("real"), "after");

  auto device = StagedFile::create("/dev/null");
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.status().message(),
              testing::HasSubstr("'/dev/null' is not a regular file"));
}

TEST_F(StagedFileTest, ErrorsNameTheFile) {
  auto file = StagedFile::create(folder + "/missing/a");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::IoError);
  EXPECT_THAT(file.status().message(), testing::HasSubstr("missing/a"));
}

} // namespace
