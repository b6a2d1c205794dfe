// RUN: pagoda-opt %s --pagoda-lower-to-exec --split-input-file --verify-diagnostics

func.func @no_group(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  // expected-error @below {{is in no group, so no kernel computes it}}
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}

// -----

func.func @no_kernel(%x: tensor<4x64xf32>) -> tensor<4x64xf32> attributes {llm.entry = "step"} {
  // expected-error @below {{has no kernel; run pagoda-select-kernels first}}
  %0 = llm.fused (%x) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
  ^bb0(%a: tensor<4x64xf32>):
    %e = math.exp %a : tensor<4x64xf32>
    llm.yield %e : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

// An unknown size must be one of the batch's.
// expected-error @below {{extent 0 of 'tensor<?x64xf32>' is no size of the batch}}
func.func @foreign_size(%x: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  return %x : tensor<?x64xf32>
}

// -----

// Only the first extent may be unknown.
// expected-error @below {{extent 1 of 'tensor<?x?xi32>' is no size of the batch}}
func.func @second_extent(%x: tensor<?x?xi32> {llm.role = "ids"}) attributes {llm.entry = "step"} {
  return
}

// -----

// Weights stand under names once pagoda-hoist-weights has run.
llm.source @model file("model.gguf")
func.func @no_definition(%x: tensor<4x64xf32>) -> tensor<4x64xf32> attributes {llm.entry = "step"} {
  // expected-error @below {{is in no group, so no kernel computes it}}
  %w = llm.weight @model["w"] : tensor<64xf32>
  %0 = llm.fused (%x, %w) kernel(<"rms_norm", {}>) : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32> {
  ^bb0(%a: tensor<4x64xf32>, %b: tensor<64xf32>):
    %e = llm.rms_norm %a, %b epsilon 1.0e-06 : tensor<4x64xf32>, tensor<64xf32>
    llm.yield %e : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

// Sizes stand in types at this level, so that no kernel takes one.
func.func @size_operand(%x: tensor<?xi32> {llm.role = "ids"}, %b: !llm.batch) -> tensor<?xi32> attributes {llm.entry = "step"} {
  %t = llm.dim %b, tokens
  // expected-error @below {{uses a value of 'index', of which kernels take none}}
  %0 = llm.fused (%x, %t) kernel(<"pointwise", {}>) : (tensor<?xi32>, index) -> tensor<?xi32> {
  ^bb0(%a: tensor<?xi32>, %p: index):
    %1 = arith.addi %a, %a : tensor<?xi32>
    llm.yield %1 : tensor<?xi32>
  }
  return %0 : tensor<?xi32>
}

// -----

// expected-error @below {{kernels have no buffers of 'tensor<*xf32>'}}
func.func @no_rank(%x: tensor<*xf32>) attributes {llm.entry = "step"} {
  return
}
