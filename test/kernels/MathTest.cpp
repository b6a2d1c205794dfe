// The functions of kernels/templates/core/math.h against float64, over all of
// their range, within the errors that their comments state.

#include "CompiledKernels.h"
#include "ErrorBounds.h"
#include "PointwiseBounds.h"
#include "pagoda/Base/Concat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace pagoda;
using namespace pagoda::test;

namespace {

struct Function {
  const char *name;
  double (*value)(double);
  double (*units)(double);
};

const Function kFunctions[] = {
    {"exp", [](double x) { return std::exp(x); }, stated::exp},
    {"tanh", [](double x) { return std::tanh(x); }, stated::tanh},
    {"erfc", [](double x) { return std::erfc(x); }, stated::erfc},
    {"silu", exact::silu, stated::silu},
    {"gelu", exact::gelu, stated::gelu},
    {"gelu_tanh", exact::geluTanh, stated::geluTanh},
};

/// A kernel that applies a function to 16 elements a row.
KernelUnit sweepUnit(const std::string &function) {
  std::string text = concat(
      "namespace pagoda {\nnamespace {\nstruct sweep_", function,
      " {\n"
      "  static constexpr unsigned kScratchBytes = 0;\n"
      "  static i64 tiles(const PagodaLaunch &launch) { return launch.rows; }\n"
      "  static void run(const PagodaLaunch &launch, i64 first, i64 last) {\n"
      "    for (i64 row = first; row < last; ++row)\n"
      "      store(argument_row<float>(launch, 1, row, 16), At{0},\n           "
      " ",
      function,
      "(load(argument_row<const float>(launch, 0, row, 16), At{0})));\n"
      "  }\n};\n} // namespace\nPAGODA_ENTRY(",
      function, ", sweep_", function, ");\n} // namespace pagoda\n");
  return {function, "core/quantized_row.h", std::move(text), {}};
}

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const Function &function, std::ostream *stream) {
  *stream << function.name;
}

const CompiledKernels &kernels() {
  static const CompiledKernels all({}, [] {
    std::vector<KernelUnit> units;
    for (const Function &function : kFunctions)
      units.push_back(sweepUnit(function.name));
    return units;
  }());
  return all;
}

std::vector<float> sweep(const CompiledKernel &kernel,
                         const std::vector<float> &x) {
  std::vector<float> y(x.size());
  void *arguments[] = {const_cast<float *>(x.data()), y.data()};
  long long dims[PagodaStepDims] = {};
  PagodaLaunch launch{arguments, dims, static_cast<long long>(x.size() / 16),
                      nullptr,   0,    0};
  kernel.run(&launch, 0, kernel.tiles(&launch));
  return y;
}

class Math : public testing::TestWithParam<Function> {
protected:
  void SetUp() override {
    if (kernels().targets().empty())
      GTEST_SKIP() << "this CPU runs no target of Pagoda";
  }
};

/// Steps through the bit patterns of floats: a prime, so that all exponents and
/// all kinds of fractions are met.
constexpr uint32_t kStride = 1021;
constexpr uint32_t kBatch = 1 << 20;

TEST_P(Math, StaysWithinItsStatedError) {
  const Function &function = GetParam();
  const double largest = std::numeric_limits<float>::max();
  for (const std::string &target : kernels().targets()) {
    CompiledKernel kernel = kernels().find(function.name, target);
    double worst = 0;
    float where = 0;
    for (uint64_t first = 0; first < uint64_t{1} << 32;
         first += uint64_t{kStride} * kBatch) {
      std::vector<float> x;
      for (uint64_t bits = first; bits < uint64_t{1} << 32 && x.size() < kBatch;
           bits += kStride)
        if (float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
            std::isfinite(value))
          x.push_back(value);
      while (x.size() % 16)
        x.push_back(1);
      std::vector<float> y = sweep(kernel, x);
      for (size_t i = 0; i < x.size(); ++i) {
        double exact = function.value(x[i]);
        if (std::abs(exact) > largest) { // overflow, or one rounding before it
          ASSERT_GT(std::abs(y[i]), 0.999 * largest) << x[i];
          continue;
        }
        double allowed = function.units(x[i]) * kUnit * std::abs(exact);
        double flushed = 1.2e-38 * std::max(1.0, std::abs(double(x[i])));
        double units = (std::abs(y[i] - exact) - flushed) / allowed;
        if (!(units <= worst)) {
          worst = units;
          where = x[i];
        }
      }
    }
    EXPECT_LE(worst, 1) << target << ": " << worst
                        << " times the stated error at " << where;
  }
}

TEST_P(Math, TargetsAgreeInEveryBit) {
  std::vector<float> x;
  for (uint64_t bits = 77; bits < uint64_t{1} << 32; bits += 40009)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  x.resize(x.size() / 16 * 16);
  std::vector<uint32_t> first;
  for (const std::string &target : kernels().targets()) {
    std::vector<uint32_t> bits;
    for (float y : sweep(kernels().find(GetParam().name, target), x))
      // Which NaN it is says nothing.
      bits.push_back(std::isnan(y) ? 0x7fc00000 : std::bit_cast<uint32_t>(y));
    if (first.empty())
      first = bits;
    EXPECT_EQ(first, bits) << target;
  }
}

TEST_P(Math, NaNStaysNaN) {
  for (const std::string &target : kernels().targets())
    for (float y : sweep(kernels().find(GetParam().name, target),
                         std::vector<float>(16, std::nanf(""))))
      EXPECT_TRUE(std::isnan(y)) << target;
}

INSTANTIATE_TEST_SUITE_P(Functions, Math, testing::ValuesIn(kFunctions),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(Math, Limits) {
  if (kernels().targets().empty())
    GTEST_SKIP() << "this CPU runs no target of Pagoda";
  const float infinity = std::numeric_limits<float>::infinity();
  auto at = [&](const char *name, float x) {
    return sweep(kernels().find(name, kernels().targets().back()),
                 std::vector<float>(16, x))[0];
  };
  EXPECT_EQ(at("exp", -infinity), 0);
  EXPECT_EQ(at("exp", infinity), infinity);
  EXPECT_EQ(at("exp", 0), 1);
  EXPECT_EQ(at("tanh", infinity), 1);
  EXPECT_EQ(at("tanh", -infinity), -1);
  EXPECT_EQ(at("tanh", -0.0f), 0);
  EXPECT_EQ(at("erfc", infinity), 0);
  EXPECT_EQ(at("erfc", -infinity), 2);
  EXPECT_EQ(at("silu", infinity), infinity);
  EXPECT_EQ(at("gelu", infinity), infinity);
  EXPECT_EQ(at("gelu_tanh", infinity), infinity);
  EXPECT_EQ(at("silu", -200), 0);
  EXPECT_EQ(at("gelu", -200), 0);
  EXPECT_EQ(at("gelu_tanh", -200), 0);
}

} // namespace
