// Rows that random numbers do not bring: the largest element at every place,
// ties, negative rows, infinities, NaNs.

#include "KernelCases.h"
#include "KernelLaunch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

using namespace pagoda;
using namespace pagoda::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Row {
  std::vector<double> numbers;
  int32_t expected;
};

std::vector<Row> oddRows(int32_t width) {
  std::vector<Row> rows;
  auto add = [&](double base, int32_t expected) -> std::vector<double> & {
    rows.push_back({std::vector<double>(width, base), expected});
    return rows.back().numbers;
  };
  add(-kInfinity, 0);
  add(-3, 0);
  for (int32_t at = 0; at < width; ++at) {
    add(-3, at)[at] = -1;
    add(-kInfinity, at)[at] = -5;
    add(0, -1)[at] = kNaN;
    add(0, -1)[at] = kInfinity;
    add(1, at == 0 && width > 1 ? 1 : 0)[at] = -kInfinity;
    // The first of two that tie.
    std::vector<double> &tie = add(-2, at);
    tie[at] = tie[width - 1] = 4;
  }
  return rows;
}

TEST(Argmax, OddRows) {
  std::vector<std::string> irs;
  for (const KernelCase &kernelCase : argmaxCases())
    irs.push_back(kernelCase.ir);
  CompiledKernels kernels(irs);
  if (kernels.targets().empty())
    GTEST_SKIP() << "this CPU runs no target of Pagoda";
  for (const KernelCase &kernelCase : argmaxCases()) {
    int32_t width = std::stoi(kernelCase.name.substr(strlen("argmax_")));
    std::vector<Row> rows = oddRows(width);
    auto count = static_cast<int64_t>(rows.size());
    KernelInput input;
    input.tensor = reference::Tensor::zeros(DType::F32, {count, width});
    input.tensor.numbers.clear();
    for (const Row &row : rows)
      input.tensor.numbers.insert(input.tensor.numbers.end(),
                                  row.numbers.begin(), row.numbers.end());
    input.bytes = floatBytes(input.tensor);
    input.rowBytes = static_cast<size_t>(width) * sizeof(float);
    for (const std::string &target : kernels.targets()) {
      Outputs found = launch(kernels.find(kernelCase.name, target), {{input}},
                             {0, count}, Tiles::AtOnce);
      ASSERT_EQ(found[0].size(), rows.size() * sizeof(int32_t));
      for (size_t r = 0; r < rows.size(); ++r) {
        int32_t id;
        std::memcpy(&id, found[0].data() + r * sizeof id, sizeof id);
        EXPECT_EQ(id, rows[r].expected)
            << "row " << r << " of " << kernelCase.name << ", " << target;
      }
    }
  }
}

} // namespace
