// RUN: pagoda-opt %s --pagoda-select-kernels --split-input-file --verify-diagnostics

// No family has such an anchor.
func.func @no_family(%x: tensor<4x64x!llm.q8_0>) -> tensor<4x64xf32> attributes {llm.entry = "step"} {
  // expected-error @below {{no kernel computes 'llm.dequantize' here}}
  %0 = llm.fused (%x) : (tensor<4x64x!llm.q8_0>) -> tensor<4x64xf32> {
  ^bb0(%a: tensor<4x64x!llm.q8_0>):
    %d = llm.dequantize %a : tensor<4x64x!llm.q8_0> to tensor<4x64xf32>
    llm.yield %d : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @without_policy(%ids: tensor<?xi32> {llm.role = "ids"}, %k: tensor<?x2x16xf32>, %batch: !llm.batch, %cache: !llm.cache) -> !llm.cache attributes {llm.entry = "step"} {
  // expected-error @below {{no kernel computes 'llm.kv_append' here: the entry has no llm.kv_policy; run pagoda-paged-attention first}}
  %c = llm.fused (%k, %batch, %cache) : (tensor<?x2x16xf32>, !llm.batch, !llm.cache) -> !llm.cache {
  ^bb0(%a: tensor<?x2x16xf32>, %b: !llm.batch, %d: !llm.cache):
    %n = llm.kv_append %d, %a, %a, %b layer 0 : tensor<?x2x16xf32>
    llm.yield %n : !llm.cache
  }
  return %c : !llm.cache
}

// -----

func.func @storage(%ids: tensor<?xi32> {llm.role = "ids"}, %k: tensor<?x2x16xf32>, %batch: !llm.batch, %cache: !llm.cache) -> !llm.cache
    attributes {llm.entry = "step", llm.kv_policy = #llm.kv_policy<dtype = f16, block = 16>} {
  // expected-error @below {{no kernel computes 'llm.kv_append' here: keys do not have the cache's type}}
  %c = llm.fused (%k, %batch, %cache) : (tensor<?x2x16xf32>, !llm.batch, !llm.cache) -> !llm.cache {
  ^bb0(%a: tensor<?x2x16xf32>, %b: !llm.batch, %d: !llm.cache):
    %n = llm.kv_append %d, %a, %a, %b layer 0 : tensor<?x2x16xf32>
    llm.yield %n : !llm.cache
  }
  return %c : !llm.cache
}

// -----

// Integers times floats have no kernel, nor have other groups of activations
// than 32 values.
func.func @mixed(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x32xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %q = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  // expected-error @below {{no kernel computes 'llm.linear' here: activations in 8 bits meet weights of f32}}
  %0 = llm.fused (%q, %w) : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64xf32>) -> tensor<?x32xf32> {
  ^bb0(%a: tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, %b: tensor<32x64xf32>):
    %l = llm.linear %a, %b : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %l : tensor<?x32xf32>
  }
  return %0 : tensor<?x32xf32>
}

// -----

func.func @groups(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>, %w: tensor<32x64x!llm.q8_0>) -> tensor<?x32xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %q = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 64, scale = f32>>
  // expected-error @below {{no kernel computes 'llm.linear' here: the input is of q<i8, group = 64, scale = f32>}}
  %0 = llm.fused (%q, %w) : (tensor<?x64x!llm.q<i8, group = 64, scale = f32>>, tensor<32x64x!llm.q8_0>) -> tensor<?x32xf32> {
  ^bb0(%a: tensor<?x64x!llm.q<i8, group = 64, scale = f32>>, %b: tensor<32x64x!llm.q8_0>):
    %l = llm.linear %a, %b : (tensor<?x64x!llm.q<i8, group = 64, scale = f32>>, tensor<32x64x!llm.q8_0>) -> tensor<?x32xf32>
    llm.yield %l : tensor<?x32xf32>
  }
  return %0 : tensor<?x32xf32>
}

// -----

// A rounding that kernels have no code for.
func.func @rounding(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>) -> tensor<?x64x!llm.q<i8, group = 64, scale = f32>> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  // expected-error @below {{no kernel computes 'llm.quantize' here: activations are rounded in groups of 32, found q<i8, group = 64, scale = f32>}}
  %0 = llm.fused (%x) : (tensor<?x64xf32>) -> tensor<?x64x!llm.q<i8, group = 64, scale = f32>> {
  ^bb0(%a: tensor<?x64xf32>):
    %q = llm.quantize %a : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 64, scale = f32>>
    llm.yield %q : tensor<?x64x!llm.q<i8, group = 64, scale = f32>>
  }
  return %0 : tensor<?x64x!llm.q<i8, group = 64, scale = f32>>
}

// -----

// Weights that no kernel decodes.
func.func @weights(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64x!llm.q<u3, group = 32, scale = f16>>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  // expected-error @below {{no kernel computes 'llm.embedding' here: there is no code for weights of 'q<u3, group = 32, scale = f16>'}}
  %0 = llm.fused (%ids, %table) : (tensor<?xi32>, tensor<320x64x!llm.q<u3, group = 32, scale = f16>>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?xi32>, %b: tensor<320x64x!llm.q<u3, group = 32, scale = f16>>):
    %e = llm.embedding %a, %b : (tensor<?xi32>, tensor<320x64x!llm.q<u3, group = 32, scale = f16>>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}
