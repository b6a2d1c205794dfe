// RUN: pagoda-opt %s --pagoda-pack-weights --split-input-file --verify-diagnostics

// Rows that are no whole blocks are no weight; the verifier says so first.

llm.source @model file("model.gguf")
llm.define @w : tensor<64x40x!llm.q4_0> {
  // expected-error @below {{needs a last extent that is a multiple of 32 for q4_0}}
  %w = llm.weight @model["w"] : tensor<64x40x!llm.q4_0>
  llm.yield %w : tensor<64x40x!llm.q4_0>
}

// -----

// A matrix of integers is no weight of a kernel.
llm.source @model file("model.gguf")
llm.define @w : tensor<64x64xi16> {
  %w = llm.weight @model["w"] : tensor<64x64xi16>
  llm.yield %w : tensor<64x64xi16>
}
func.func @step(%x: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %w = llm.defined @w : tensor<64x64xi16>
  // expected-error @below {{packed weights hold floats or quantised elements, found 'i16'}}
  %0 = llm.fused (%x, %w) : (tensor<?x64xf32>, tensor<64x64xi16>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xi16>):
    %e = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xi16>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}
