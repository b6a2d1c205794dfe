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

// -----

// What is shared is computed as often as it is used.
llm.source @model random(seed = 1, deviation = 0.5)
func.func @doubled(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = llm.weight @model["w"] : tensor<64x64xf32>
  %1 = arith.addf %0, %0 : tensor<64x64xf32>
  %2 = arith.addf %1, %1 : tensor<64x64xf32>
  %3 = arith.addf %2, %2 : tensor<64x64xf32>
  %4 = arith.addf %3, %3 : tensor<64x64xf32>
  %5 = arith.addf %4, %4 : tensor<64x64xf32>
  %6 = arith.addf %5, %5 : tensor<64x64xf32>
  %7 = arith.addf %6, %6 : tensor<64x64xf32>
  %8 = arith.addf %7, %7 : tensor<64x64xf32>
  // expected-error @below {{is an expression of more than 1000 ops}}
  %9 = arith.addf %8, %8 : tensor<64x64xf32>
  %y = llm.linear %x, %9 : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}
