// RUN: pagoda-opt %s | pagoda-opt | FileCheck %s
// RUN: pagoda-opt %s --mlir-print-op-generic | pagoda-opt | FileCheck %s

// Weights are expressions over tensors of sources.

// CHECK: llm.source @model file("model.gguf")
llm.source @model file("model.gguf")
// CHECK: llm.source @noise random(seed = 7, deviation = 2.000000e-01)
llm.source @noise random(seed = 7, deviation = 0.2)

// CHECK: llm.define @blk.0.kv : tensor<64x64xf32> {
// CHECK-NEXT: %k = llm.weight @model["k"] : tensor<32x64xf32>
// CHECK-NEXT: %v = llm.weight @model["v"] : tensor<32x64xf32>
// CHECK-NEXT: %[[KV:.*]] = llm.weight.concat axis 0 %k, %v : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
// CHECK-NEXT: llm.yield %[[KV]] : tensor<64x64xf32>
llm.define @blk.0.kv : tensor<64x64xf32> {
  %k = llm.weight @model["k"] : tensor<32x64xf32>
  %v = llm.weight @model["v"] : tensor<32x64xf32>
  %kv = llm.weight.concat axis 0 %k, %v : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  llm.yield %kv : tensor<64x64xf32>
}

// Arithmetic, rounding and constants may stand in definitions.
// CHECK: llm.define @folded : tensor<64x64xf32>
llm.define @folded : tensor<64x64xf32> {
  %w = llm.weight @noise["w"] : tensor<64x64x!llm.q4_1>
  // CHECK: llm.dequantize %{{.*}} : tensor<64x64x!llm.q4_1> to tensor<64x64xf32>
  %f = llm.dequantize %w : tensor<64x64x!llm.q4_1> to tensor<64x64xf32>
  %c = arith.constant dense<0.5> : tensor<64x64xf32>
  %m = arith.mulf %f, %c : tensor<64x64xf32>
  llm.yield %m : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @uses
func.func @uses() {
  // A weight is named after its tensor.
  // CHECK: %blk.0.attn_q.weight = llm.weight @model["blk.0.attn_q.weight"] : tensor<576x576x!llm.q4_1>
  %0 = llm.weight @model["blk.0.attn_q.weight"] : tensor<576x576x!llm.q4_1>
  // CHECK: %blk.0.kv = llm.defined @blk.0.kv : tensor<64x64xf32>
  %1 = llm.defined @blk.0.kv : tensor<64x64xf32>
  return
}

// CHECK-LABEL: func.func @rearranged
func.func @rearranged(%w: tensor<64x144xf32>, %q: tensor<4x64x!llm.q4_0>,
                      %k: tensor<2x512x!llm.q6_k>) {
  // CHECK: llm.weight.slice %{{.*}} axis 0 offset 32 : tensor<64x144xf32> to tensor<32x144xf32>
  %0 = llm.weight.slice %w axis 0 offset 32 : tensor<64x144xf32> to tensor<32x144xf32>
  // Between blocks of a quantised row.
  // CHECK: llm.weight.slice %{{.*}} axis 1 offset 256 : tensor<2x512x!llm.q6_k> to tensor<2x256x!llm.q6_k>
  %1 = llm.weight.slice %k axis 1 offset 256 : tensor<2x512x!llm.q6_k> to tensor<2x256x!llm.q6_k>
  // CHECK: llm.weight.concat axis 1 %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x144xf32>, tensor<64x144xf32>, tensor<64x144xf32>) -> tensor<64x432xf32>
  %2 = llm.weight.concat axis 1 %w, %w, %w : (tensor<64x144xf32>, tensor<64x144xf32>, tensor<64x144xf32>) -> tensor<64x432xf32>
  // CHECK: llm.weight.transpose %{{.*}} [1, 0] : tensor<64x144xf32> to tensor<144x64xf32>
  %3 = llm.weight.transpose %w [1, 0] : tensor<64x144xf32> to tensor<144x64xf32>
  // CHECK: llm.weight.reshape %{{.*}} : tensor<4x64x!llm.q4_0> to tensor<2x2x64x!llm.q4_0>
  %4 = llm.weight.reshape %q : tensor<4x64x!llm.q4_0> to tensor<2x2x64x!llm.q4_0>
  return
}

// CHECK-LABEL: func.func @rope_table
func.func @rope_table() {
  // CHECK: llm.weight.rope_table frequencies [1.000000e+00, 1.000000e-01] : tensor<256x2x2xf32>
  %0 = llm.weight.rope_table frequencies [1.0, 0.1] : tensor<256x2x2xf32>
  // CHECK: llm.weight.rope_table frequencies [1.000000e+00] {magnitude = 1.250000e+00 : f32} : tensor<8x1x2xf32>
  %1 = llm.weight.rope_table frequencies [1.0] {magnitude = 1.25 : f32} : tensor<8x1x2xf32>
  // What is printed is read back as the same float32.
  // CHECK: llm.weight.rope_table frequencies [3.16227764e-01] : tensor<8x1x2xf32>
  %2 = llm.weight.rope_table frequencies [0.316227764] : tensor<8x1x2xf32>
  return
}

// CHECK-LABEL: func.func @parts
func.func @parts(%w: tensor<64x64x!llm.q4_1>, %s8: tensor<64x64x!llm.q8_0>) {
  // CHECK: llm.weight.codes %{{.*}} : tensor<64x64x!llm.q4_1> to tensor<64x64xi16>
  %c = llm.weight.codes %w : tensor<64x64x!llm.q4_1> to tensor<64x64xi16>
  // CHECK: llm.weight.scales %{{.*}} : tensor<64x64x!llm.q4_1> to tensor<64x2xf32>
  %s = llm.weight.scales %w : tensor<64x64x!llm.q4_1> to tensor<64x2xf32>
  // CHECK: llm.weight.zeros %{{.*}} : tensor<64x64x!llm.q4_1> to tensor<64x2xf32>
  %z = llm.weight.zeros %w : tensor<64x64x!llm.q4_1> to tensor<64x2xf32>
  // CHECK: llm.weight.compose %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x64xi16>, tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<64x64x!llm.q4_1>
  %0 = llm.weight.compose %c, %s, %z : (tensor<64x64xi16>, tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<64x64x!llm.q4_1>
  // Formats without minimums take no zeros.
  // CHECK: llm.weight.compose %{{.*}}, %{{.*}} : (tensor<64x64xi16>, tensor<64x2xf32>) -> tensor<64x64x!llm.q8_0>
  %1 = llm.weight.compose %c, %s : (tensor<64x64xi16>, tensor<64x2xf32>) -> tensor<64x64x!llm.q8_0>
  return
}

// CHECK-LABEL: func.func @packed
func.func @packed(%w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: llm.weight.pack %{{.*}} : tensor<64x64xf32> to <tile32, tensor<64x64xf32>>
  %p = llm.weight.pack %w : tensor<64x64xf32> to <tile32, tensor<64x64xf32>>
  // CHECK: llm.weight.unpack %{{.*}} : <tile32, tensor<64x64xf32>>
  %u = llm.weight.unpack %p : <tile32, tensor<64x64xf32>>
  return %u : tensor<64x64xf32>
}
