// Which op is blamed.

#include "ParsedModule.h"

using namespace pagoda;
using namespace pagoda::reference;
using namespace pagoda::test;

namespace {

std::string program(const std::string &body) {
  std::string text = stepAround(R"(
    %table = llm.weight @r["table"] : tensor<4x8xf32> loc("table")
    %w = llm.weight @r["w"] : tensor<8x8xf32> loc("w")
    %v = llm.weight @r["v"] : tensor<8x8xf32> loc("v")
    %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<4x8xf32>) -> tensor<?x8xf32> loc("embedding")
)" + body,
                                8);
  text.replace(text.find("%last :"), 5, "%cache");
  return text + "llm.source @r random(seed = 1, deviation = 1.0)\n";
}

std::string blame(const std::string &before, const std::string &after) {
  ParsedModule old(program(before)), now(program(after));
  Trace oldTrace, nowTrace;
  AbstractCache oldCache, nowCache;
  EXPECT_TRUE(old.run(batchOf({0, 1, 2}), oldCache, &oldTrace).ok());
  EXPECT_TRUE(now.run(batchOf({0, 1, 2}), nowCache, &nowTrace).ok());
  return findFault({oldTrace, *old.interpreter}, {nowTrace, *now.interpreter});
}

const std::string kTypes =
    " : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>";
const std::string kBefore =
    "%y = llm.linear %x, %w" + kTypes +
    " loc(\"first\")\n"
    "%z = llm.gated silu %y, %x : tensor<?x8xf32> loc(\"gate\")\n"
    "%result = llm.linear %z, %v" +
    kTypes + " loc(\"second\")\n";

TEST(Trace, TheFirstOpThatDiffers) {
  EXPECT_EQ(
      blame(kBefore,
            "%y = llm.linear %x, %w" + kTypes +
                " loc(\"first\")\n"
                "%z = llm.gated relu %y, %x : tensor<?x8xf32> loc(\"gate\")\n"
                "%result = llm.linear %z, %v" +
                kTypes + " loc(\"second\")\n"),
      "llm.gated at gate");
}

TEST(Trace, AnOperandThatWasThereAsAnotherOne) {
  EXPECT_EQ(
      blame(kBefore,
            "%y = llm.linear %x, %w" + kTypes +
                " loc(\"first\")\n"
                "%z = llm.gated silu %x, %y : tensor<?x8xf32> loc(\"gate\")\n"
                "%result = llm.linear %z, %v" +
                kTypes + " loc(\"second\")\n"),
      "llm.gated at gate");
}

TEST(Trace, AWeightThatWasNotThere) {
  EXPECT_EQ(
      blame(kBefore,
            "%t = llm.weight.transpose %w [1, 0] : tensor<8x8xf32> to "
            "tensor<8x8xf32> loc(\"turned\")\n"
            "%y = llm.linear %x, %t" +
                kTypes +
                " loc(\"first\")\n"
                "%z = llm.gated silu %y, %x : tensor<?x8xf32> loc(\"gate\")\n"
                "%result = llm.linear %z, %v" +
                kTypes + " loc(\"second\")\n"),
      "llm.weight.transpose at turned, in place of llm.linear at first");
}

// Restructured programs line up by value: a group, and another spelling.
TEST(Trace, SeveralOpsInPlaceOfOne) {
  EXPECT_EQ(
      blame(kBefore,
            "%y = llm.linear %x, %w" + kTypes +
                " loc(\"first\")\n"
                "%z = llm.fused (%y, %x) : (tensor<?x8xf32>, "
                "tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
                "^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):\n"
                "  %e = math.tanh %a : tensor<?x8xf32> loc(\"inner\")\n"
                "  %m = arith.mulf %e, %b : tensor<?x8xf32> loc(\"outer\")\n"
                "  llm.yield %m : tensor<?x8xf32>\n}\n"
                "%result = llm.linear %z, %v" +
                kTypes + " loc(\"second\")\n"),
      "math.tanh at inner, in place of llm.gated at gate");
}

TEST(Trace, AnotherValueIsReturned) {
  EXPECT_EQ(blame(kBefore,
                  "%result = llm.linear %x, %w" + kTypes + " loc(\"first\")\n")
                .substr(0, 11),
            "func.return");
}

TEST(Trace, SmallDifferencesCount) {
  EXPECT_EQ(
      blame(kBefore,
            "%f = arith.constant dense<1.0000001> : tensor<8x8xf32>\n"
            "%s = arith.mulf %v, %f : tensor<8x8xf32> loc(\"scaled\")\n"
            "%y = llm.linear %x, %w" +
                kTypes +
                " loc(\"first\")\n"
                "%z = llm.gated silu %y, %x : tensor<?x8xf32> loc(\"gate\")\n"
                "%result = llm.linear %z, %s" +
                kTypes + " loc(\"second\")\n"),
      "arith.mulf at scaled, in place of llm.linear at second");
}

} // namespace
