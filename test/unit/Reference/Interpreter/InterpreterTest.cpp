// Programs of a few ops, with results worked out by hand.

#include "ParsedModule.h"

#include <cmath>

using namespace pagoda;
using namespace pagoda::reference;
using namespace pagoda::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Rows 0, 1, 2, 3 of a table of two columns, negated.
const char *kTable = R"(
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<4x2xf32>) -> tensor<?x2xf32>
)";

TEST(Interpreter, OpsFollowEachOther) {
  ParsedModule module(stepAround(std::string(kTable) + R"(
    %y = arith.addf %x, %x : tensor<?x2xf32>
    %rows = llm.rows %batch : tensor<?xi32>
    %result = llm.gather_rows %y, %rows : (tensor<?x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
    %last = builtin.unrealized_conversion_cast %cache : !llm.cache to !llm.cache
  )",
                                 2));
  Batch batch = batchOf({2, 0, 3});
  batch.rows = {0, 2};
  AbstractCache cache;
  // The cast of the cache has no meaning.
  EXPECT_THAT(module.run(batch, cache).status().message(),
              HasSubstr("the reference has no meaning for this op"));
}

std::string withoutCache(const std::string &body, int width) {
  std::string text = stepAround(body, width);
  text.replace(text.find("%last :"), 5, "%cache");
  return text;
}

TEST(Interpreter, WantedRows) {
  ParsedModule module(withoutCache(std::string(kTable) + R"(
    %y = arith.addf %x, %x : tensor<?x2xf32>
    %rows = llm.rows %batch : tensor<?xi32>
    %result = llm.gather_rows %y, %rows : (tensor<?x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  )",
                                   2));
  Batch batch = batchOf({2, 0, 3});
  batch.rows = {0, 2};
  AbstractCache cache;
  auto logits = module.run(batch, cache);
  ASSERT_TRUE(logits.ok()) << logits.status().message();
  EXPECT_THAT(logits->shape, ElementsAre(2, 2));
  EXPECT_THAT(logits->numbers, ElementsAre(10, 12, 14, 16));
  batch.rows = {};
  auto none = module.run(batch, cache);
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_THAT(none->shape, ElementsAre(0, 2));
}

// An f32 in a type rounds nothing, a cast does, and not if it is transparent.
TEST(Interpreter, OnlyCastsRound) {
  std::string text = withoutCache(std::string(kTable) + R"(
    %tiny = arith.constant dense<1.0e-5> : tensor<4x2xf32>
    %t = llm.embedding %ids, %tiny : (tensor<?xi32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    %s = arith.addf %x, %t : tensor<?x2xf32>
    %h = llm.cast %s : tensor<?x2xf32> to tensor<?x2xf16>
    %w = llm.cast %h : tensor<?x2xf16> to tensor<?x2xf32>
    %result = arith.subf %s, %w : tensor<?x2xf32>
  )",
                                  2);
  AbstractCache cache;
  ParsedModule rounding(text);
  auto rest = rounding.run(batchOf({0}), cache);
  ASSERT_TRUE(rest.ok()) << rest.status().message();
  EXPECT_THAT(rest->numbers[0], testing::DoubleEq(1 + double(1e-5f) - 1));
  InterpreterOptions options;
  options.transparentRoundings = true;
  ParsedModule transparent(text, options);
  auto nothing = transparent.run(batchOf({0}), cache);
  ASSERT_TRUE(nothing.ok());
  EXPECT_THAT(nothing->numbers, ElementsAre(0, 0));
}

TEST(Interpreter, QuantizedActivations) {
  std::string text = withoutCache(R"(
    %table = llm.weight @r["table"] : tensor<4x32xf32>
    %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<4x32xf32>) -> tensor<?x32xf32>
    %q = llm.quantize %x : tensor<?x32xf32> to tensor<?x32x!llm.q<i8, group = 32, scale = f32>>
    %result = llm.dequantize %q : tensor<?x32x!llm.q<i8, group = 32, scale = f32>> to tensor<?x32xf32>
  )",
                                  32) +
                     "llm.source @r random(seed = 1, deviation = 1.0)\n";
  ParsedModule rounding(text);
  InterpreterOptions options;
  options.transparentRoundings = true;
  ParsedModule transparent(text, options);
  AbstractCache cache;
  auto rounded = rounding.run(batchOf({1}), cache);
  auto exact = transparent.run(batchOf({1}), cache);
  ASSERT_TRUE(rounded.ok() && exact.ok());
  double largest = 0;
  for (double number : exact->numbers)
    largest = std::max(largest, std::abs(number));
  double scale = static_cast<float>(largest / 127);
  for (int k = 0; k < 32; ++k)
    EXPECT_EQ(rounded->numbers[k],
              std::nearbyint(exact->numbers[k] * 127 / largest) * scale);
}

/// Keys 0, so that attention is the mean of the values it sees: the ids.
const std::string kMean = R"(
  %table = arith.constant dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>
  %none = arith.constant dense<0.0> : tensor<6x1xf32>
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<6x1xf32>) -> tensor<?x1xf32>
  %z = llm.embedding %ids, %none : (tensor<?xi32>, tensor<6x1xf32>) -> tensor<?x1xf32>
  %tokens = llm.dim %batch, tokens
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%tokens, 1, 1] : tensor<?x1xf32> into tensor<?x1x1xf32>
  %k = tensor.expand_shape %z [[0], [1, 2]] output_shape [%tokens, 1, 1] : tensor<?x1xf32> into tensor<?x1x1xf32>
)";
const std::string kFlat = R"(
  %result = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x1x1xf32> into tensor<?x1xf32>
)";
const std::string kPaged =
    ", llm.kv_policy = #llm.kv_policy<dtype = f32, block = 16>";

TEST(Interpreter, AttentionOverAPast) {
  ParsedModule module(stepAround(kMean + R"(
    %o, %last = llm.attention %k, %k, %v, %batch, %cache layer 0 scale 1.0 : tensor<?x1x1xf32>, tensor<?x1x1xf32>
  )" + kFlat,
                                 1));
  AbstractCache cache;
  auto first = module.run(batchOf({1, 3}), cache);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_THAT(first->numbers, ElementsAre(1, 2));
  auto second = module.run(batchOf({5, 3}, 2), cache);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_THAT(second->numbers, ElementsAre(3, 3));
}

TEST(Interpreter, SequencesDoNotMeet) {
  ParsedModule module(stepAround(kMean + R"(
    %o, %last = llm.attention %k, %k, %v, %batch, %cache layer 0 scale 1.0 window 2 : tensor<?x1x1xf32>, tensor<?x1x1xf32>
  )" + kFlat,
                                 1));
  AbstractCache cache;
  Batch batch = batchOf({1, 3, 5, 4});
  batch.qStart = {0, 3, 4};
  batch.kvLength = {3, 1};
  batch.position = {0, 1, 2, 0};
  batch.sequence = {0, 1};
  auto logits = module.run(batch, cache);
  ASSERT_TRUE(logits.ok()) << logits.status().message();
  EXPECT_THAT(logits->numbers, ElementsAre(1, 2, 4, 4));
}

TEST(Interpreter, PagedAttention) {
  ParsedModule module(stepAround(kMean + R"(
    %last = llm.kv_append %cache, %k, %v, %batch layer 0 : tensor<?x1x1xf32>
    %o = llm.paged_attention %k, %last, %batch layer 0 kv_heads 1 scale 1.0 : tensor<?x1x1xf32>
  )" + kFlat,
                                 1, kPaged));
  PagedCache cache(16, 2);
  ASSERT_TRUE(module.run(batchOf({1, 3}), cache).ok());
  auto second = module.run(batchOf({5}, 2), cache);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_THAT(second->numbers, ElementsAre(3));
  // A table that is off by one finds slots that nothing was stored in.
  Batch batch = batchOf({5}, 3);
  batch.blockTable = {1, 0};
  auto wrong = module.run(batch, cache);
  ASSERT_TRUE(wrong.ok());
  EXPECT_TRUE(std::isnan(wrong->numbers[0]));
}

TEST(Interpreter, TheCacheIsUsedLinearly) {
  ParsedModule early(stepAround(kMean + R"(
    %last = llm.kv_append %cache, %k, %v, %batch layer 0 : tensor<?x1x1xf32>
    %o = llm.paged_attention %k, %cache, %batch layer 0 kv_heads 1 scale 1.0 : tensor<?x1x1xf32>
  )" + kFlat,
                                1, kPaged));
  PagedCache cache(16, 2);
  auto nothing = early.run(batchOf({1}), cache);
  ASSERT_TRUE(nothing.ok()) << nothing.status().message();
  EXPECT_TRUE(std::isnan(nothing->numbers[0])); // before the append

  ParsedModule twice(stepAround(kMean + R"(
    %one = llm.kv_append %cache, %k, %v, %batch layer 0 : tensor<?x1x1xf32>
    %last = llm.kv_append %cache, %k, %v, %batch layer 1 : tensor<?x1x1xf32>
    %o = llm.paged_attention %k, %one, %batch layer 0 kv_heads 1 scale 1.0 : tensor<?x1x1xf32>
  )" + kFlat,
                                1, kPaged));
  EXPECT_THAT(twice.run(batchOf({1}), cache).status().message(),
              HasSubstr("takes a cache that another op appended to already"));

  ParsedModule lost(stepAround(kMean + R"(
    %one = llm.kv_append %cache, %k, %v, %batch layer 0 : tensor<?x1x1xf32>
    %last = builtin.unrealized_conversion_cast to !llm.cache
    %o = llm.paged_attention %k, %one, %batch layer 0 kv_heads 1 scale 1.0 : tensor<?x1x1xf32>
  )" + kFlat,
                               1, kPaged));
  EXPECT_FALSE(lost.run(batchOf({1}), cache).ok());
}

TEST(Interpreter, EachCacheHasItsOps) {
  ParsedModule module(stepAround(kMean + R"(
    %last = llm.kv_append %cache, %k, %v, %batch layer 0 : tensor<?x1x1xf32>
    %o = llm.paged_attention %k, %last, %batch layer 0 kv_heads 1 scale 1.0 : tensor<?x1x1xf32>
  )" + kFlat,
                                 1));
  AbstractCache cache;
  EXPECT_THAT(module.run(batchOf({1}), cache).status().message(),
              HasSubstr("the program is not paged"));
}

TEST(Interpreter, MessagesNameTheOp) {
  ParsedModule module(withoutCache(std::string(kTable) + R"(
    %y = math.atan %x : tensor<?x2xf32> loc("layer.0.angle")
    %result = arith.addf %y, %y : tensor<?x2xf32>
  )",
                                   2));
  AbstractCache cache;
  EXPECT_EQ(module.run(batchOf({0}), cache).status().message(),
            "math.atan at layer.0.angle: the reference has no meaning for this "
            "op");
  EXPECT_THAT(module.run(batchOf({9}), cache).status().message(),
              HasSubstr("id 9 is not in a table of 4"));
}

TEST(Interpreter, GroupsAreTransparent) {
  ParsedModule module(withoutCache(std::string(kTable) + R"(
    %w = llm.weight @r["w"] : tensor<64x2xf32>
    %plain = llm.linear %x, %w : (tensor<?x2xf32>, tensor<64x2xf32>) -> tensor<?x64xf32>
    %p = llm.weight.pack %w : tensor<64x2xf32> to !llm.packed<tile32, tensor<64x2xf32>>
    %grouped = llm.fused (%x, %p) : (tensor<?x2xf32>, !llm.packed<tile32, tensor<64x2xf32>>) -> tensor<?x64xf32> {
    ^bb0(%a: tensor<?x2xf32>, %b: !llm.packed<tile32, tensor<64x2xf32>>):
      %u = llm.weight.unpack %b : !llm.packed<tile32, tensor<64x2xf32>>
      %y = llm.linear %a, %u : (tensor<?x2xf32>, tensor<64x2xf32>) -> tensor<?x64xf32>
      llm.yield %y : tensor<?x64xf32>
    }
    %result = arith.subf %plain, %grouped : tensor<?x64xf32>
  )",
                                   64) +
                      "llm.source @r random(seed = 1, deviation = 1.0)\n");
  AbstractCache cache;
  auto zero = module.run(batchOf({0, 3}), cache);
  ASSERT_TRUE(zero.ok()) << zero.status().message();
  for (double number : zero->numbers)
    EXPECT_EQ(number, 0);
}

} // namespace
