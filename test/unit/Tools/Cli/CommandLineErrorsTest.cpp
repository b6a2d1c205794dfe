#include "Cli/CommandLineErrors.h"

#include <gtest/gtest.h>

using pagoda::cli::nearest;

namespace {

const std::vector<std::string> kOptions = {"--threads", "--target", "--chunk",
                                           "--top-k", "--top-p"};

TEST(CommandLineErrors, NearestTakesSlipsOfTheFinger) {
  EXPECT_EQ(nearest("--thread", kOptions), "--threads");
  EXPECT_EQ(nearest("--thraeds", kOptions), "--threads");
  EXPECT_EQ(nearest("--chnk", kOptions), "--chunk");
  EXPECT_EQ(nearest("--topk", kOptions), "--top-k");
}

TEST(CommandLineErrors, NearestTakesBeginnings) {
  EXPECT_EQ(nearest("--tar", kOptions), "--target");
}

TEST(CommandLineErrors, NearestDoesNotGuess) {
  EXPECT_EQ(nearest("--verbose", kOptions), "");
  EXPECT_EQ(nearest("", {}), "");
}

} // namespace
