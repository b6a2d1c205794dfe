// RUN: pagoda-opt %s | pagoda-opt | FileCheck %s
// RUN: pagoda-opt %s --mlir-print-op-generic | pagoda-opt | FileCheck %s

// Arithmetic that treats each token by itself.

// CHECK-LABEL: func.func @embedding
func.func @embedding(%ids: tensor<?xi32>, %table: tensor<320x64xf32>,
                     %small: tensor<320x64x!llm.q8_0>) {
  // CHECK: llm.embedding %{{.*}}, %{{.*}} : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %0 = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  // CHECK: llm.embedding %{{.*}}, %{{.*}} : (tensor<?xi32>, tensor<320x64x!llm.q8_0>) -> tensor<?x64xf32>
  %1 = llm.embedding %ids, %small : (tensor<?xi32>, tensor<320x64x!llm.q8_0>) -> tensor<?x64xf32>
  return
}

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>, %b: tensor<32xf32>,
                  %xq: tensor<?x64x!llm.q<i8, group = 32, scale = f32>>,
                  %wq: tensor<32x64x!llm.q4_0>) {
  // CHECK: llm.linear %{{.*}}, %{{.*}} : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
  // CHECK: llm.linear %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  %1 = llm.linear %x, %w bias %b : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  // CHECK: llm.linear %{{.*}}, %{{.*}} : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64x!llm.q4_0>) -> tensor<?x32xf32>
  %2 = llm.linear %xq, %wq : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64x!llm.q4_0>) -> tensor<?x32xf32>
  return
}

// CHECK-LABEL: func.func @rms_norm
func.func @rms_norm(%x: tensor<?x64xf32>, %heads: tensor<?x4x16xf32>,
                    %w: tensor<64xf32>, %wh: tensor<16xf32>) {
  // CHECK: llm.rms_norm %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<?x64xf32>, tensor<64xf32>
  %0 = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  // Of single heads.
  // CHECK: llm.rms_norm %{{.*}}, %{{.*}} epsilon 0.000000e+00 : tensor<?x4x16xf32>, tensor<16xf32>
  %1 = llm.rms_norm %heads, %wh epsilon 0.0 : tensor<?x4x16xf32>, tensor<16xf32>
  return
}

// CHECK-LABEL: func.func @gated
func.func @gated(%g: tensor<?x144xf32>, %u: tensor<?x144xf32>) {
  // CHECK: llm.gated silu %{{.*}}, %{{.*}} : tensor<?x144xf32>
  %0 = llm.gated silu %g, %u : tensor<?x144xf32>
  // CHECK: llm.gated gelu %{{.*}}, %{{.*}} : tensor<?x144xf32>
  %1 = llm.gated gelu %g, %u : tensor<?x144xf32>
  // CHECK: llm.gated gelu_tanh %{{.*}}, %{{.*}} : tensor<?x144xf32>
  %2 = llm.gated gelu_tanh %g, %u : tensor<?x144xf32>
  // CHECK: llm.gated relu %{{.*}}, %{{.*}} : tensor<?x144xf32>
  %3 = llm.gated relu %g, %u : tensor<?x144xf32>
  return
}

// CHECK-LABEL: func.func @gather_rows
func.func @gather_rows(%x: tensor<?x64xf32>, %rows: tensor<?xi32>) {
  // CHECK: llm.gather_rows %{{.*}}, %{{.*}} : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  %0 = llm.gather_rows %x, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  return
}

// CHECK-LABEL: func.func @argmax
func.func @argmax(%x: tensor<?x320xf32>) {
  // CHECK: llm.argmax %{{.*}} : tensor<?x320xf32> -> tensor<?xi32>
  %0 = llm.argmax %x : tensor<?x320xf32> -> tensor<?xi32>
  return
}

// CHECK-LABEL: func.func @cast
func.func @cast(%k: tensor<?x2x16xf32>) {
  // CHECK: llm.cast %{{.*}} : tensor<?x2x16xf32> to tensor<?x2x16xf16>
  %0 = llm.cast %k : tensor<?x2x16xf32> to tensor<?x2x16xf16>
  // CHECK: llm.cast %{{.*}} : tensor<?x2x16xf16> to tensor<?x2x16xf32>
  %1 = llm.cast %0 : tensor<?x2x16xf16> to tensor<?x2x16xf32>
  return
}

// CHECK-LABEL: func.func @quantize
func.func @quantize(%x: tensor<?x64xf32>) {
  // CHECK: llm.quantize %{{.*}} : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  %0 = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  // CHECK: llm.dequantize %{{.*}} : tensor<?x64x!llm.q<i8, group = 32, scale = f32>> to tensor<?x64xf32>
  %1 = llm.dequantize %0 : tensor<?x64x!llm.q<i8, group = 32, scale = f32>> to tensor<?x64xf32>
  return
}
