// RUN: pagoda-opt %s | pagoda-opt | FileCheck %s
// RUN: pagoda-opt %s --mlir-print-op-generic | pagoda-opt | FileCheck %s

// Rotations, attention and the cache.

// CHECK-LABEL: func.func @rope
func.func @rope(%q: tensor<?x4x16xf32>, %positions: tensor<?xi32>,
                %whole: tensor<256x8x2xf32>, %part: tensor<256x4x2xf32>) {
  // CHECK: llm.rope half %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x8x2xf32>) -> tensor<?x4x16xf32>
  %0 = llm.rope half %q, %positions, %whole : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x8x2xf32>) -> tensor<?x4x16xf32>
  // The first 8 of 16 elements turn.
  // CHECK: llm.rope interleaved %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x4x2xf32>) -> tensor<?x4x16xf32>
  %1 = llm.rope interleaved %q, %positions, %part : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x4x2xf32>) -> tensor<?x4x16xf32>
  return
}

// CHECK-LABEL: func.func @attention
// CHECK-SAME: (%[[Q:.*]]: tensor<?x4x16xf32>, %[[K:.*]]: tensor<?x2x16xf32>, %[[V:.*]]: tensor<?x2x16xf32>, %[[BATCH:.*]]: !llm.batch, %[[CACHE:.*]]: !llm.cache)
func.func @attention(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>,
                     %v: tensor<?x2x16xf32>, %batch: !llm.batch,
                     %cache: !llm.cache) -> !llm.cache {
  // CHECK: %attention, %[[NEXT:.*]] = llm.attention %[[Q]], %[[K]], %[[V]], %[[BATCH]], %[[CACHE]] layer 0 scale 2.500000e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  %0, %c0 = llm.attention %q, %k, %v, %batch, %cache layer 0 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  // CHECK: llm.attention %[[Q]], %[[K]], %[[V]], %[[BATCH]], %[[NEXT]] layer 1 scale 2.500000e-01 window 7 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  %1, %c1 = llm.attention %q, %k, %v, %batch, %c0 layer 1 scale 2.5e-01 window 7 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  return %c1 : !llm.cache
}

// CHECK-LABEL: func.func @paged
func.func @paged(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>,
                 %v: tensor<?x2x16xf32>, %kh: tensor<?x2x16xf16>,
                 %vh: tensor<?x2x16xf16>, %batch: !llm.batch,
                 %cache: !llm.cache) -> !llm.cache {
  // CHECK: %[[C0:.*]] = llm.kv_append %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} layer 0 : tensor<?x2x16xf32>
  %c0 = llm.kv_append %cache, %k, %v, %batch layer 0 : tensor<?x2x16xf32>
  // CHECK: llm.paged_attention %{{.*}}, %[[C0]], %{{.*}} layer 0 kv_heads 2 scale 2.500000e-01 : tensor<?x4x16xf32>
  %0 = llm.paged_attention %q, %c0, %batch layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x4x16xf32>
  // CHECK: %[[C1:.*]] = llm.kv_append %[[C0]], %{{.*}}, %{{.*}}, %{{.*}} layer 1 : tensor<?x2x16xf16>
  %c1 = llm.kv_append %c0, %kh, %vh, %batch layer 1 : tensor<?x2x16xf16>
  // CHECK: llm.paged_attention %{{.*}}, %[[C1]], %{{.*}} layer 1 kv_heads 2 scale 2.500000e-01 window 7 : tensor<?x4x16xf32>
  %1 = llm.paged_attention %q, %c1, %batch layer 1 kv_heads 2 scale 2.5e-01 window 7 : tensor<?x4x16xf32>
  return %c1 : !llm.cache
}
