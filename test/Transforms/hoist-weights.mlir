// RUN: pagoda-opt %s --pagoda-hoist-weights --split-input-file | FileCheck %s
// A second run finds nothing to do.
// RUN: pagoda-opt %s --pagoda-hoist-weights --pagoda-hoist-weights --split-input-file | FileCheck %s

// Each maximal expression behind a value that the program reads becomes one
// definition, named after its first tensor.

// CHECK: llm.source @model
// CHECK-NEXT: llm.define @norm : tensor<64xf32> {
// CHECK-NEXT:   %norm = llm.weight @model["norm"] : tensor<64xf32>
// CHECK-NEXT:   llm.yield %norm : tensor<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: llm.define @qkv : tensor<64x32xf32> {
// CHECK-NEXT:   %qkv = llm.weight @model["qkv"] : tensor<96x64xf32>
// CHECK-NEXT:   %[[S:.*]] = llm.weight.slice %qkv axis 0 offset 64
// CHECK-NEXT:   %[[T:.*]] = llm.weight.transpose %[[S]] [1, 0]
// CHECK-NEXT:   llm.yield %[[T]] : tensor<64x32xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @cones
// CHECK-NEXT: %[[N:.*]] = llm.defined @norm : tensor<64xf32>
// CHECK-NEXT: llm.rms_norm %{{.*}}, %[[N]]
// CHECK-NEXT: %[[W:.*]] = llm.defined @qkv : tensor<64x32xf32>
// CHECK-NEXT: llm.linear %{{.*}}, %[[W]]
// CHECK-NOT: llm.weight
llm.source @model file("model.gguf")
func.func @cones(%x: tensor<?x64xf32>, %y: tensor<?x32xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %n = llm.weight @model["norm"] : tensor<64xf32>
  %0 = llm.rms_norm %x, %n epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  %w = llm.weight @model["qkv"] : tensor<96x64xf32>
  %s = llm.weight.slice %w axis 0 offset 64 : tensor<96x64xf32> to tensor<32x64xf32>
  %t = llm.weight.transpose %s [1, 0] : tensor<32x64xf32> to tensor<64x32xf32>
  %1 = llm.linear %y, %t : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Equal expressions share a definition, also between entries; others of the
// same tensor get names of their own.

// CHECK: llm.define @w : tensor<64x64xf32>
// CHECK: llm.define @w_0 : tensor<64x64xf32>
// CHECK-NOT: llm.define
// CHECK-LABEL: func.func @one
// CHECK: %[[A:.*]] = llm.defined @w : tensor<64x64xf32>
// CHECK: llm.linear %{{.*}}, %[[A]]
// CHECK: %[[B:.*]] = llm.defined @w : tensor<64x64xf32>
// CHECK: llm.linear %{{.*}}, %[[B]]
// CHECK-LABEL: func.func @two
// CHECK: llm.defined @w : tensor<64x64xf32>
// CHECK: llm.defined @w_0 : tensor<64x64xf32>
llm.source @model file("model.gguf")
func.func @one(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %a = llm.weight @model["w"] : tensor<64x64xf32>
  %0 = llm.linear %x, %a : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %b = llm.weight @model["w"] : tensor<64x64xf32>
  %1 = llm.linear %0, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}
func.func @two(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %a = llm.weight @model["w"] : tensor<64x64xf32>
  %0 = llm.linear %x, %a : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %t = llm.weight.transpose %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
  %1 = llm.linear %0, %t : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// -----

// Definitions that nothing reads are dropped; what exists is used again.

// CHECK-NOT: @unused
// CHECK: llm.define @mine : tensor<64xf32>
// CHECK-NOT: llm.define
// CHECK-LABEL: func.func @again
// CHECK: llm.defined @mine : tensor<64xf32>
// CHECK: llm.defined @mine : tensor<64xf32>
llm.source @model file("model.gguf")
llm.define @unused : tensor<32xf32> {
  %w = llm.weight @model["other"] : tensor<32xf32>
  llm.yield %w : tensor<32xf32>
}
llm.define @mine : tensor<64xf32> {
  %w = llm.weight @model["norm"] : tensor<64xf32>
  llm.yield %w : tensor<64xf32>
}
func.func @again(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %m = llm.defined @mine : tensor<64xf32>
  %0 = llm.rms_norm %x, %m epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  %n = llm.weight @model["norm"] : tensor<64xf32>
  %1 = llm.rms_norm %0, %n epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  return %1 : tensor<?x64xf32>
}

// -----

// An expression on top of a definition takes its content along, so that each
// definition starts at sources; the name says how it differs.

// CHECK: llm.define @w.tile32 : !llm.packed<tile32, tensor<64x64xf32>> {
// CHECK-NEXT:   %[[W:.*]] = llm.weight @model["w"] : tensor<64x64xf32>
// CHECK-NEXT:   %[[P:.*]] = llm.weight.pack %[[W]]
// CHECK-NEXT:   llm.yield %[[P]]
// CHECK-NOT: llm.define @w :
// CHECK-LABEL: func.func @on_top
// CHECK: llm.defined @w.tile32 : !llm.packed<tile32, tensor<64x64xf32>>
// CHECK-NEXT: llm.fused
llm.source @model file("model.gguf")
llm.define @w : tensor<64x64xf32> {
  %w = llm.weight @model["w"] : tensor<64x64xf32>
  llm.yield %w : tensor<64x64xf32>
}
func.func @on_top(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = llm.defined @w : tensor<64x64xf32>
  %p = llm.weight.pack %w : tensor<64x64xf32> to <tile32, tensor<64x64xf32>>
  %0 = llm.fused (%x, %p) : (tensor<?x64xf32>, !llm.packed<tile32, tensor<64x64xf32>>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: !llm.packed<tile32, tensor<64x64xf32>>):
    // Unpacking a group's argument is the group's meaning, no weight of its own.
    // CHECK: llm.weight.unpack
    %u = llm.weight.unpack %b : <tile32, tensor<64x64xf32>>
    %l = llm.linear %a, %u : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %l : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// -----

// Arithmetic on weights and constants belongs to the weight; arithmetic that
// reads an activation does not, and neither does a constant alone.

// CHECK: llm.define @norm : tensor<64xf32> {
// CHECK-NEXT:   %norm = llm.weight @model["norm"] : tensor<64xf32>
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<64xf32>
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %norm, %[[ONE]]
// CHECK-NEXT:   llm.yield %[[SUM]]
// CHECK: llm.define @rope_table : tensor<8x1x2xf32>
// CHECK-LABEL: func.func @arithmetic
// CHECK: %[[N:.*]] = llm.defined @norm
// CHECK: llm.rms_norm %{{.*}}, %[[N]]
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<4x64xf32>
// CHECK: arith.mulf %{{.*}}, %[[C]]
// CHECK: llm.rope half %{{.*}}, %{{.*}}, %rope_table
llm.source @model file("model.gguf")
func.func @arithmetic(%x: tensor<4x64xf32>, %q: tensor<4x1x2xf32>, %p: tensor<4xi32>) -> (tensor<4x64xf32>, tensor<4x1x2xf32>) {
  %w = llm.weight @model["norm"] : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %n = arith.addf %w, %one : tensor<64xf32>
  %0 = llm.rms_norm %x, %n epsilon 1.0e-06 : tensor<4x64xf32>, tensor<64xf32>
  %two = arith.constant dense<2.0> : tensor<4x64xf32>
  %1 = arith.mulf %0, %two : tensor<4x64xf32>
  %t = llm.weight.rope_table frequencies [1.0] : tensor<8x1x2xf32>
  %2 = llm.rope half %q, %p, %t : (tensor<4x1x2xf32>, tensor<4xi32>, tensor<8x1x2xf32>) -> tensor<4x1x2xf32>
  return %1, %2 : tensor<4x64xf32>, tensor<4x1x2xf32>
}
