#include "Cli/HugePages.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda::cli;

namespace {

TEST(HugePages, MeasuresAWholeFileAndLeavesNothing) {
  std::string folder = testing::TempDir() + "huge";
  std::filesystem::create_directories(folder);
  auto mapping = measureHugeMapping(folder);
  ASSERT_TRUE(mapping.ok()) << mapping.status().message();
  EXPECT_EQ(mapping->bytes, 8u << 20);
  EXPECT_LE(mapping->hugeBytes, mapping->bytes);
  EXPECT_EQ(mapping->hugeBytes % (2 << 20), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(HugePages, ErrorsNameTheFolder) {
  auto mapping = measureHugeMapping("/nowhere");
  ASSERT_FALSE(mapping.ok());
  EXPECT_THAT(mapping.status().message(), testing::HasSubstr("'/nowhere'"));
}

TEST(HugePages, ModeIsOneOfTheKernels) {
  EXPECT_THAT(hugePageMode(), testing::AnyOf("always", "madvise", "never", ""));
}

} // namespace
