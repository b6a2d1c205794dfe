#include "pagoda/Base/MappedFile.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

using namespace pagoda;

namespace {

std::string writeTemporary(const std::string &name, const std::string &text) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

} // namespace

TEST(MappedFile, HoldsTheBytesOfTheFile) {
  auto file = MappedFile::open(writeTemporary("mapped", "pagoda"));
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->size(), 6u);
  EXPECT_EQ(static_cast<char>(file->bytes()[2]), 'g');
}

TEST(MappedFile, AnEmptyFileIsEmpty) {
  auto file = MappedFile::open(writeTemporary("empty", ""));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->size(), 0u);
}

TEST(MappedFile, ErrorsNameThePath) {
  auto missing = MappedFile::open("/no/such/file");
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  EXPECT_EQ(missing.status().message(), "no such file: '/no/such/file'");
  auto folder = MappedFile::open("/tmp");
  EXPECT_EQ(folder.status().code(), StatusCode::IoError);
  EXPECT_EQ(folder.status().message(), "'/tmp' is not a regular file");
}

TEST(ReadTextFile, RefusesMoreThanItsLimit) {
  std::string path = writeTemporary("text", "0123456789");
  EXPECT_EQ(*readTextFile(path), "0123456789");
  EXPECT_EQ(readTextFile(path, 9).status().code(),
            StatusCode::ResourceExhausted);
}
