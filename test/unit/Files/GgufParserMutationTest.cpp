// Damaged files must be refused, or be safe to read; see also test/fuzz.

#include "AllocationMeter.h"
#include "Mutation.h"
#include "ReadEverything.h"
#include "pagoda/Files/GgufWriter.h"

#include <gtest/gtest.h>

using namespace pagoda;

namespace {

std::string smallModel() {
  GgufWriter writer(64);
  writer.addString("general.architecture", "llama");
  writer.addU32("llama.block_count", 2);
  writer.addF32("llama.rope.freq_base", 10000.0f);
  writer.addBool("tokenizer.ggml.add_bos_token", true);
  writer.addStrings("tokenizer.ggml.tokens",
                    std::vector<std::string>{"a", "bc", "", "def"});
  writer.addI32s("tokenizer.ggml.token_type",
                 std::vector<int32_t>{1, 1, 3, -1});
  writer.addBools("flags", {true, false, true});
  writer.addU64("large", uint64_t(1) << 40);
  std::vector<std::byte> bytes(4096);
  auto add = [&](std::string_view name, std::vector<int64_t> shape,
                 ElementType type, size_t size) {
    Status added = writer.addTensor(name, std::move(shape), type,
                                    std::span(bytes).first(size));
    EXPECT_TRUE(added.ok()) << added.message();
  };
  auto q4 = ElementType::quantised(QuantFormat::q4_1());
  auto q6 = ElementType::quantised(QuantFormat::q6_k());
  add("token_embd.weight", {4, 32}, q4, 80);
  add("blk.0.attn_q.weight", {2, 256}, q6, 420);
  add("output_norm.weight", {32}, DType::F32, 128);
  add("experts", {2, 3, 2, 2}, DType::F16, 48);
  return *writer.toBytes();
}

} // namespace

TEST(GgufParserMutation, DamagedFilesAreRefusedOrSafe) {
  std::string original = smallModel();
  size_t tables = original.size() - (128 + 448 + 128 + 64);
  unsigned accepted = 0, refused = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    ExactBytes variant(mutate(original, tables, i));
    AllocationMeter meter;
    auto file = GgufFile::fromBytes(variant.bytes(), "t.gguf");
    // Four times the file for the tables; the rest is a message being made.
    ASSERT_LE(meter.peak(), 4 * variant.bytes().size() + 4096) << i;
    if (file.ok()) {
      ++accepted;
      readEverything(*file);
    } else {
      ++refused;
      ASSERT_LT(file.status().message().size(), 600u) << i;
    }
  }
  // Both outcomes are worth testing, so the variants must give both.
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 10000u);
}
