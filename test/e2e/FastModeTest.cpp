// Fast mode on small quantised models of every format: close to exact mode, and
// the same bits alone or in company, whole or in pieces, on any threads and
// for any CPU level.

#include "CompiledModel.h"
#include "RandomGguf.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::test;

namespace {

struct Case {
  const char *name;
  ElementType linears, sensitive, embedding;
  int64_t hidden, headDim, mlp;
};

ElementType q(QuantFormat format) { return ElementType::quantised(format); }

const Case kCases[] = {
    {"q4_0", q(QuantFormat::q4_0()), q(QuantFormat::q4_0()),
     q(QuantFormat::q4_0()), 64, 32, 96},
    {"q4_1", q(QuantFormat::q4_1()), q(QuantFormat::q8_0()),
     q(QuantFormat::q8_0()), 64, 32, 160},
    {"q8_0", q(QuantFormat::q8_0()), q(QuantFormat::q8_0()), DType::F16, 96, 48,
     128},
    {"k_quants", q(QuantFormat::q4_k()), q(QuantFormat::q6_k()),
     q(QuantFormat::q6_k()), 256, 64, 512},
    // Heads of 16: a group of codes spans two, so their rounding is a kernel
    // of its own.
    {"small_heads", q(QuantFormat::q4_1()), q(QuantFormat::q4_1()),
     q(QuantFormat::q8_0()), 64, 16, 96},
};

std::vector<int32_t> prompt(int32_t first, int32_t length, int32_t vocabulary) {
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < length; ++i)
    ids.push_back((first + 7 * i + i * i) % vocabulary);
  return ids;
}

double relativeL2(const std::vector<float> &a, const std::vector<float> &b) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    norm += double(b[i]) * b[i];
  }
  return std::sqrt(difference / norm);
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class FastMode : public testing::TestWithParam<Case> {};

TEST_P(FastMode, IsCloseToExactAndDoesNotDependOnCompany) {
  const Case &one = GetParam();
  RandomGguf gguf;
  gguf.linears = one.linears;
  gguf.sensitive = one.sensitive;
  gguf.embedding = one.embedding;
  gguf.hidden = one.hidden;
  gguf.headDim = one.headDim;
  gguf.mlp = one.mlp;
  gguf.heads = 4;
  gguf.kvHeads = 2;
  std::string path = testing::TempDir() + "fast-" + one.name + ".gguf";
  Status written = gguf.write(path);
  ASSERT_TRUE(written.ok()) << written.message();

  CompileOptions compile;
  compile.model = path;
  compile.precision = "fast";
  auto fast = CompiledModel::compile(compile);
  ASSERT_TRUE(fast.ok()) << fast.status().message();
  compile.precision = "exact";
  auto exact = CompiledModel::compile(compile);
  ASSERT_TRUE(exact.ok()) << exact.status().message();
  std::remove(path.c_str());

  std::vector<int32_t> ids = prompt(3, 70, 96);
  auto reference = exact->run({ids}, {});
  auto alone = fast->run({ids}, {.newTokens = 24});
  ASSERT_TRUE(reference.ok() && alone.ok());
  // 8-bit codes of a group have a relative error of about 1/127/sqrt(3)/2 of
  // its largest value; over two layers of random weights a few per cent.
  double error = relativeL2(alone->front().logits, reference->front().logits);
  EXPECT_LT(error, 0.08);
  EXPECT_GT(error, 1e-6) << "nothing was rounded: is this fast mode?";

  std::vector<std::vector<int32_t>> crowd = {
      prompt(1, 1, 96), prompt(5, 33, 96), ids, prompt(9, 18, 96)};
  std::vector<RunOptions> ways = {
      {.newTokens = 24},
      {.chunk = 1, .newTokens = 24},
      {.chunk = 7, .newTokens = 24},
      {.threads = 1, .chunk = 50, .newTokens = 24},
      {.threads = 3, .newTokens = 24},
      {.target = "x86-64-v3", .newTokens = 24},
      {.matrixUnit = false, .newTokens = 24},
      {.newTokens = 24, .cacheTokens = 160},
  };
  for (size_t way = 0; way < ways.size(); ++way) {
    auto runs = fast->run(crowd, ways[way]);
    ASSERT_TRUE(runs.ok()) << runs.status().message();
    EXPECT_TRUE(sameBits((*runs)[2].logits, alone->front().logits))
        << "way " << way;
    EXPECT_EQ((*runs)[2].tokens, alone->front().tokens) << "way " << way;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FastMode, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
