// Buffers: what is read as it was not written is NaN.

#include "ParsedModule.h"

#include <cmath>

using namespace pagoda;
using namespace pagoda::reference;
using namespace pagoda::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string kKernels = R"(
  llm.source @r random(seed = 1, deviation = 1.0)
  llm.define @table : tensor<8x2xf32> {
    %t = arith.constant dense<[[0., 1.], [2., 3.], [4., 5.], [6., 7.], [8., 9.], [0., 0.], [0., 0.], [0., 0.]]> : tensor<8x2xf32>
    llm.yield %t : tensor<8x2xf32>
  }
  exec.kernel @embed family "embedding" parameters {} {
  ^bb0(%ids: tensor<?xi32>, %t: tensor<8x2xf32>):
    %x = llm.embedding %ids, %t : (tensor<?xi32>, tensor<8x2xf32>) -> tensor<?x2xf32>
    exec.yield %x : tensor<?x2xf32>
  }
  exec.kernel @twice family "pointwise" parameters {} {
  ^bb0(%x: tensor<?x2xf32>):
    %y = arith.addf %x, %x : tensor<?x2xf32>
    exec.yield %y : tensor<?x2xf32>
  }
  exec.kernel @sum family "pointwise" parameters {} {
  ^bb0(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>):
    %z = arith.addf %x, %y : tensor<?x2xf32>
    exec.yield %z : tensor<?x2xf32>
  }
)";

/// a = embed, b = twice a, c = a + b, with buffers in the given slots.
std::string program(const std::string &slots, int a, int b, int c,
                    const std::string &extra = "") {
  auto buffer = [](const char *name, int slot) {
    return concat("%", name, " = exec.buffer slot ", slot,
                  " : !exec.buffer<[tokens, 2], f32>\n");
  };
  return kKernels + "exec.entry @step dims [\"tokens\"] slots [" + slots +
         "] {\n^bb0(%ids: !exec.buffer<[tokens], i32>, %batch: !llm.batch, "
         "%cache: !llm.cache):\n%t = exec.weight @table : tensor<8x2xf32>\n" +
         buffer("a", a) + buffer("b", b) + buffer("c", c) + R"(
    exec.launch @embed(%ids, %t) -> (%a) : (!exec.buffer<[tokens], i32>, tensor<8x2xf32>) -> (!exec.buffer<[tokens, 2], f32>)
    exec.launch @twice(%a) -> (%b) : (!exec.buffer<[tokens, 2], f32>) -> (!exec.buffer<[tokens, 2], f32>)
)" + extra +
         R"(
    exec.launch @sum(%a, %b) -> (%c) : (!exec.buffer<[tokens, 2], f32>, !exec.buffer<[tokens, 2], f32>) -> (!exec.buffer<[tokens, 2], f32>)
    exec.return %c : !exec.buffer<[tokens, 2], f32>
  })";
}

const std::string kSlot = "#exec.size<8 * tokens>";

std::vector<double> run(const std::string &text) {
  ParsedModule module(text);
  PagedCache cache(16, 2);
  auto logits = module.run(batchOf({1, 4}), cache);
  EXPECT_TRUE(logits.ok()) << logits.status().message();
  return logits.ok() ? logits->numbers : std::vector<double>();
}

TEST(ExecEntry, LaunchesRunTheirContracts) {
  EXPECT_THAT(run(program(kSlot + ", " + kSlot + ", " + kSlot, 0, 1, 2)),
              ElementsAre(6, 9, 24, 27));
}

TEST(ExecEntry, LiveBuffersInOneSlot) {
  std::vector<double> numbers =
      run(program(kSlot + ", " + kSlot, 0, 1, 1,
                  "")); // c over b, which the same launch reads
  EXPECT_TRUE(std::isnan(numbers[0]));
  // b over a, which is still read.
  numbers = run(program(kSlot + ", " + kSlot, 0, 0, 1));
  EXPECT_TRUE(std::isnan(numbers[0]));
}

TEST(ExecEntry, SlotsThatAreTooSmallMeetTheirNeighbours) {
  std::vector<double> numbers =
      run(program("#exec.size<4 * tokens>, " + kSlot + ", " + kSlot, 0, 1, 2));
  EXPECT_EQ(numbers[0], 6); // the first half is in its place
  EXPECT_NE(numbers[3], 27);
  // Behind the last slot there is nothing.
  ParsedModule module(
      program(kSlot + ", " + kSlot + ", #exec.size<4 * tokens>", 0, 1, 2));
  PagedCache cache(16, 2);
  EXPECT_THAT(module.run(batchOf({1, 4}), cache).status().message(),
              HasSubstr("uses 16 bytes at 32 of an arena of 40"));
}

TEST(ExecEntry, ReadsBeforeWrites) {
  std::string text = program(kSlot + ", " + kSlot + ", " + kSlot, 0, 1, 2);
  size_t twice = text.find("exec.launch @twice");
  size_t end = text.find('\n', twice);
  std::string launch = text.substr(twice, end - twice);
  text.erase(twice, end - twice);
  size_t embed = text.find("exec.launch @embed");
  text.insert(embed, launch + "\n");
  EXPECT_TRUE(std::isnan(run(text)[0]));
}

TEST(ExecEntry, ViewsSeeTheSameMemory) {
  std::string text = program(
      kSlot + ", " + kSlot + ", " + kSlot, 0, 1, 2,
      "%v = exec.view %b : <[tokens, 2], f32> to <[tokens, 1, 2], f32>\n"
      "%w = exec.view %v : <[tokens, 1, 2], f32> to <[tokens, 2], f32>\n");
  text.replace(text.find("@sum(%a, %b)"), 12, "@sum(%a, %w)");
  EXPECT_THAT(run(text), ElementsAre(6, 9, 24, 27));
}

// Codes, scales and sums in their own bytes; a row is padded to 64.
TEST(ExecEntry, QuantizedBuffers) {
  std::string text = R"(
    llm.source @r random(seed = 1, deviation = 1.0)
    llm.define @table : tensor<8x32xf32> {
      %t = llm.weight @r["t"] : tensor<8x32xf32>
      llm.yield %t : tensor<8x32xf32>
    }
    exec.kernel @round family "embedding" parameters {} {
    ^bb0(%ids: tensor<?xi32>, %t: tensor<8x32xf32>):
      %x = llm.embedding %ids, %t : (tensor<?xi32>, tensor<8x32xf32>) -> tensor<?x32xf32>
      %q = llm.quantize %x : tensor<?x32xf32> to tensor<?x32x!llm.q<i8, group = 32, scale = f32>>
      exec.yield %q : tensor<?x32x!llm.q<i8, group = 32, scale = f32>>
    }
    exec.kernel @widen family "pointwise" parameters {} {
    ^bb0(%q: tensor<?x32x!llm.q<i8, group = 32, scale = f32>>):
      %x = llm.dequantize %q : tensor<?x32x!llm.q<i8, group = 32, scale = f32>> to tensor<?x32xf32>
      exec.yield %x : tensor<?x32xf32>
    }
    exec.entry @step dims ["tokens"] slots [SLOT, #exec.size<128 * tokens>] {
    ^bb0(%ids: !exec.buffer<[tokens], i32>, %batch: !llm.batch, %cache: !llm.cache):
      %t = exec.weight @table : tensor<8x32xf32>
      %q = exec.buffer slot 0 : !exec.buffer<[tokens, 32], !llm.q<i8, group = 32, scale = f32>>
      %x = exec.buffer slot 1 : !exec.buffer<[tokens, 32], f32>
      exec.launch @round(%ids, %t) -> (%q) : (!exec.buffer<[tokens], i32>, tensor<8x32xf32>) -> (!exec.buffer<[tokens, 32], !llm.q<i8, group = 32, scale = f32>>)
      exec.launch @widen(%q) -> (%x) : (!exec.buffer<[tokens, 32], !llm.q<i8, group = 32, scale = f32>>) -> (!exec.buffer<[tokens, 32], f32>)
      exec.return %x : !exec.buffer<[tokens, 32], f32>
    })";
  auto with = [&](const std::string &slot) {
    std::string copy = text;
    copy.replace(copy.find("SLOT"), 4, slot);
    return copy;
  };
  for (double number : run(with("#exec.size<64 * tokens>")))
    EXPECT_FALSE(std::isnan(number));
  std::vector<double> numbers = run(with("#exec.size<32 * tokens>"));
  EXPECT_FALSE(std::isnan(numbers[0]));
  EXPECT_TRUE(std::isnan(numbers[63])); // its codes lie in the next slot
}

TEST(ExecEntry, WatchersSeeAndReplaceResults) {
  ParsedModule module(program(kSlot + ", " + kSlot + ", " + kSlot, 0, 1, 2));
  PagedCache cache(16, 2);
  std::vector<std::string> seen;
  LaunchWatch watch;
  watch.result = [&](mlir::Operation *op, unsigned output, Tensor &result) {
    std::string name = llvm::cast<exec::LaunchOp>(op).getKernel().str();
    seen.push_back(concat(name, " ", output));
    if (name == "twice")
      result.numbers = {100, 200, 300, 400};
    return Status();
  };
  auto logits = module.interpreter->run(module.entry(), batchOf({1, 4}), cache,
                                        nullptr, watch);
  ASSERT_TRUE(logits.ok());
  EXPECT_THAT(seen, ElementsAre("embed 0", "twice 0", "sum 0"));
  EXPECT_THAT(logits->numbers, ElementsAre(102, 203, 308, 409));
}

} // namespace
