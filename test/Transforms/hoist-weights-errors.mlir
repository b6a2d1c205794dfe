// RUN: pagoda-opt %s --pagoda-hoist-weights --split-input-file --verify-diagnostics

// The pass refuses nothing: whatever computes no weight stays where it is. What
// is wrong with a definition, the verifier says in front of it.

llm.source @model file("model.gguf")
// expected-error @below {{holds 'llm.rms_norm', which does not compute a weight}}
llm.define @w : tensor<64xf32> {
  %w = llm.weight @model["w"] : tensor<64xf32>
  %n = llm.rms_norm %w, %w epsilon 1.0e-06 : tensor<64xf32>, tensor<64xf32>
  llm.yield %n : tensor<64xf32>
}

// -----

// A rounding of activations is no weight, though weights may be rounded.
llm.source @model file("model.gguf")
func.func @activations(%x: tensor<?x64xf32>) -> tensor<?x64x!llm.q<i8, group = 32, scale = f32>> {
  %q = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  return %q : tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
}
