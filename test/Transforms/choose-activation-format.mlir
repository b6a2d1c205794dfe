// RUN: pagoda-opt %s --pagoda-choose-activation-format --split-input-file | FileCheck %s
// RUN: pagoda-opt %s --pagoda-choose-activation-format="group=64" --split-input-file | FileCheck %s --check-prefix=G64
// RUN: pagoda-opt %s --pagoda-choose-activation-format="format=f32" --split-input-file | FileCheck %s --check-prefix=NONE

// NONE-NOT: llm.quantize

// One rounding serves all linears with integer weights over a value; a linear
// with float weights reads the value as it is.

// CHECK-LABEL: func.func @shared
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>,
// CHECK-NEXT: %[[Q:.*]] = llm.quantize %[[X]] : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
// CHECK-NEXT: llm.linear %[[Q]], %{{.*}} : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64x!llm.q4_1>) -> tensor<?x32xf32>
// CHECK-NEXT: llm.linear %[[Q]], %{{.*}} bias %{{.*}} : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64x!llm.q8_0>, tensor<32xf32>) -> tensor<?x32xf32>
// CHECK-NEXT: llm.linear %[[X]], %{{.*}} : (tensor<?x64xf32>, tensor<32x64xf16>) -> tensor<?x32xf32>
// CHECK-NEXT: arith.addf %[[X]], %[[X]]
// G64: llm.quantize %{{.*}} : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 64, scale = f32>>
func.func @shared(%x: tensor<?x64xf32>, %w4: tensor<32x64x!llm.q4_1>, %w8: tensor<32x64x!llm.q8_0>,
                  %wf: tensor<32x64xf16>, %b: tensor<32xf32>) attributes {llm.entry = "step"} {
  %0 = llm.linear %x, %w4 : (tensor<?x64xf32>, tensor<32x64x!llm.q4_1>) -> tensor<?x32xf32>
  %1 = llm.linear %x, %w8 bias %b : (tensor<?x64xf32>, tensor<32x64x!llm.q8_0>, tensor<32xf32>) -> tensor<?x32xf32>
  %2 = llm.linear %x, %wf : (tensor<?x64xf32>, tensor<32x64xf16>) -> tensor<?x32xf32>
  %3 = arith.addf %x, %x : tensor<?x64xf32>
  return
}

// -----

// Groups must divide the width.

// CHECK-LABEL: func.func @width
// CHECK: llm.quantize %{{.*}} : tensor<?x96xf32>
// G64-LABEL: func.func @width
// G64-NOT: llm.quantize
func.func @width(%x: tensor<?x96xf32>, %w: tensor<32x96x!llm.q4_0>) attributes {llm.entry = "step"} {
  %0 = llm.linear %x, %w : (tensor<?x96xf32>, tensor<32x96x!llm.q4_0>) -> tensor<?x32xf32>
  return
}

// -----

// What is rounded already stays, and so do functions that are no entries.

// CHECK-LABEL: func.func @rounded
// CHECK-NOT: llm.quantize
func.func @rounded(%x: tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, %w: tensor<32x64x!llm.q4_0>) attributes {llm.entry = "step"} {
  %0 = llm.linear %x, %w : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64x!llm.q4_0>) -> tensor<?x32xf32>
  return
}
// CHECK-LABEL: func.func @helper
// CHECK-NOT: llm.quantize
func.func @helper(%x: tensor<?x64xf32>, %w: tensor<32x64x!llm.q4_0>) {
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<32x64x!llm.q4_0>) -> tensor<?x32xf32>
  return
}
