// The spine's models against their golden logits, in exact mode, and against
// themselves: alone or with others, whole or in pieces, on any number of
// threads and for any CPU level, the bits are the same.

#include "CompiledModel.h"
#include "SharedFiles.h"
#include "pagoda/Files/Safetensors.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::test;

namespace {

/// float32 noise on these models is 2.3e-6 of max |logit|; an epsilon ten times
/// too large is 1.9e-5 and must not pass.
constexpr double kBound = 1e-5;

struct Golden {
  std::vector<int32_t> ids, greedy;
  std::vector<float> logits;
  float gap;
};

template <typename T>
std::vector<T> read(const SafetensorsFile &file, const std::string &name) {
  const SafetensorsTensor *tensor = file.findTensor(name);
  std::vector<T> values;
  if (!tensor)
    return values;
  if (tensor->type == DType::I64) {
    for (size_t i = 0; i < tensor->bytes.size() / 8; ++i) {
      int64_t value;
      std::memcpy(&value, tensor->bytes.data() + i * 8, 8);
      values.push_back(static_cast<T>(value));
    }
    return values;
  }
  values.resize(tensor->bytes.size() / sizeof(T));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

std::vector<Golden> readGoldens(const std::string &folder) {
  auto file = SafetensorsFile::open(folder + "/golden.safetensors");
  std::vector<Golden> goldens;
  for (const std::string which : {"_a", "_b"})
    goldens.push_back({read<int32_t>(*file, "ids" + which),
                       read<int32_t>(*file, "greedy" + which),
                       read<float>(*file, "logits" + which),
                       read<float>(*file, "greedy_gap" + which)[0]});
  return goldens;
}

double relativeError(const std::vector<float> &found,
                     const std::vector<float> &expected) {
  if (found.size() != expected.size())
    return INFINITY;
  double worst = 0, top = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    double error = std::abs(double(found[i]) - double(expected[i]));
    if (!(error <= worst)) // NaN counts as worst
      worst = error;
    top = std::max(top, std::abs(double(expected[i])));
  }
  return worst / top;
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Each prompt by itself, 24 tokens on; and the same bits in a ragged batch
/// with the others and more company, however it is cut and computed.
StatusOr<std::vector<RunResult>>
runAloneAndInCompany(CompiledModel &model,
                     const std::vector<std::vector<int32_t>> &prompts) {
  std::vector<RunResult> alone;
  for (const std::vector<int32_t> &prompt : prompts) {
    PAGODA_ASSIGN_OR_RETURN(std::vector<RunResult> runs,
                            model.run({prompt}, {.newTokens = 24}));
    alone.push_back(std::move(runs.front()));
  }
  std::vector<std::vector<int32_t>> crowd = {
      {7},
      prompts[1],
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
      prompts[0],
      prompts[1]};
  const size_t places[] = {3, 1};
  std::vector<RunOptions> ways = {
      {.newTokens = 24},
      {.chunk = 1, .newTokens = 24}, // token by token
      {.chunk = 5, .newTokens = 24},
      {.threads = 1, .chunk = 16, .newTokens = 24},
      {.threads = 3, .newTokens = 24},
      {.target = "x86-64-v3", .newTokens = 24},
      {.matrixUnit = false, .newTokens = 24},
      {.newTokens = 24, .cacheTokens = 128}, // preempts
  };
  for (size_t way = 0; way < ways.size(); ++way) {
    PAGODA_ASSIGN_OR_RETURN(std::vector<RunResult> runs,
                            model.run(crowd, ways[way]));
    for (size_t i = 0; i < prompts.size(); ++i) {
      EXPECT_TRUE(sameBits(runs[places[i]].logits, alone[i].logits))
          << "way " << way << ", prompt " << i;
      EXPECT_EQ(runs[places[i]].tokens, alone[i].tokens)
          << "way " << way << ", prompt " << i;
    }
  }
  return alone;
}

std::vector<std::vector<int32_t>>
promptsOf(const std::vector<Golden> &goldens) {
  std::vector<std::vector<int32_t>> prompts;
  for (const Golden &golden : goldens)
    prompts.push_back(golden.ids);
  return prompts;
}

class GoldenModels : public testing::TestWithParam<const char *> {};

TEST_P(GoldenModels, ExactModeAgreesAndDoesNotDependOnCompany) {
  PAGODA_REQUIRE_SHARED(folder, std::string("models/") + GetParam());
  std::vector<Golden> goldens = readGoldens(folder);
  CompileOptions compile;
  compile.model = folder;
  compile.precision = "exact";
  auto model = CompiledModel::compile(compile);
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto runs = runAloneAndInCompany(*model, promptsOf(goldens));
  ASSERT_TRUE(runs.ok()) << runs.status().message();
  for (size_t i = 0; i < goldens.size(); ++i) {
    EXPECT_LE(relativeError((*runs)[i].logits, goldens[i].logits), kBound);
    if (goldens[i].gap >= 0.01f)
      EXPECT_EQ((*runs)[i].tokens, goldens[i].greedy);
  }
}

/// How far fast mode is from the golden logits, in relative L2 over both
/// prompts. The bits are the same on every machine, so a change of these is a
/// change of the arithmetic: look at the perplexity before writing new ones.
struct FastDistance {
  const char *model;
  double distance;
};
constexpr FastDistance kFastDistances[] = {
    {"llama", 6.3653e-04},          {"llama-bf16", 7.8058e-04},
    {"llama-headdim", 7.2341e-04},  {"llama-linear", 7.0881e-04},
    {"llama-mha-bias", 5.2749e-04}, {"llama-tied", 7.9091e-04},
    {"llama-yarn", 8.0938e-04},     {"llama3-rope", 7.9723e-04},
    {"mistral-window", 6.7862e-04}, {"qwen2", 9.1543e-04},
    {"qwen3", 3.9228e-04},
};

class FastDistances : public testing::TestWithParam<FastDistance> {};

TEST_P(FastDistances, AreWhatTheyWereAndDoNotDependOnCompany) {
  PAGODA_REQUIRE_SHARED(folder, std::string("models/") + GetParam().model);
  CompileOptions compile;
  compile.model = folder;
  auto model = CompiledModel::compile(compile);
  ASSERT_TRUE(model.ok()) << model.status().message();
  std::vector<Golden> goldens = readGoldens(folder);
  auto runs = runAloneAndInCompany(*model, promptsOf(goldens));
  ASSERT_TRUE(runs.ok()) << runs.status().message();
  double difference = 0, norm = 0;
  for (size_t i = 0; i < goldens.size(); ++i)
    for (size_t n = 0; n < goldens[i].logits.size(); ++n) {
      double away = double((*runs)[i].logits[n]) - goldens[i].logits[n];
      difference += away * away;
      norm += double(goldens[i].logits[n]) * goldens[i].logits[n];
    }
  double distance = std::sqrt(difference / norm);
  EXPECT_NEAR(distance, GetParam().distance, GetParam().distance / 1000);
}

INSTANTIATE_TEST_SUITE_P(Spine, FastDistances,
                         testing::ValuesIn(kFastDistances),
                         [](const auto &info) {
                           std::string name = info.param.model;
                           for (char &c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

INSTANTIATE_TEST_SUITE_P(Spine, GoldenModels,
                         testing::Values("llama", "llama-bf16", "llama-headdim",
                                         "llama-linear", "llama-mha-bias",
                                         "llama-tied", "llama-yarn",
                                         "llama3-rope", "mistral-window",
                                         "qwen2", "qwen3"),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

} // namespace
