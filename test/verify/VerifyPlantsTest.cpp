// Every plant is found, and the message names its pass and the op. Most are
// planted in a hand-written model; some also in models of the shared data.

#include "SharedFiles.h"
#include "VerifiedCompile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda::test;
using testing::HasSubstr;

namespace {

struct PlantCase {
  const char *after;
  const char *plant;
  /// What the message says of the op.
  const char *op;
  /// A folder of shared/models; null: the model in Inputs.
  const char *model = nullptr;
  const char *kvDtype = "";
  /// Of the result; a compiled program is not a pass.
  const char *says = "changes the result";
};

const PlantCase kCases[] = {
    // The twelve that every version of the harness has to find.
    {"pagoda-hoist-weights", "plant-epsilon-outside-root",
     "arith.mulf at 1.norm, in place of llm.rms_norm at 1.norm"},
    {"pagoda-fuse", "plant-epsilon-outside-root",
     "in place of llm.rms_norm at model.layers.1.input_layernorm", "llama"},
    {"pagoda-hoist-weights", "plant-scale-off", "llm.attention at 1.attention"},
    {"pagoda-select-kernels", "plant-scale-off",
     "llm.paged_attention at 1.attention"},
    {"canonicalize", "plant-rope-pairs-swapped", "llm.rope at 1.q.rope"},
    {"pagoda-fuse", "plant-rope-pairs-swapped", "llm.rope at layer.1.rope",
     "llama"},
    {"pagoda-hoist-weights", "plant-kv-heads-by-modulo",
     "in place of llm.attention at 1.attention"},
    {"pagoda-paged-attention", "plant-kv-heads-by-modulo",
     "in place of llm.paged_attention at layer.1.attention", "qwen3"},
    {"pagoda-paged-attention", "plant-window-off-by-one",
     "llm.paged_attention at 0.attention"},
    {"pagoda-hoist-weights", "plant-window-off-by-one",
     "llm.attention at layer.0.attention", "mistral-window"},
    {"pagoda-hoist-weights", "plant-past-ignored",
     "in place of llm.rope at 0.q.rope"},
    {"pagoda-hoist-weights", "plant-bias-dropped", "llm.linear at 0.k"},
    {"pagoda-fuse", "plant-bias-dropped",
     "llm.linear at model.layers.0.self_attn.k_proj", "qwen2"},
    {"pagoda-fuse", "plant-bias-dropped",
     "llm.linear at model.layers.0.self_attn.k_proj", "llama-mha-bias"},
    {"pagoda-hoist-weights", "plant-scale-in-one-reader",
     "in place of llm.rms_norm at 0.mlp.norm"},
    {"pagoda-paged-attention", "plant-block-edge",
     "in place of llm.kv_append at 1.attention"},
    {"pagoda-plan-memory", "plant-shared-slot",
     "writes over a buffer that exec.launch at 0.o has yet to read"},
    {"pagoda-plan-memory", "plant-shared-slot",
     "writes over a buffer that exec.launch at "
     "model.layers.0.self_attn.o_proj has yet to read",
     "llama"},
    {"pagoda-pack-weights", "plant-packed-group-shifted",
     "llm.weight.slice at 0.v.weight, in place of llm.linear at 0.v"},
    {"pagoda-paged-attention", "plant-cast-removed",
     "llm.kv_append at 1.attention", nullptr, "f16"},
    {"pagoda-paged-attention", "plant-cast-removed",
     "llm.kv_append at layer.1.attention", "llama", "f16"},

    // Attributes, at other levels.
    {"pagoda-fuse", "plant-epsilon-tenfold", "llm.rms_norm at 0.mlp.norm"},
    {"pagoda-lower-to-exec", "plant-epsilon-tenfold",
     "llm.rms_norm at norm (in kernel @rms_norm_64"},
    {"pagoda-pack-weights", "plant-wrong-activation", "llm.gated at 1.gated"},
    // Operands and results that change places.
    {"cse", "plant-norm-weights-swapped", "llm.rms_norm at 0.norm"},
    {"pagoda-hoist-weights", "plant-residual-from-before",
     "arith.addf at 0.mlp.sum"},
    {"pagoda-fuse", "plant-gate-up-swapped", "llm.gated at 1.gated"},
    {"pagoda-fuse", "plant-key-value-swapped", "llm.kv_append at 1.attention"},
    {"pagoda-fuse", "plant-results-swapped", "at 0."},
    {"pagoda-fuse", "plant-key-rotated-twice", "llm.rope at 0.k.rope"},
    {"pagoda-hoist-weights", "plant-rows-off-by-one", "linalg.generic at last"},
    // Layers, and the order of appends.
    {"pagoda-paged-attention", "plant-attention-of-other-layer",
     "llm.paged_attention at 1.attention"},
    {"pagoda-paged-attention", "plant-append-to-other-layer",
     "llm.kv_append at 1.attention"},
    {"pagoda-paged-attention", "plant-attention-before-append",
     "llm.paged_attention at 1.attention"},
    // Weights, in the program and in definitions.
    {"pagoda-hoist-weights", "plant-transposed-weight",
     "llm.weight.transpose at 0.q"},
    {"cse", "plant-slice-off-by-one", "llm.weight.slice at "},
    {"pagoda-pack-weights", "plant-slice-off-by-one", "llm.weight.slice at "},
    {"cse", "plant-other-tensor", "in place of llm.weight at "},
    {"pagoda-pack-weights", "plant-other-tensor", "in place of llm.weight at "},
    {"pagoda-hoist-weights", "plant-frequency-off",
     "llm.weight.rope_table at angles"},
    // Roundings, and ops without a meaning.
    {"pagoda-hoist-weights", "plant-extra-rounding", "llm.cast at 1.gated"},
    {"pagoda-hoist-weights", "plant-unknown-op",
     "math.atan at 1.gated: the reference has no meaning for this op", nullptr,
     "", "leaves a program that cannot be executed"},
    // Memory.
    {"pagoda-plan-memory", "plant-output-in-input",
     "exec.launch at 0.norm writes over a buffer"},
    {"pagoda-plan-memory", "plant-slot-too-small", "writes over a buffer"},
    {"pagoda-lower-to-exec", "plant-launches-exchanged",
     "reads a buffer that nothing was stored in"},
    {"pagoda-lower-to-exec", "plant-other-weight",
     "in place of llm.weight at "},
    {"pagoda-lower-to-exec", "plant-other-cache-layer",
     "llm.paged_attention at 1.attention (in kernel @paged_attention"},
};

class VerifyPlants : public testing::TestWithParam<PlantCase> {};

std::string nameOf(const testing::TestParamInfo<PlantCase> &info) {
  std::string name = std::string(info.param.plant).substr(6) + "_after_" +
                     info.param.after + "_" +
                     (info.param.model ? info.param.model : "two_layers");
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

TEST_P(VerifyPlants, AreFoundAndNamed) {
  const PlantCase &plant = GetParam();
  VerifiedCompile compile;
  compile.model = inputFile("two-layers.mlir");
  if (plant.model) {
    PAGODA_REQUIRE_SHARED(shared, std::string("models/") + plant.model);
    compile.model = shared;
  }
  compile.kvDtype = plant.kvDtype;
  compile.insertAfter = std::string(plant.after) + ":" + plant.plant;
  Outcome outcome = verifiedCompile(compile);
  EXPECT_FALSE(outcome.ok);
  EXPECT_THAT(outcome.error, HasSubstr(std::string("pass '") + plant.plant +
                                       "' " + plant.says));
  EXPECT_THAT(outcome.error, HasSubstr(plant.op));
  // One error, and every pass up to the plant has its line.
  EXPECT_EQ(outcome.error.find('\n'), std::string::npos);
  EXPECT_NE(outcome.line(plant.after), "");
  EXPECT_EQ(outcome.line(plant.plant), "");
}

INSTANTIATE_TEST_SUITE_P(, VerifyPlants, testing::ValuesIn(kCases), nameOf);

// Where only a kernel is wrong, no IR is: the compiled program differs, and the
// kernel is named.
TEST(VerifyKernels, AWrongKernelIsNamed) {
  const std::pair<const char *, const char *> plants[] = {
      {"plant-kernel-block", "kernel @paged_attention"},
      {"plant-append-block", "kernel @kv_append"}};
  for (auto [plant, kernel] : plants)
    for (const char *precision : {"exact", "fast"}) {
      Outcome outcome = verifiedCompile(
          {.model = inputFile("two-layers.mlir"),
           .precision = precision,
           .insertAfter = std::string("pagoda-lower-to-exec:") + plant});
      EXPECT_FALSE(outcome.ok);
      EXPECT_NE(outcome.line(plant), "");
      EXPECT_THAT(outcome.error,
                  HasSubstr(std::string("the program compiled for x86-64-v3 "
                                        "does not compute what its IR says: ") +
                            kernel));
      EXPECT_THAT(outcome.error, HasSubstr("at 0.attention"));
    }
}

} // namespace
