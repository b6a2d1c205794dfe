#include "ParsedModule.h"

using namespace pagoda;
using namespace pagoda::reference;
using namespace pagoda::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// %x is [[1, 2], [3, 4]] for the ids 0 and 1.
StatusOr<Tensor> run(const std::string &body, int width) {
  std::string text = stepAround(R"(
    %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    %tokens = llm.dim %batch, tokens
    %zero = arith.constant 0.0 : f32
)" + body,
                                width);
  text.replace(text.find("%last :"), 5, "%cache");
  ParsedModule module(text);
  AbstractCache cache;
  return module.run(batchOf({0, 1}), cache);
}

TEST(LinalgOps, GenericReducesAndCounts) {
  auto sums = run(R"(
    %empty = tensor.empty(%tokens) : tensor<?x1xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
    %result = linalg.generic {
        indexing_maps = [affine_map<(t, k) -> (t, k)>, affine_map<(t, k) -> (t, 0)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x2xf32>) outs(%start : tensor<?x1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %c = arith.addf %a, %b : f32
      %d = arith.addf %c, %f : f32
      linalg.yield %d : f32
    } -> tensor<?x1xf32>
  )",
                  1);
  ASSERT_TRUE(sums.ok()) << sums.status().message();
  EXPECT_THAT(sums->numbers, ElementsAre(3, 9));
}

TEST(LinalgOps, NamedOpsHaveBodiesToo) {
  auto product = run(R"(
    %m = arith.constant dense<[[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]]> : tensor<2x3xf32>
    %empty = tensor.empty(%tokens) : tensor<?x3xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
    %result = linalg.matmul ins(%x, %m : tensor<?x2xf32>, tensor<2x3xf32>) outs(%start : tensor<?x3xf32>) -> tensor<?x3xf32>
  )",
                     3);
  ASSERT_TRUE(product.ok()) << product.status().message();
  EXPECT_THAT(product->numbers, ElementsAre(5, 50, 500, 11, 110, 1100));
}

TEST(LinalgOps, BroadcastAndTranspose) {
  auto moved = run(R"(
    %w = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
    %empty = tensor.empty(%tokens) : tensor<?x2xf32>
    %b = linalg.broadcast ins(%w : tensor<2xf32>) outs(%empty : tensor<?x2xf32>) dimensions = [0]
    %result = arith.mulf %x, %b : tensor<?x2xf32>
  )",
                   2);
  ASSERT_TRUE(moved.ok()) << moved.status().message();
  EXPECT_THAT(moved->numbers, ElementsAre(10, 40, 30, 80));
}

TEST(LinalgOps, UninitialisedTensorsAreNaN) {
  auto nothing = run(R"(
    %result = tensor.empty(%tokens) : tensor<?x2xf32>
  )",
                     2);
  ASSERT_TRUE(nothing.ok()) << nothing.status().message();
  EXPECT_NE(nothing->numbers[0], nothing->numbers[0]);
}

TEST(LinalgOps, BodiesThatHaveNoMeaning) {
  auto atan = run(R"(
    %empty = tensor.empty(%tokens) : tensor<?x2xf32>
    %result = linalg.map { math.atan } ins(%x : tensor<?x2xf32>) outs(%empty : tensor<?x2xf32>)
  )",
                  2);
  EXPECT_THAT(atan.status().message(),
              HasSubstr("the reference has no meaning for math.atan"));
}

TEST(LinalgOps, SlicesAndConcatenations) {
  auto joined = run(R"(
    %left = tensor.extract_slice %x[0, 0] [%tokens, 1] [1, 1] : tensor<?x2xf32> to tensor<?x1xf32>
    %right = tensor.extract_slice %x[0, 1] [%tokens, 1] [1, 1] : tensor<?x2xf32> to tensor<?x1xf32>
    %result = tensor.concat dim(1) %right, %left, %right : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
  )",
                    3);
  ASSERT_TRUE(joined.ok()) << joined.status().message();
  EXPECT_THAT(joined->numbers, ElementsAre(2, 1, 2, 4, 3, 4));
  auto outside = run(R"(
    %result = tensor.extract_slice %x[%tokens, 0] [%tokens, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  )",
                     2);
  EXPECT_FALSE(outside.ok());
}

} // namespace
