// What the reader accepts and refuses, one broken field at a time.

#include "RawSafetensors.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Files/Safetensors.h"

#include <gtest/gtest.h>

using namespace pagoda;

namespace {

std::string outcomeOf(const std::string &bytes) {
  auto file = SafetensorsFile::fromBytes(bytesOf(bytes), "t.st");
  return file.ok() ? "accepted" : file.status().message();
}

std::string outcome(std::string_view header, size_t dataBytes) {
  return outcomeOf(rawSafetensors(header, dataBytes));
}

/// `"name": {…}` of a header.
std::string entry(std::string_view name, std::string_view dtype,
                  std::string_view shape, std::string_view offsets) {
  return concat("\"", name, "\": {\"dtype\": \"", dtype, "\", \"shape\": [",
                shape, "], \"data_offsets\": [", offsets, "]}");
}

std::string one(std::string_view dtype, std::string_view shape,
                std::string_view offsets) {
  return concat("{", entry("w", dtype, shape, offsets), "}");
}

/// Two F32 vectors of two elements each.
std::string two(std::string_view first, std::string_view second) {
  return concat("{", entry("a", "F32", "2", first), ", ",
                entry("b", "F32", "2", second), "}");
}

} // namespace

TEST(SafetensorsParser, AcceptsTheSmallestFiles) {
  EXPECT_EQ(outcome("{}", 0), "accepted");
  EXPECT_EQ(outcome("{}      ", 0), "accepted"); // writers pad with spaces
  EXPECT_EQ(outcome(one("F32", "", "0, 4"), 4), "accepted");
  EXPECT_EQ(outcome(one("F32", "3, 0", "0, 0"), 0), "accepted");
}

// The rows of a public report: each of these once loaded somewhere.
TEST(SafetensorsParser, RefusesOffsetsThatDoNotFit) {
  EXPECT_EQ(outcome(one("F32", "1000, 1000", "0, 4"), 4),
            "t.st: tensor 'w' of type F32 and shape [1000, 1000] needs 4000000 "
            "bytes, but its data_offsets [0, 4] enclose 4");
  EXPECT_EQ(outcome(one("F32", "1000, 1000", "0, 4000000"), 4),
            "t.st: tensor 'w' ends at byte 4000000 of the data, but the file "
            "holds only 4 bytes of it; the file is incomplete, download it "
            "again");
  EXPECT_EQ(outcome(one("F32", "2", "8, 0"), 8),
            "t.st: tensor 'w' begins at byte 8 and ends before it, at 0");
  EXPECT_EQ(outcome(two("0, 8", "8, 16"), 16), "accepted");
  EXPECT_EQ(outcome(two("8, 16", "0, 8"), 16), "accepted");
  EXPECT_EQ(outcome(two("0, 8", "4, 12"), 12),
            "t.st: tensors 'a' and 'b' overlap");
  EXPECT_EQ(outcome(two("0, 8", "0, 8"), 8),
            "t.st: tensors 'a' and 'b' overlap");
  EXPECT_EQ(outcome(two("0, 8", "12, 20"), 20),
            "t.st: bytes 8 to 12 of the data, in front of tensor 'b', belong "
            "to no tensor");
  EXPECT_EQ(outcome(two("0, 8", "8, 16"), 18),
            "t.st: 2 bytes after the last tensor, 'b', belong to no tensor");
  EXPECT_EQ(outcome("{}", 2), "t.st: 2 bytes of data belong to no tensor");
}

TEST(SafetensorsParser, RefusesOddHeaders) {
  EXPECT_EQ(outcomeOf("1234567"),
            "t.st: a safetensors file has at least 8 bytes, this one has 7");
  std::string large = rawSafetensors("{}", 0);
  large[5] = 1; // 2^40 and the 2 there are
  EXPECT_EQ(outcomeOf(large),
            "t.st: not a safetensors file: its first 8 bytes would be a header "
            "length of 1099511627778");
  std::string cut = rawSafetensors("{} ", 0);
  cut.pop_back();
  EXPECT_EQ(outcomeOf(cut),
            "t.st: the header should have 3 bytes, but only 2 follow; the file "
            "is incomplete, download it again");
  EXPECT_EQ(outcome("tensor", 0), "t.st: line 1, column 2: invalid literal");
  EXPECT_EQ(outcome("[]", 0),
            "t.st: the header must be a JSON object, found array");
  EXPECT_EQ(outcome("{\"w\": 1}", 0),
            "t.st: 'w' must be an object, found integer");
  EXPECT_EQ(outcome("{\"a\": {}}", 0), "t.st: 'a.dtype' is missing");
  EXPECT_EQ(outcome(std::string(100000, '['), 0),
            "t.st: line 1, column 65: nesting is deeper than 64");
}

TEST(SafetensorsParser, RefusesNamesThatOccurTwice) {
  std::string twice = concat("{", entry("w", "U8", "1", "0, 1"), ",",
                             entry("w", "U8", "1", "1, 2"), "}");
  EXPECT_EQ(outcome(twice, 2),
            "t.st: line 1, column 119: key 'w' stands twice in the object that "
            "ends here");
}

TEST(SafetensorsParser, RefusesOddEntries) {
  EXPECT_EQ(outcome(one("F31", "1", "0, 4"), 4),
            "t.st: tensor 'w' has dtype 'F31', which safetensors does not "
            "have");
  EXPECT_EQ(outcome(one("f32", "1", "0, 4"), 4),
            "t.st: tensor 'w' has dtype 'f32', which safetensors does not "
            "have");
  EXPECT_EQ(outcome(one("F32", "-1", "0, 4"), 4),
            "t.st: tensor 'w' has a dimension of size -1");
  EXPECT_EQ(outcome(one("F32", "1.0", "0, 4"), 4),
            "t.st: 'w.shape[0]' must be an integer, found float");
  EXPECT_EQ(outcome(one("F32", "18446744073709551615", "0, 4"), 4),
            "t.st: 'w.shape[0]' does not fit in 64 bits with a sign");
  EXPECT_EQ(outcome(one("F32", "1", "0, 4, 8"), 4),
            "t.st: 'w.data_offsets' must have 2 elements, found 3");
  EXPECT_EQ(outcome(one("F32", "1", "-4, 0"), 4),
            "t.st: 'w.data_offsets[0]' must not be negative");
  // 2^62 elements of 4 bytes would wrap to none.
  EXPECT_EQ(outcome(one("F32", "2147483648, 2147483648", "0, 0"), 0),
            "t.st: tensor 'w' has more elements than 64 bits can count");
  EXPECT_EQ(outcome(one("F4", "3", "0, 2"), 2),
            "t.st: tensor 'w' of type F4 does not end at a whole byte");
  EXPECT_EQ(outcome(one("F32", "0, 4294967296, 4294967296", "0, 0"), 0),
            "accepted");
}

TEST(SafetensorsParser, MetadataHoldsTextsOnly) {
  EXPECT_EQ(outcome(R"({"__metadata__": {"format": "pt"}})", 0), "accepted");
  EXPECT_EQ(outcome(R"({"__metadata__": {"format": 1}})", 0),
            "t.st: '__metadata__.format' must be a string, found integer");
  EXPECT_EQ(outcome(R"({"__metadata__": []})", 0),
            "t.st: '__metadata__' must be an object, found array");
}

TEST(SafetensorsParser, RefusesEveryPrefix) {
  std::string whole = rawSafetensors(two("0, 8", "8, 16"), 16);
  ASSERT_EQ(outcomeOf(whole), "accepted");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(outcomeOf(whole.substr(0, size)), "accepted") << size;
}

TEST(SafetensorsParser, KnowsTheSizesOfAllTypes) {
  struct Row {
    const char *name;
    size_t bytesOfEight;
  };
  for (Row row :
       {Row{"F64", 64}, {"F32", 32},        {"F16", 16},        {"BF16", 16},
        {"I64", 64},    {"I32", 32},        {"I16", 16},        {"I8", 8},
        {"U8", 8},      {"BOOL", 8},        {"U64", 64},        {"U32", 32},
        {"U16", 16},    {"C64", 64},        {"F8_E5M2", 8},     {"F8_E4M3", 8},
        {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6},
        {"F6_E3M2", 6}, {"F4", 4}}) {
    std::string header = one(row.name, "4, 2", concat("0, ", row.bytesOfEight));
    EXPECT_EQ(outcome(header, row.bytesOfEight), "accepted") << row.name;
  }
}
