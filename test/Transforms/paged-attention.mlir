// RUN: pagoda-opt %s --pagoda-paged-attention --split-input-file | FileCheck %s --check-prefixes=CHECK,F32
// RUN: pagoda-opt %s --pagoda-paged-attention="kv-dtype=f16 block=32" --split-input-file | FileCheck %s --check-prefixes=CHECK,F16
// A second run, whatever it asks for, changes nothing.
// RUN: pagoda-opt %s --pagoda-paged-attention --pagoda-paged-attention="kv-dtype=f16 block=32" --split-input-file | FileCheck %s --check-prefixes=CHECK,F32

// The append comes first and the attention reads it back; the cache is threaded
// through the appends. Half-precision storage is a rounding in the IR.

// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[Q:.*]]: tensor<?x4x16xf32>, %[[K:.*]]: tensor<?x2x16xf32>, %[[V:.*]]: tensor<?x2x16xf32>, %[[BATCH:.*]]: !llm.batch, %[[CACHE:.*]]: !llm.cache
// F32-SAME: llm.kv_policy = #llm.kv_policy<dtype = f32, block = 16>
// F16-SAME: llm.kv_policy = #llm.kv_policy<dtype = f16, block = 32>
func.func @step(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf32>,
                %batch: !llm.batch, %cache: !llm.cache)
    -> (tensor<?x4x16xf32>, tensor<?x4x16xf32>, !llm.cache) attributes {llm.entry = "step"} {
  // F32-NOT:  llm.cast
  // F32:      %[[C0:.*]] = llm.kv_append %[[CACHE]], %[[K]], %[[V]], %[[BATCH]] layer 0 : tensor<?x2x16xf32>
  // F16:      %[[KH:.*]] = llm.cast %[[K]] : tensor<?x2x16xf32> to tensor<?x2x16xf16>
  // F16-NEXT: %[[VH:.*]] = llm.cast %[[V]] : tensor<?x2x16xf32> to tensor<?x2x16xf16>
  // F16-NEXT: %[[C0:.*]] = llm.kv_append %[[CACHE]], %[[KH]], %[[VH]], %[[BATCH]] layer 0 : tensor<?x2x16xf16>
  // CHECK-NEXT: %[[O0:.*]] = llm.paged_attention %[[Q]], %[[C0]], %[[BATCH]] layer 0 kv_heads 2 scale 2.500000e-01 : tensor<?x4x16xf32>
  %0, %c0 = llm.attention %q, %k, %v, %batch, %cache layer 0 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  // CHECK: %[[C1:.*]] = llm.kv_append %[[C0]], %{{.*}}, %{{.*}}, %[[BATCH]] layer 1
  // CHECK-NEXT: %[[O1:.*]] = llm.paged_attention %[[O0]], %[[C1]], %[[BATCH]] layer 1 kv_heads 2 scale 1.250000e-01 window 7 : tensor<?x4x16xf32>
  %1, %c1 = llm.attention %0, %k, %v, %batch, %c0 layer 1 scale 1.25e-01 window 7 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  // CHECK-NEXT: return %[[O0]], %[[O1]], %[[C1]]
  return %0, %1, %c1 : tensor<?x4x16xf32>, tensor<?x4x16xf32>, !llm.cache
}

// -----

// Functions that are no entries stay as they are.

// CHECK-LABEL: func.func @helper
// CHECK-NOT: llm.kv_policy
// CHECK: llm.attention
func.func @helper(%q: tensor<?x4x16xf32>, %batch: !llm.batch, %cache: !llm.cache) -> tensor<?x4x16xf32> {
  %0, %c0 = llm.attention %q, %q, %q, %batch, %cache layer 0 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x4x16xf32>
  return %0 : tensor<?x4x16xf32>
}
