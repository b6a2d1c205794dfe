// What the reader accepts and refuses, one broken field at a time.

#include "RawGguf.h"
#include "pagoda/Files/Gguf.h"

#include <gtest/gtest.h>

using namespace pagoda;

namespace {

constexpr auto U32 = GgufValueType::U32;
constexpr auto Array = GgufValueType::Array;

/// The error's text, or "accepted".
std::string outcome(const RawGguf &raw) {
  auto file = GgufFile::fromBytes(raw.bytes(), "t.gguf");
  return file.ok() ? "accepted" : file.status().message();
}

/// A file with one F32 tensor of four elements, as far as its tensor table.
RawGguf oneTensor(std::string_view name = "w") {
  RawGguf raw(1, 0);
  return raw.tensor(name, {4}, 0, 0);
}

std::string cutShort(size_t size, std::string_view where) {
  return concat("t.gguf: file ends after ", size, " bytes, in ", where,
                "; the file is incomplete, download or convert it again");
}

} // namespace

TEST(GgufParser, AcceptsTheSmallestFiles) {
  EXPECT_EQ(outcome(RawGguf(0, 0)), "accepted");
  EXPECT_EQ(outcome(RawGguf(0, 0, 2)), "accepted");
  EXPECT_EQ(outcome(oneTensor().pad().zeros(16)), "accepted");
}

TEST(GgufParser, RefusesOtherFormatsByName) {
  RawGguf raw(0, 0);
  raw.text = "ggjt";
  EXPECT_EQ(outcome(raw),
            "t.gguf: not a GGUF file: it does not start with 'GGUF'");
  raw.text = "GG";
  EXPECT_EQ(outcome(raw),
            "t.gguf: not a GGUF file: it does not start with 'GGUF'");
  EXPECT_EQ(outcome(RawGguf(0, 0, 1)),
            "t.gguf: GGUF version 1 is not supported, only 2 and 3; convert "
            "the model again");
  EXPECT_EQ(outcome(RawGguf(0, 0, 4)),
            "t.gguf: GGUF version 4 is not supported, only 2 and 3; convert "
            "the model again");
  EXPECT_EQ(outcome(RawGguf(0, 0, 3u << 24)),
            "t.gguf: big-endian GGUF is not supported; convert it with "
            "gguf-py's gguf-convert-endian");
  EXPECT_EQ(GgufFile::fromBytes(RawGguf(0, 0, 1).bytes(), "t").status().code(),
            StatusCode::Unsupported);
}

TEST(GgufParser, RefusesCountsThatCannotBe) {
  EXPECT_EQ(outcome(RawGguf(uint64_t(1) << 40, 0)),
            "t.gguf: header promises 1099511627776 tensors; at most 1048576 "
            "are read");
  EXPECT_EQ(outcome(RawGguf(0, ~uint64_t(0))),
            "t.gguf: header promises 18446744073709551615 metadata entries; at "
            "most 1048576 are read");
  EXPECT_EQ(outcome(RawGguf(1000, 0).zeros(33)),
            "t.gguf: header promises 1000 tensors, but only 33 bytes follow; "
            "the file is incomplete, download or convert it again");
  EXPECT_EQ(outcome(RawGguf(0, 3).zeros(20)),
            "t.gguf: header promises 3 metadata entries, but only 20 bytes "
            "follow; the file is incomplete, download or convert it again");
}

// A file cut at any byte is refused, and never with the wrong reason.
TEST(GgufParser, RefusesEveryPrefix) {
  RawGguf raw(1, 2);
  raw.key("a", U32).number(uint32_t(7));
  raw.key("list", Array).number(GgufValueType::String).number(uint64_t(2));
  raw.string("x").string("yz");
  raw.tensor("w", {4}, 0, 0).pad().zeros(16);
  ASSERT_EQ(outcome(raw), "accepted");
  for (size_t size = 0; size < raw.text.size(); ++size) {
    RawGguf cut(0, 0);
    cut.text = raw.text.substr(0, size);
    EXPECT_NE(outcome(cut), "accepted") << size;
  }
  raw.text.resize(10);
  EXPECT_EQ(outcome(raw), cutShort(10, "the header"));
}

TEST(GgufParser, SaysWhereTheFileEnds) {
  RawGguf raw(0, 1);
  raw.key("a", GgufValueType::U64).number(uint32_t(7));
  EXPECT_EQ(outcome(raw), cutShort(41, "key 'a'"));

  RawGguf table(1, 0);
  table.string("w").number(uint32_t(4));
  for (int i = 0; i < 3; ++i)
    table.number(int64_t(4));
  EXPECT_EQ(outcome(table), cutShort(table.text.size(), "tensor 'w'"));

  EXPECT_EQ(outcome(oneTensor().pad().zeros(15)),
            "t.gguf: tensor 'w' needs 16 bytes at offset 0 of the tensor data, "
            "but the file holds only 15 bytes of it; the file is incomplete, "
            "download or convert it again");
  EXPECT_EQ(outcome(oneTensor()),
            "t.gguf: tensor 'w' needs 16 bytes at offset 0 of the tensor data, "
            "but the file holds only 0 bytes of it; the file is incomplete, "
            "download or convert it again");
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

TEST(GgufParser, RefusesKeysThatOccurTwice) {
  RawGguf raw(0, 3);
  raw.key("llama.block_count", U32).number(uint32_t(2));
  raw.key("other", U32).number(uint32_t(2));
  raw.key("llama.block_count", U32).number(uint32_t(1));
  EXPECT_EQ(outcome(raw), "t.gguf: key 'llama.block_count' occurs twice");
}

TEST(GgufParser, RefusesOddKeys) {
  auto withKey = [](std::string_view key) {
    return outcome(RawGguf(0, 1).key(key, U32).number(uint32_t(2)));
  };
  EXPECT_EQ(withKey("some.key"), "accepted");
  EXPECT_EQ(withKey(""), "t.gguf: key 0 is empty");
  EXPECT_EQ(withKey("a\xff"), "t.gguf: key 0, 'a\\xff', is not UTF-8");
  EXPECT_EQ(withKey(std::string_view("a\0b", 3)),
            "t.gguf: key 0, 'a\\x00b', holds a zero byte");
  EXPECT_EQ(withKey(std::string(65536, 'k')),
            "t.gguf: key 0, '" + std::string(80, 'k') +
                "…', has 65536 bytes; at most 65535 are allowed");
  RawGguf raw(0, 1);
  raw.number(uint64_t(1) << 48).zeros(6);
  EXPECT_EQ(outcome(raw), "t.gguf: key 0 has a length of 281474976710656 "
                          "bytes, but only 6 bytes follow");
}

TEST(GgufParser, RefusesOddValues) {
  auto valueOf = [](GgufValueType type) {
    return RawGguf(0, 1).key("k", type);
  };
  EXPECT_EQ(outcome(valueOf(GgufValueType(13)).zeros(8)),
            "t.gguf: key 'k' has type 13, which GGUF does not have");
  EXPECT_EQ(outcome(valueOf(GgufValueType::Bool).number(uint8_t(2))),
            "t.gguf: key 'k' holds a bool that is neither 0 nor 1");
  EXPECT_EQ(outcome(valueOf(GgufValueType::String).number(~uint64_t(0))),
            "t.gguf: key 'k' has a length of 18446744073709551615 bytes, but "
            "only 0 bytes follow");
}

TEST(GgufParser, RefusesOddArrays) {
  auto arrayOf = [](GgufValueType type, uint64_t count) {
    return RawGguf(0, 1).key("k", Array).number(type).number(count);
  };
  EXPECT_EQ(outcome(arrayOf(U32, 2).zeros(8)), "accepted");
  EXPECT_EQ(outcome(arrayOf(GgufValueType::String, 0)), "accepted");
  EXPECT_EQ(outcome(arrayOf(U32, uint64_t(1) << 40).zeros(20)),
            "t.gguf: key 'k' promises 1099511627776 elements, but only 20 "
            "bytes follow");
  // 2^62 elements of 4 bytes would wrap to none.
  EXPECT_EQ(outcome(arrayOf(U32, uint64_t(1) << 62).zeros(20)),
            "t.gguf: key 'k' promises 4611686018427387904 elements, but only "
            "20 bytes follow");
  EXPECT_EQ(outcome(arrayOf(GgufValueType::String, 3).zeros(20)),
            "t.gguf: key 'k' promises 3 elements, but only 20 bytes follow");
  EXPECT_EQ(outcome(arrayOf(Array, 1).zeros(20)),
            "t.gguf: key 'k' is an array of arrays, which ggml does not read "
            "either");
  EXPECT_EQ(outcome(arrayOf(GgufValueType(99), 1).zeros(20)),
            "t.gguf: key 'k' is an array of type 99, which GGUF does not have");
  EXPECT_EQ(outcome(arrayOf(GgufValueType::Bool, 1).number(uint8_t(255))),
            "t.gguf: key 'k' holds a bool that is neither 0 nor 1");
}

TEST(GgufParser, RefusesOddAlignments) {
  auto aligned = [](uint32_t alignment) {
    RawGguf raw(1, 1);
    raw.key("general.alignment", U32).number(alignment);
    return outcome(raw.tensor("w", {4}, 0, 0).pad(64).zeros(64));
  };
  EXPECT_EQ(aligned(64), "accepted");
  EXPECT_EQ(aligned(8), "accepted");
  for (uint32_t bad : {0u, 1u, 3u, 4u, 48u, 4194304u, 2147483648u})
    EXPECT_EQ(aligned(bad),
              concat("t.gguf: key 'general.alignment' is ", bad,
                     "; a power of two from 8 to 2097152 is expected"));
  RawGguf i32(0, 1);
  i32.key("general.alignment", GgufValueType::I32).number(int32_t(64));
  EXPECT_EQ(
      outcome(i32),
      "t.gguf: key 'general.alignment' must be a u32, but is of type i32");
  RawGguf text(0, 1);
  text.key("general.alignment", GgufValueType::String).string("64");
  EXPECT_EQ(
      outcome(text),
      "t.gguf: key 'general.alignment' must be a u32, but is of type string");
  RawGguf list(0, 1);
  list.key("general.alignment", Array).number(U32).number(uint64_t(0));
  EXPECT_EQ(outcome(list),
            "t.gguf: key 'general.alignment' must be a u32, but is an array");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TEST(GgufParser, RefusesTensorsThatOccurTwice) {
  RawGguf raw(3, 0);
  raw.tensor("token_embd.weight", {4}, 0, 0).tensor("x", {4}, 0, 32);
  raw.tensor("token_embd.weight", {4}, 0, 64).pad().zeros(96);
  EXPECT_EQ(outcome(raw), "t.gguf: tensor 'token_embd.weight' occurs twice");
}

TEST(GgufParser, RefusesOddTensorNames) {
  auto named = [](std::string_view name) {
    return outcome(oneTensor(name).pad().zeros(16));
  };
  EXPECT_EQ(named(std::string(63, 'n')), "accepted");
  EXPECT_EQ(named(std::string(200, 'n')),
            "t.gguf: the name of tensor 0, '" + std::string(80, 'n') +
                "…', has 200 bytes; at most 63 are allowed");
  EXPECT_EQ(named(std::string(64, 'n')),
            "t.gguf: the name of tensor 0, '" + std::string(64, 'n') +
                "', has 64 bytes; at most 63 are allowed");
  EXPECT_EQ(named(""), "t.gguf: the name of tensor 0 is empty");
  EXPECT_EQ(named("w\xc0\x80"),
            "t.gguf: the name of tensor 0, 'w\\xc0\\x80', is not UTF-8");
  EXPECT_EQ(named(std::string_view("w\0x", 3)),
            "t.gguf: the name of tensor 0, 'w\\x00x', holds a zero byte");
}

TEST(GgufParser, RefusesOddShapes) {
  auto shaped = [](std::vector<int64_t> ne, uint32_t type = 0) {
    return outcome(RawGguf(1, 0).tensor("w", ne, type, 0).pad().zeros(1024));
  };
  EXPECT_EQ(shaped({2, 3, 4, 5}), "accepted");
  EXPECT_EQ(shaped({}), "t.gguf: tensor 'w' has 0 dimensions; 1 to 4 are "
                        "allowed");
  EXPECT_EQ(shaped({1, 1, 1, 1, 1}),
            "t.gguf: tensor 'w' has 5 dimensions; 1 to 4 are allowed");
  EXPECT_EQ(shaped({4, 0}), "t.gguf: tensor 'w' has a dimension of size 0");
  EXPECT_EQ(shaped({4, -1}), "t.gguf: tensor 'w' has a dimension of size -1");
  int64_t large = int64_t(1) << 32;
  EXPECT_EQ(shaped({large, large}),
            "t.gguf: tensor 'w' has more elements than 64 bits can count");
  EXPECT_EQ(shaped({large / 2, large / 2, 1, 1}, 24),
            "t.gguf: tensor 'w' needs 4611686018427387904 bytes at offset 0 of "
            "the tensor data, but the file holds only 1024 bytes of it; the "
            "file is incomplete, download or convert it again");
  // 2^62 elements of 8 bytes would wrap to none.
  EXPECT_EQ(shaped({large / 2, large / 2}, 28),
            "t.gguf: tensor 'w' has more bytes than 64 bits can count");
  EXPECT_EQ(shaped({48, 2}, 2), "t.gguf: tensor 'w' has rows of 48 elements; "
                                "Q4_0 needs a multiple of 32");
}

TEST(GgufParser, RefusesTypesOfUnknownSize) {
  for (uint32_t id : {4u, 5u, 31u, 36u, 42u, 4294967295u})
    EXPECT_EQ(
        outcome(RawGguf(1, 0).tensor("w", {256}, id, 0)),
        concat("t.gguf: tensor 'w' has type id ", id, ", which is not known"));
}

TEST(GgufParser, RefusesOddOffsets) {
  auto placed = [](uint64_t first, uint64_t second) {
    RawGguf raw(2, 0);
    raw.tensor("a", {16}, 0, first).tensor("b", {16}, 0, second);
    return outcome(raw.pad().zeros(192));
  };
  EXPECT_EQ(placed(0, 64), "accepted");
  EXPECT_EQ(placed(64, 0), "accepted"); // ggml would not; harmless
  EXPECT_EQ(placed(0, 128), "accepted");
  EXPECT_EQ(placed(0, 65), "t.gguf: tensor 'b' has offset 65, which is not a "
                           "multiple of the alignment, 32");
  EXPECT_EQ(placed(0, 32), "t.gguf: tensors 'a' and 'b' overlap in the file");
  EXPECT_EQ(placed(32, 0), "t.gguf: tensors 'b' and 'a' overlap in the file");
  EXPECT_EQ(placed(64, 64), "t.gguf: tensors 'a' and 'b' overlap in the file");
  EXPECT_EQ(placed(0, 160),
            "t.gguf: tensor 'b' needs 64 bytes at offset 160 of the tensor "
            "data, but the file holds only 192 bytes of it; the file is "
            "incomplete, download or convert it again");
  // Would end at 32 if the sum wrapped.
  EXPECT_EQ(placed(0, ~uint64_t(0) - 31),
            "t.gguf: tensor 'b' needs 64 bytes at offset 18446744073709551584 "
            "of the tensor data, but the file holds only 192 bytes of it; the "
            "file is incomplete, download or convert it again");
}

TEST(GgufParser, MessagesStayPrintable) {
  EXPECT_EQ(outcome(oneTensor("w\x1b[2J").pad()),
            "t.gguf: tensor 'w\\x1b[2J' needs 16 bytes at offset 0 of the "
            "tensor data, but the file holds only 0 bytes of it; the file is "
            "incomplete, download or convert it again");
}
