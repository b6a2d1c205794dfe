// Damaged files must be refused, or be safe to read; see also test/fuzz.

#include "AllocationMeter.h"
#include "Mutation.h"
#include "RawSafetensors.h"
#include "ReadEverything.h"

#include <gtest/gtest.h>

using namespace pagoda;

namespace {

const std::string_view snippets[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ":",
                                     "\"",
                                     "0",
                                     "1",
                                     "9",
                                     "-",
                                     "null",
                                     "\"F32\"",
                                     "\"F4\"",
                                     "\"F8_E4M3\"",
                                     "\"BOOL\"",
                                     "1e9",
                                     "\\u0000",
                                     "[0, 0]",
                                     "[]",
                                     "{}",
                                     "99999999999999999999",
                                     "9223372036854775807",
                                     "18446744073709551615"};

std::string smallModel() {
  return rawSafetensors(
      R"({"__metadata__": {"format": "pt"},)"
      R"("norm": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},)"
      R"("w": {"dtype": "BF16", "shape": [2, 4], "data_offsets": [16, 32]},)"
      R"("q": {"dtype": "F8_E4M3", "shape": [8], "data_offsets": [32, 40]},)"
      R"("e": {"dtype": "I64", "shape": [0], "data_offsets": [40, 40]},)"
      R"("s": {"dtype": "U8", "shape": [], "data_offsets": [40, 41]}}   )",
      41);
}

} // namespace

TEST(SafetensorsParserMutation, DamagedFilesAreRefusedOrSafe) {
  std::string original = smallModel();
  unsigned accepted = 0, refused = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    std::string text = mutate(original, original.size() - 41, i, snippets);
    // Every other variant has a true header length, to get past it.
    if (i % 2 && text.size() > 8 + 41) {
      uint64_t length = text.size() - 8 - 41;
      std::memcpy(text.data(), &length, sizeof length);
    }
    ExactBytes variant(text);
    AllocationMeter meter;
    auto file = SafetensorsFile::fromBytes(variant.bytes(), "t.st");
    // A JSON value takes up to 16 bytes for two of text, and vectors grow by
    // doubling; the rest is a message being made.
    ASSERT_LE(meter.peak(), 32 * variant.bytes().size() + 4096) << i;
    if (file.ok()) {
      ++accepted;
      readEverything(*file);
    } else {
      ++refused;
      ASSERT_LT(file.status().message().size(), 600u) << i;
    }
  }
  EXPECT_GT(accepted, 200u);
  EXPECT_GT(refused, 10000u);
}
