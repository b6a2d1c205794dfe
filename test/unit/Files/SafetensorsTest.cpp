#include "pagoda/Files/Safetensors.h"
#include "ScratchFolder.h"

#include "RawSafetensors.h"
#include "SharedFiles.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using testing::ElementsAre;
namespace fs = std::filesystem;

namespace {

/// A model folder that exists during a test.
class Folder : public testing::Test {
protected:
  void SetUp() override { fs::create_directories(path + "/sub"); }

  void write(const std::string &name, const std::string &bytes) {
    std::ofstream(path + "/" + name, std::ios::binary) << bytes;
  }
  /// A shard whose tensors are one byte each.
  void writeShard(const std::string &name,
                  const std::vector<std::string> &tensors) {
    std::string header = "{";
    for (size_t i = 0; i < tensors.size(); ++i)
      header += concat(i ? "," : "", "\"", tensors[i],
                       R"(": {"dtype": "U8", "shape": [1], "data_offsets": [)",
                       i, ", ", i + 1, "]}");
    write(name, rawSafetensors(header + "}", tensors.size()));
  }
  void writeIndex(const std::string &map) {
    write("model.safetensors.index.json",
          R"({"metadata": {"total_size": 3}, "weight_map": {)" + map + "}}");
  }
  std::string outcome() {
    auto set = SafetensorsSet::open(path);
    return set.ok() ? "accepted" : set.status().message();
  }

  test::ScratchFolder scratch;
  std::string path = scratch.path("model");
};

using SafetensorsSetTest = Folder;

} // namespace

TEST(Safetensors, TensorsAreViews) {
  std::string bytes = rawSafetensors(
      R"({"__metadata__": {"format": "pt"},
          "b": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [4, 16]},
          "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})",
      16);
  auto file = SafetensorsFile::fromBytes(bytesOf(bytes), "t.st");
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->tensors().size(), 2u);
  EXPECT_EQ(file->tensors()[0].name, "a"); // the order of the data
  auto b = file->tensor("b");
  ASSERT_TRUE(b.ok());
  EXPECT_THAT((*b)->shape, ElementsAre(2, 3));
  EXPECT_EQ((*b)->bytes.size(), 12u);
  EXPECT_EQ((*b)->bytes[0], std::byte(4));
  EXPECT_EQ(*file->elementType(**b), ElementType(DType::BF16));
  EXPECT_EQ(file->metadata()[0].first, "format");
  EXPECT_EQ(file->metadata()[0].second, "pt");
  EXPECT_EQ(file->findTensor("c"), nullptr);
  EXPECT_EQ(file->tensor("c").status().message(), "t.st: no tensor 'c'");
}

TEST(Safetensors, TypesNotReadYetAreKnownByName) {
  std::string bytes = rawSafetensors(
      R"({"w": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}})",
      2);
  auto file = SafetensorsFile::fromBytes(bytesOf(bytes), "t.st");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->tensors()[0].typeName, "F8_E4M3");
  EXPECT_EQ(file->elementType(file->tensors()[0]).status().message(),
            "t.st: tensor 'w' has type F8_E4M3, which Pagoda does not read "
            "yet");
}

TEST_F(SafetensorsSetTest, OneFileIsASet) {
  writeShard("model.safetensors", {"b", "a"});
  writeIndex(R"("a": "missing.safetensors")"); // not looked at
  auto set = SafetensorsSet::open(path);
  ASSERT_TRUE(set.ok()) << set.status().message();
  ASSERT_EQ(set->tensors().size(), 2u);
  EXPECT_EQ(set->tensors()[0]->name, "a");
  EXPECT_EQ(set->files().size(), 1u);
}

TEST_F(SafetensorsSetTest, ShardsMakeOneModel) {
  writeShard("1.safetensors", {"c"});
  writeShard("sub/2.safetensors", {"b", "a"});
  // transformers loads 'a' too.
  writeIndex(R"("b": "sub/2.safetensors", "c": "1.safetensors")");
  auto set = SafetensorsSet::open(path);
  ASSERT_TRUE(set.ok()) << set.status().message();
  SafetensorsSet moved = std::move(*set); // views survive
  ASSERT_EQ(moved.tensors().size(), 3u);
  EXPECT_EQ(moved.findTensor("a")->bytes[0], std::byte(1));
  EXPECT_EQ((*moved.tensor("c"))->shape.size(), 1u);
  EXPECT_EQ(moved.elementType(*moved.findTensor("b"))->name(), "u8");
  EXPECT_EQ(moved.findTensor("d"), nullptr);
  EXPECT_EQ(moved.tensor("d").status().message(), path + ": no tensor 'd'");
}

TEST_F(SafetensorsSetTest, IndexAndShardsMustAgree) {
  std::string index = path + "/model.safetensors.index.json";
  writeShard("1.safetensors", {"a"});
  writeShard("2.safetensors", {"b"});
  writeIndex(R"("a": "2.safetensors", "b": "2.safetensors")");
  EXPECT_EQ(outcome(), index + ": tensor 'a' should be in '2.safetensors', "
                               "which does not have it");
  writeIndex(R"("a": "1.safetensors", "b": "3.safetensors")");
  EXPECT_EQ(outcome(),
            index + ": there is no '3.safetensors' in '" + path + "'");
  writeShard("2.safetensors", {"b", "a"});
  writeIndex(R"("a": "1.safetensors", "b": "2.safetensors")");
  EXPECT_EQ(outcome(), path + ": tensor 'a' stands in more than one shard: '" +
                           path + "/1.safetensors', '" + path +
                           "/2.safetensors'");
}

TEST_F(SafetensorsSetTest, ShardsMustLieInTheFolder) {
  writeShard("1.safetensors", {"a"});
  fs::copy_file(path + "/1.safetensors", path + "/../outside.safetensors",
                fs::copy_options::overwrite_existing);
  std::string index = path + "/model.safetensors.index.json";
  for (const char *name :
       {"../outside.safetensors", "sub/../1.safetensors", "/etc/passwd", ""}) {
    writeIndex(concat("\"a\": \"", name, "\""));
    EXPECT_EQ(outcome(),
              concat(index, ": '", name, "' is not a name of a file inside '",
                     path, "'"));
  }
}

TEST_F(SafetensorsSetTest, OddIndexesAreRefused) {
  EXPECT_EQ(outcome(), "there is neither model.safetensors nor "
                       "model.safetensors.index.json in '" +
                           path + "'");
  write("model.safetensors.index.json", "{}");
  EXPECT_EQ(outcome(),
            path + "/model.safetensors.index.json: 'weight_map' is missing");
  writeIndex(R"("a": 1)");
  EXPECT_EQ(outcome(),
            path + "/model.safetensors.index.json: 'weight_map.a' must be a "
                   "string, found integer");
  writeIndex(R"("a": "sub")");
  EXPECT_EQ(outcome(), "'" + path + "/sub' is not a regular file");
}

TEST(SafetensorsSet, ReadsTheSharedModels) {
  PAGODA_REQUIRE_SHARED(models, "models");
  unsigned count = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(models)) {
    if (!entry.is_directory())
      continue;
    ++count;
    auto set = SafetensorsSet::open(entry.path());
    ASSERT_TRUE(set.ok()) << set.status().message();
    EXPECT_FALSE(set->tensors().empty());
    for (const SafetensorsTensor *tensor : set->tensors())
      EXPECT_TRUE(set->elementType(*tensor).ok()) << tensor->name;
    auto golden = SafetensorsFile::open(entry.path() / "golden.safetensors");
    ASSERT_TRUE(golden.ok()) << golden.status().message();
    EXPECT_TRUE(golden->findTensor("greedy_a")) << entry.path();
  }
  EXPECT_GE(count, 20u);
}
