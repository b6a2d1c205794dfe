// arith and math ops over single numbers, by way of programs that hold one.

#include "ParsedModule.h"

#include <cmath>
#include <cstdio>

using namespace pagoda;
using namespace pagoda::reference;
using namespace pagoda::test;

namespace {

std::string literal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9e", number);
  return text;
}

/// What an op makes of floats (%a, %b: tensor<?x1xf32>), as f32.
double compute(const std::string &body, double a, double b = 0) {
  std::string text =
      stepAround(concat("%ta = arith.constant dense<", literal(a),
                        "> : tensor<1x1xf32>\n", "%tb = arith.constant dense<",
                        literal(b), "> : tensor<1x1xf32>\n", R"(
    %a = llm.embedding %ids, %ta : (tensor<?xi32>, tensor<1x1xf32>) -> tensor<?x1xf32>
    %b = llm.embedding %ids, %tb : (tensor<?xi32>, tensor<1x1xf32>) -> tensor<?x1xf32>
)",
                        body),
                 1);
  text.replace(text.find("%last :"), 5, "%cache");
  ParsedModule module(text);
  AbstractCache cache;
  auto result = module.run(batchOf({0}), cache);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->numbers[0] : NAN;
}

double unary(const std::string &op, double a) {
  return compute("%result = " + op + " %a : tensor<?x1xf32>", a);
}
double binary(const std::string &op, double a, double b) {
  return compute("%result = " + op + " %a, %b : tensor<?x1xf32>", a, b);
}
/// Of i32.
double integers(const std::string &op, double a, double b) {
  return compute("%i = arith.fptosi %a : tensor<?x1xf32> to tensor<?x1xi32>\n"
                 "%j = arith.fptosi %b : tensor<?x1xf32> to tensor<?x1xi32>\n"
                 "%k = " +
                     op +
                     " %i, %j : tensor<?x1xi32>\n"
                     "%result = arith.sitofp %k : tensor<?x1xi32> to "
                     "tensor<?x1xf32>",
                 a, b);
}

TEST(ScalarFunctions, Floats) {
  EXPECT_EQ(binary("arith.addf", 2, 3), 5);
  EXPECT_EQ(binary("arith.subf", 2, 3), -1);
  EXPECT_EQ(binary("arith.divf", 1, 3), 1.0 / 3); // not rounded to f32
  EXPECT_EQ(binary("arith.remf", -7, 3), -1);
  EXPECT_EQ(binary("arith.maximumf", 2, 3), 3);
  EXPECT_EQ(binary("arith.minimumf", 2, 3), 2);
  EXPECT_EQ(unary("arith.negf", 2), -2);
  EXPECT_EQ(unary("math.rsqrt", 4), 0.5);
  EXPECT_EQ(unary("math.exp", 1), std::exp(1.0));
  EXPECT_EQ(unary("math.tanh", 0.5), std::tanh(0.5));
  EXPECT_EQ(unary("math.roundeven", 2.5), 2);
  EXPECT_EQ(binary("math.powf", 2, 10), 1024);
  EXPECT_TRUE(
      std::isnan(compute("%n = arith.divf %b, %b : tensor<?x1xf32>\n"
                         "%result = arith.maximumf %n, %a : tensor<?x1xf32>",
                         1, 0)));
  EXPECT_EQ(compute("%n = arith.divf %b, %b : tensor<?x1xf32>\n"
                    "%result = arith.maxnumf %n, %a : tensor<?x1xf32>",
                    1, 0),
            1);
}

TEST(ScalarFunctions, Integers) {
  EXPECT_EQ(integers("arith.divsi", -7, 2), -3);
  EXPECT_EQ(integers("arith.floordivsi", -7, 2), -4);
  EXPECT_EQ(integers("arith.ceildivsi", 7, 2), 4);
  EXPECT_EQ(integers("arith.remsi", -7, 2), -1);
  EXPECT_EQ(integers("arith.andi", 12, 10), 8);
  EXPECT_EQ(integers("arith.xori", 12, 10), 6);
  EXPECT_EQ(integers("arith.maxsi", -1, 1), 1);
  // i32 wraps around.
  EXPECT_EQ(integers("arith.muli", 65536, 32768), -2147483648.0);
}

TEST(ScalarFunctions, ComparisonsAndTruncation) {
  auto select = [](const std::string &compare, double a, double b) {
    return compute("%c = arith.cmpf " + compare +
                       ", %a, %b : tensor<?x1xf32>\n"
                       "%result = arith.select %c, %a, %b : tensor<?x1xi1>, "
                       "tensor<?x1xf32>",
                   a, b);
  };
  EXPECT_EQ(select("olt", 1, 2), 1);
  EXPECT_EQ(select("ogt", 1, 2), 2);
  EXPECT_EQ(compute("%h = arith.truncf %a : tensor<?x1xf32> to "
                    "tensor<?x1xf16>\n%result = arith.extf %h : "
                    "tensor<?x1xf16> to tensor<?x1xf32>",
                    1.0004),
            1);
}

} // namespace
