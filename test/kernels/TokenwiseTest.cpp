// Kernels without a cache against their contracts, computed in float64: every
// family, over a grid of shapes, rows and kinds of data, for every target. And
// the promise on which everything else rests: the bits of a row depend on
// nothing but its own inputs.

#include "ErrorBounds.h"
#include "KernelCases.h"
#include "KernelLaunch.h"
#include "PointwiseBounds.h"
#include "pagoda/Kernels/KernelFamily.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace pagoda;
using namespace pagoda::test;

namespace {

/// One set of kernels a family, compiled when it is first asked for.
const CompiledKernels &kernelsOf(const std::string &family) {
  static std::map<std::string, std::unique_ptr<CompiledKernels>> sets;
  std::unique_ptr<CompiledKernels> &set = sets[family];
  if (!set) {
    std::vector<std::string> kernels;
    for (const KernelCase &kernelCase : allCases())
      if (kernelCase.family == family)
        kernels.push_back(kernelCase.ir);
    set = std::make_unique<CompiledKernels>(kernels);
  }
  return *set;
}

/// Around the rows that kernels take at once (6, 2), spread weights for (4) and
/// hold in a tile of work (48).
constexpr int64_t kRows[] = {1, 2, 5, 6, 7, 48, 49, 100};

class Tokenwise : public testing::TestWithParam<KernelCase> {
protected:
  void SetUp() override {
    if (kernels().targets().empty())
      GTEST_SKIP() << "this CPU runs no target of Pagoda";
  }
  const CompiledKernels &kernels() const {
    return kernelsOf(GetParam().family);
  }
  CompiledKernel kernel(const std::string &target) const {
    return kernels().find(GetParam().name, target);
  }
  std::vector<Data> dataKinds() const {
    // Functions of numbers like 2^60 have their own test (MathTest.cpp).
    if (GetParam().name.find("exp") != std::string::npos ||
        GetParam().name.find("tanh") != std::string::npos ||
        GetParam().name.find("gelu") != std::string::npos)
      return {Data::Normal, Data::Small, Data::Zeros};
    return {Data::Normal, Data::Large, Data::Small, Data::Cancelling,
            Data::Zeros};
  }
};

TEST_P(Tokenwise, AgreesWithItsContract) {
  exec::KernelOp op = kernels().op(GetParam().name);
  for (int64_t rows : kRows)
    for (Data data : dataKinds()) {
      KernelInputs inputs = makeInputs(op, rows, data, 100 + rows);
      std::vector<Bounded> expected = evaluate(op, inputs.tensors());
      for (const std::string &target : kernels().targets()) {
        SCOPED_TRACE(testing::Message()
                     << rows << " rows, " << dataName(data) << ", " << target);
        Outputs found =
            launch(kernel(target), inputs, {0, rows}, Tiles::AtOnce);
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
          ASSERT_EQ(compare(expected[i], found[i]), "") << "output " << i;
      }
    }
}

TEST_P(Tokenwise, BitsOfARowDependOnItAlone) {
  exec::KernelOp op = kernels().op(GetParam().name);
  for (int64_t rows : kRows) {
    KernelInputs inputs = makeInputs(op, rows, Data::Normal, 200 + rows);
    Outputs first;
    for (const std::string &target : kernels().targets()) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << target);
      CompiledKernel compiled = kernel(target);
      Outputs whole = launch(compiled, inputs, {0, rows}, Tiles::AtOnce);
      if (first.empty())
        first = whole;
      ASSERT_EQ(whole, first) << "targets differ";
      for (Tiles tiles : {Tiles::Apart, Tiles::InTwo})
        ASSERT_EQ(launch(compiled, inputs, {0, rows}, tiles), whole)
            << "tiles depend on each other";
      std::set<int64_t> alone = {0, rows / 2, rows - 1};
      for (int64_t row : alone)
        ASSERT_EQ(launch(compiled, inputs, {row, row + 1}, Tiles::AtOnce),
                  cut(whole, rows, {row, row + 1}))
            << "row " << row << " is another one alone";
      if (rows > 5) {
        Rows some{rows - 5, rows};
        ASSERT_EQ(launch(compiled, inputs, some, Tiles::AtOnce),
                  cut(whole, rows, some))
            << "rows are others in smaller company";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Tokenwise,
                         testing::ValuesIn(tokenwiseCases()),
                         [](const auto &info) { return info.param.name; });

TEST(KernelsDef, EveryFamilyHasCases) {
  std::set<std::string_view> tested;
  for (const KernelCase &kernelCase : allCases())
    tested.insert(kernelCase.family);
  for (const KernelFamily &family : kernelFamilies())
    EXPECT_TRUE(tested.count(family.name)) << family.name;
}

TEST(KernelsDef, EveryElementwiseOpHasAStatedError) {
#define POINTWISE(op, expression)                                              \
  EXPECT_NE(findPointwiseRule(op), nullptr) << op;
#include "kernels/pointwise.def"
}

} // namespace
