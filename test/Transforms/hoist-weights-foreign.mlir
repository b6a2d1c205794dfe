// RUN: pagoda-opt %s --pagoda-hoist-weights --allow-unregistered-dialect --split-input-file | FileCheck %s

// Ops of dialects that nobody knows are no weights.
// CHECK-LABEL: @unknown
func.func @unknown() -> tensor<4xf32> {
  // CHECK: "test.a"() : () -> tensor<4xf32>
  %0 = "test.a"() : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Where no op of ours is, the pass brings its dialect.
// CHECK: llm.define @weight : tensor<4xf32>
// CHECK-LABEL: @constants
func.func @constants() -> tensor<4xf32> {
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  %1 = arith.addf %0, %0 : tensor<4xf32>
  // CHECK: %[[W:.*]] = llm.defined @weight : tensor<4xf32>
  // CHECK: return %[[W]]
  return %1 : tensor<4xf32>
}

// -----

// An op that is the last user of two others, one of which uses the other.
// CHECK: llm.define @d
// CHECK-LABEL: @both
llm.source @s random(seed = 1, deviation = 0.5)
func.func @both(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // CHECK-NEXT: llm.defined @d
  // CHECK-NEXT: llm.linear
  %w = llm.weight @s["d"] : tensor<64x64xf32>
  %a = llm.weight.transpose %w [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
  %m = arith.subf %w, %a : tensor<64x64xf32>
  %y = llm.linear %x, %m : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// -----

// A module inside is left alone.
// CHECK: llm.source @s
llm.source @s random(seed = 1, deviation = 0.5)
module @inner {
  llm.source @s random(seed = 1, deviation = 0.5)
  llm.define @w : tensor<4xf32> {
    %0 = llm.weight @s["w"] : tensor<4xf32>
    llm.yield %0 : tensor<4xf32>
  }
  // CHECK-LABEL: @f
  func.func @f() -> tensor<4xf32> {
    // CHECK: llm.defined @w
    // CHECK: arith.addf
    %0 = llm.defined @w : tensor<4xf32>
    %1 = arith.addf %0, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
