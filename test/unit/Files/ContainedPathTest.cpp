#include "pagoda/Files/ContainedPath.h"
#include "ScratchFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace pagoda;
namespace fs = std::filesystem;

namespace {

/// A folder m/ with files, links and a secret beside it.
class ContainedPath : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(root + "/m/sub");
    write("secret.bin");
    write("m/w.bin");
    write("m/sub/w.bin");
  }

  void write(const std::string &name) { std::ofstream(root + "/" + name); }

  std::string outcome(std::string_view name) {
    auto path = resolveInside(root + "/m", name);
    return path.ok() ? "accepted" : path.status().message();
  }

  test::ScratchFolder scratch;
  const std::string &root = scratch.path();
};

} // namespace

TEST_F(ContainedPath, NamesInsideAreResolved) {
  EXPECT_EQ(*resolveInside(root + "/m", "w.bin"), root + "/m/w.bin");
  EXPECT_EQ(*resolveInside(root + "/m/", "sub/w.bin"), root + "/m/sub/w.bin");
  EXPECT_EQ(outcome("./w.bin"), "accepted");
  EXPECT_EQ(resolveInside(root + "/m", "none").status().code(),
            StatusCode::NotFound);
  EXPECT_EQ(outcome("none"), "there is no 'none' in '" + root + "/m'");
  EXPECT_EQ(resolveInside(root + "/n", "w.bin").status().message(),
            "no such folder: '" + root + "/n'");
}

TEST_F(ContainedPath, NamesThatLeadOutAreRefused) {
  using namespace std::string_view_literals;
  std::string absolute = root + "/m/w.bin";
  for (std::string_view name :
       {"../secret.bin"sv, "sub/../../secret.bin"sv, "sub/../w.bin"sv, ""sv,
        ".."sv, std::string_view(absolute)}) {
    auto path = resolveInside(root + "/m", name);
    EXPECT_EQ(path.status().code(), StatusCode::InvalidArgument) << name;
    EXPECT_EQ(
        outcome(name),
        concat("'", name, "' is not a name of a file inside '", root, "/m'"));
  }
  EXPECT_EQ(outcome("w.bin\0x"sv), "'w.bin\\x00x' is not a name of a file "
                                   "inside '" +
                                       root + "/m'");
}

TEST_F(ContainedPath, LinksMayNotLeaveTheFolder) {
  fs::create_symlink("../secret.bin", root + "/m/out.bin");
  fs::create_symlink("w.bin", root + "/m/in.bin");
  fs::create_symlink("..", root + "/m/up");
  EXPECT_EQ(outcome("out.bin"), "'out.bin' is a link that leaves '" + root +
                                    "/m'; put the file itself into the folder");
  EXPECT_EQ(outcome("up/secret.bin"),
            "'up/secret.bin' is a link that leaves '" + root +
                "/m'; put the file itself into the folder");
  EXPECT_EQ(outcome("in.bin"), "accepted");
  // A link to the folder itself is the user's own business.
  fs::create_symlink("m", root + "/model");
  EXPECT_TRUE(resolveInside(root + "/model", "w.bin").ok());
}

// The hub's cache: models--x/snapshots/REVISION/w -> ../../blobs/HASH.
TEST_F(ContainedPath, LinksIntoTheHubsBlobsAreFollowed) {
  std::string cache = root + "/models--x";
  fs::create_directories(cache + "/blobs");
  fs::create_directories(cache + "/snapshots/main");
  write("models--x/blobs/hash");
  fs::create_symlink("../../blobs/hash", cache + "/snapshots/main/w.bin");
  fs::create_symlink("../../../secret.bin", cache + "/snapshots/main/out.bin");
  EXPECT_EQ(*resolveInside(cache + "/snapshots/main", "w.bin"),
            cache + "/snapshots/main/w.bin");
  EXPECT_FALSE(resolveInside(cache + "/snapshots/main", "out.bin").ok());
}
