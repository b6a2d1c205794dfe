// RUN: pagoda-opt %s | pagoda-opt | FileCheck %s

// Types print as they were written; formats that have a short name print under
// it, however they were written.

// CHECK-LABEL: func.func private @quantised(
func.func private @quantised(
  // CHECK-SAME: tensor<4x32x!llm.q4_0>, tensor<4x32x!llm.q4_1>, tensor<4x32x!llm.q8_0>,
  tensor<4x32x!llm.q4_0>, tensor<4x32x!llm.q4_1>, tensor<4x32x!llm.q8_0>,
  // CHECK-SAME: tensor<4x256x!llm.q4_k>, tensor<4x256x!llm.q6_k>,
  tensor<4x256x!llm.q4_k>, tensor<4x256x!llm.q6_k>,
  // CHECK-SAME: tensor<4x32x!llm.q4_0>, tensor<4x32x!llm.q4_1>, tensor<4x32x!llm.q8_0>,
  tensor<4x32x!llm.q<u4, group = 32, scale = f16>>,
  tensor<4x32x!llm.q<u4, group = 32, scale = f16, minimum = f16>>,
  tensor<4x32x!llm.q<i8, group = 32, scale = f16>>,
  // CHECK-SAME: tensor<4x64x!llm.q<i8, group = 64, scale = f32>>,
  tensor<4x64x!llm.q<i8, group = 64, scale = f32>>,
  // CHECK-SAME: tensor<4x64x!llm.q<u3, group = 16, scale = f32, minimum = f32>>)
  tensor<4x64x!llm.q<u3, group = 16, scale = f32, minimum = f32>>)

// CHECK: func.func private @opaque(!llm.batch, !llm.cache)
func.func private @opaque(!llm.batch, !llm.cache)

// CHECK: func.func private @packed(!llm.packed<tile32, tensor<960x576x!llm.q4_1>>, !llm.packed<tile32, tensor<8x8xbf16>>)
func.func private @packed(!llm.packed<tile32, tensor<960x576x!llm.q4_1>>, !llm.packed<tile32, tensor<8x8xbf16>>)

// CHECK: func.func private @policy() attributes {a = #llm.kv_policy<dtype = f32, block = 16>}
func.func private @policy() attributes {a = #llm.kv_policy<dtype = f32, block = 16>}
