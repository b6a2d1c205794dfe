#include "pagoda/Files/GgufWriter.h"

#include "pagoda/Files/Gguf.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using testing::ElementsAre;

namespace {

std::span<const std::byte> bytesOf(const std::vector<float> &values) {
  return std::as_bytes(std::span(values));
}

} // namespace

TEST(GgufWriter, WhatIsWrittenIsRead) {
  GgufWriter writer(64);
  writer.addString("general.architecture", "llama");
  writer.addBool("flag", true);
  writer.addU32("u32", 7);
  writer.addI32("i32", -7);
  writer.addU64("u64", uint64_t(1) << 40);
  writer.addI64("i64", -1);
  writer.addF32("f32", 0.5f);
  writer.addF64("f64", 1e300);
  writer.addBools("bools", {true, false});
  writer.addU32s("u32s", std::vector<uint32_t>{1, 2});
  writer.addI32s("i32s", std::vector<int32_t>{-1, 2});
  writer.addF32s("f32s", std::vector<float>{0.25f});
  writer.addStrings("strings", std::vector<std::string>{"a", "bc"});
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {7};
  std::vector<std::byte> blocks(2 * 3 * 20);
  ASSERT_TRUE(writer.addTensor("a", {2, 3}, DType::F32, bytesOf(a)).ok());
  ASSERT_TRUE(writer
                  .addTensor("q", {3, 64},
                             ElementType::quantised(QuantFormat::q4_1()),
                             blocks)
                  .ok());
  ASSERT_TRUE(writer.addTensor("b", {1}, DType::F32, bytesOf(b)).ok());

  std::string path = testing::TempDir() + "written.gguf";
  Status written = writer.write(path);
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  auto file = GgufFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->version(), 3u);
  EXPECT_EQ(*file->getU32("general.alignment"), 64u);
  EXPECT_EQ(*file->getString("general.architecture"), "llama");
  EXPECT_TRUE(*file->getBool("flag"));
  EXPECT_EQ(*file->getU32("u32"), 7u);
  EXPECT_EQ(*file->getI32("i32"), -7);
  EXPECT_EQ(*file->getU64("u64"), uint64_t(1) << 40);
  EXPECT_EQ(*file->getI64("i64"), -1);
  EXPECT_EQ(*file->getF32("f32"), 0.5f);
  EXPECT_EQ(*file->getF64("f64"), 1e300);
  EXPECT_THAT(*file->getBools("bools"), ElementsAre(true, false));
  EXPECT_THAT(*file->getI64s("u32s"), ElementsAre(1, 2));
  EXPECT_THAT(*file->getI32s("i32s"), ElementsAre(-1, 2));
  EXPECT_THAT(*file->getF32s("f32s"), ElementsAre(0.25f));
  EXPECT_THAT(*file->getStrings("strings"), ElementsAre("a", "bc"));
  EXPECT_THAT(file->findTensor("a")->shape(), ElementsAre(2, 3));
  EXPECT_THAT(file->findTensor("q")->shape(), ElementsAre(3, 64));
  EXPECT_TRUE(std::ranges::equal(file->findTensor("a")->bytes, bytesOf(a)));
  EXPECT_TRUE(std::ranges::equal(file->findTensor("b")->bytes, bytesOf(b)));
}

TEST(GgufWriter, TensorsMustMatchTheirBytes) {
  GgufWriter writer;
  std::vector<float> data(6);
  EXPECT_EQ(writer.addTensor("a", {2, 4}, DType::F32, bytesOf(data)).message(),
            "tensor 'a' of shape [2, 4] and type F32 cannot have 24 bytes");
  EXPECT_FALSE(writer.addTensor("a", {}, DType::F32, bytesOf(data)).ok());
  EXPECT_FALSE(writer.addTensor("a", {0}, DType::F32, {}).ok());
  EXPECT_FALSE(
      writer.addTensor("a", {int64_t(1) << 62, 1, 4}, DType::F32, bytesOf(data))
          .ok());
  EXPECT_EQ(writer.addTensor("a", {24}, DType::U8, bytesOf(data)).message(),
            "tensor 'a': GGUF has no type for u8");
}

TEST(GgufWriter, FilesThatOthersWouldRefuseAreNotWritten) {
  GgufWriter twice;
  twice.addU32("k", 1);
  twice.addU32("k", 2);
  EXPECT_EQ(twice.toBytes().status().message(),
            "new GGUF: key 'k' occurs twice");
  std::string path = testing::TempDir() + "refused.gguf";
  EXPECT_FALSE(twice.write(path).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  EXPECT_FALSE(GgufWriter(0).toBytes().ok());
  EXPECT_EQ(GgufWriter().write("/no/such/folder/m.gguf").code(),
            StatusCode::IoError);
}
