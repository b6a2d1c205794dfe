#include "Inspect/WeightExpression.h"

#include <gtest/gtest.h>

using pagoda::weightExpression;

namespace {

TEST(WeightExpression, NamesAPlainWeight) {
  EXPECT_EQ(
      weightExpression("llm.define @n : tensor<64xf32> {\n"
                       "  %n = llm.weight @model[\"a : b\"] : tensor<64xf32>\n"
                       "  llm.yield %n : tensor<64xf32>\n}"),
      "model[\"a : b\"]");
}

TEST(WeightExpression, PutsOperationsIntoEachOther) {
  EXPECT_EQ(
      weightExpression(
          "llm.define @qk : !llm.packed<tile32, tensor<4x2xf32>> {\n"
          "  %a.q = llm.weight @m[\"q\"] : tensor<2x2xf32>\n"
          "  %a.k = llm.weight @m[\"k\"] : tensor<2x2xf32>\n"
          "  %0 = llm.weight.concat axis 0 %a.q, %a.k : (tensor<2x2xf32>, "
          "tensor<2x2xf32>) -> tensor<4x2xf32>\n"
          "  %1 = llm.weight.pack %0 : tensor<4x2xf32> to <tile32, "
          "tensor<4x2xf32>>\n"
          "  llm.yield %1 : !llm.packed<tile32, tensor<4x2xf32>>\n}"),
      "pack(concat(axis 0 m[\"q\"], m[\"k\"]))");
}

TEST(WeightExpression, LeavesLongListsOut) {
  EXPECT_EQ(weightExpression("  %0 = llm.weight.rope_table frequencies [" +
                             std::string(500, '1') +
                             "] : tensor<8x2xf32>\n  llm.yield %0 : x\n"),
            "rope_table(frequencies […])");
}

TEST(WeightExpression, StaysShortWhateverTheTextSays) {
  // Each value uses the one before twice: written out, 2^60 letters.
  std::string text = "  %0 = llm.weight @m[\"x\"] : t\n";
  for (int i = 1; i < 60; ++i)
    text += "  %" + std::to_string(i) + " = arith.addf %" +
            std::to_string(i - 1) + ", %" + std::to_string(i - 1) + " : t\n";
  text += "  llm.yield %59 : t\n";
  EXPECT_LT(weightExpression(text).size(), 700u);
  EXPECT_EQ(weightExpression(""), "");
  EXPECT_EQ(weightExpression("% = = \n%%%\n llm.yield"), "");
}

} // namespace
