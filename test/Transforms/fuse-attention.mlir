// RUN: pagoda-opt %s --pagoda-fuse --split-input-file | FileCheck %s

// Head norms and rotations of keys, and of the queries that will read them, go
// into the append; so do the casts of a cache in half precision.

// CHECK-LABEL: func.func @append
// CHECK: %[[P:.*]]:2 = llm.fused
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %[[QN:.*]] = llm.rms_norm
// CHECK-NEXT:   %[[KN:.*]] = llm.rms_norm
// CHECK-NEXT:   %[[QR:.*]] = llm.rope half %[[QN]]
// CHECK-NEXT:   %[[KR:.*]] = llm.rope half %[[KN]]
// CHECK-NEXT:   %[[KH:.*]] = llm.cast %[[KR]]
// CHECK-NEXT:   %[[VH:.*]] = llm.cast
// CHECK-NEXT:   %[[C:.*]] = llm.kv_append %{{.*}}, %[[KH]], %[[VH]]
// CHECK-NEXT:   llm.yield %[[QR]], %[[C]] : tensor<?x4x16xf32>, !llm.cache
// CHECK: llm.fused(%[[P]]#0, %[[P]]#1, %{{.*}}) : (tensor<?x4x16xf32>, !llm.cache, !llm.batch) -> tensor<?x4x16xf32>
// CHECK:   llm.paged_attention
// CHECK-NEXT: llm.yield
func.func @append(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf32>,
                  %wq: tensor<16xf32>, %wk: tensor<16xf32>, %table: tensor<64x8x2xf32>,
                  %batch: !llm.batch, %cache: !llm.cache) -> (tensor<?x4x16xf32>, !llm.cache) attributes {llm.entry = "step"} {
  %p = llm.positions %batch : tensor<?xi32>
  %qn = llm.rms_norm %q, %wq epsilon 1.0e-06 : tensor<?x4x16xf32>, tensor<16xf32>
  %kn = llm.rms_norm %k, %wk epsilon 1.0e-06 : tensor<?x2x16xf32>, tensor<16xf32>
  %qr = llm.rope half %qn, %p, %table : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x4x16xf32>
  %kr = llm.rope half %kn, %p, %table : (tensor<?x2x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x2x16xf32>
  %kh = llm.cast %kr : tensor<?x2x16xf32> to tensor<?x2x16xf16>
  %vh = llm.cast %v : tensor<?x2x16xf32> to tensor<?x2x16xf16>
  %c = llm.kv_append %cache, %kh, %vh, %batch layer 0 : tensor<?x2x16xf16>
  %o = llm.paged_attention %qr, %c, %batch layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x4x16xf32>
  return %o, %c : tensor<?x4x16xf32>, !llm.cache
}

// -----

// Rotated keys that something else reads stay outside: the append reads them.
// Queries without an append in front (a layer that shares the cache of another)
// are rotated by themselves.

// CHECK-LABEL: func.func @read_twice
// CHECK: %[[K:.*]] = llm.fused
// CHECK:   llm.rope
// CHECK-NEXT: llm.yield
// CHECK: llm.fused
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   llm.kv_append
// CHECK-NEXT:   llm.yield
func.func @read_twice(%k: tensor<?x2x16xf32>, %table: tensor<64x8x2xf32>,
                      %batch: !llm.batch, %cache: !llm.cache) -> (tensor<?x2x16xf32>, !llm.cache) attributes {llm.entry = "step"} {
  %p = llm.positions %batch : tensor<?xi32>
  %kr = llm.rope half %k, %p, %table : (tensor<?x2x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x2x16xf32>
  %c = llm.kv_append %cache, %kr, %k, %batch layer 0 : tensor<?x2x16xf32>
  return %kr, %c : tensor<?x2x16xf32>, !llm.cache
}

// CHECK-LABEL: func.func @queries_alone
// CHECK: %[[Q:.*]] = llm.fused
// CHECK:   llm.rope interleaved
// CHECK-NEXT: llm.yield
// CHECK: llm.fused(%[[Q]],
// CHECK:   llm.paged_attention
func.func @queries_alone(%q: tensor<?x4x16xf32>, %table: tensor<64x8x2xf32>,
                         %batch: !llm.batch, %cache: !llm.cache) -> tensor<?x4x16xf32> attributes {llm.entry = "step"} {
  %p = llm.positions %batch : tensor<?xi32>
  %qr = llm.rope interleaved %q, %p, %table : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x4x16xf32>
  %o = llm.paged_attention %qr, %cache, %batch layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x4x16xf32>
  return %o : tensor<?x4x16xf32>
}

// -----

// Roundings join what makes their values: a norm, elementwise ops behind
// linears, an attention through the joining of its heads.

// CHECK-LABEL: func.func @roundings
// CHECK: llm.fused
// CHECK:   llm.paged_attention
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: %[[Q:.*]] = llm.quantize
// CHECK-NEXT: llm.yield %[[Q]]
// CHECK: llm.fused
// CHECK:   llm.linear
// CHECK:   llm.gated
// CHECK-NEXT: llm.quantize
// CHECK-NEXT: llm.yield
// CHECK: llm.fused
// CHECK:   llm.linear
// CHECK-NEXT: llm.yield
func.func @roundings(%q: tensor<?x4x32xf32>, %wg: tensor<96x128x!llm.q4_1>, %wu: tensor<96x128x!llm.q4_1>, %wd: tensor<64x96x!llm.q8_0>,
                     %batch: !llm.batch, %cache: !llm.cache) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %o = llm.paged_attention %q, %cache, %batch layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x4x32xf32>
  %f = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x4x32xf32> into tensor<?x128xf32>
  %r = llm.quantize %f : tensor<?x128xf32> to tensor<?x128x!llm.q<i8, group = 32, scale = f32>>
  %g = llm.linear %r, %wg : (tensor<?x128x!llm.q<i8, group = 32, scale = f32>>, tensor<96x128x!llm.q4_1>) -> tensor<?x96xf32>
  %u = llm.linear %r, %wu : (tensor<?x128x!llm.q<i8, group = 32, scale = f32>>, tensor<96x128x!llm.q4_1>) -> tensor<?x96xf32>
  %h = llm.gated silu %g, %u : tensor<?x96xf32>
  %s = llm.quantize %h : tensor<?x96xf32> to tensor<?x96x!llm.q<i8, group = 32, scale = f32>>
  %d = llm.linear %s, %wd : (tensor<?x96x!llm.q<i8, group = 32, scale = f32>>, tensor<64x96x!llm.q8_0>) -> tensor<?x64xf32>
  return %d : tensor<?x64xf32>
}

// -----

// A group of codes must not span two heads; values that something else reads in
// float32 are rounded by themselves.

// CHECK-LABEL: func.func @roundings_alone
// CHECK:   llm.paged_attention
// CHECK-NEXT: llm.yield
// CHECK: tensor.collapse_shape
// CHECK: llm.fused
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   llm.quantize
// CHECK: llm.fused
// CHECK:   llm.rms_norm
// CHECK-NEXT: llm.yield
// CHECK: llm.fused
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   llm.quantize
func.func @roundings_alone(%ids: tensor<?xi32> {llm.role = "ids"}, %q: tensor<?x4x16xf32>, %w: tensor<64xf32>,
                           %batch: !llm.batch, %cache: !llm.cache)
    -> (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<?x64xf32>, tensor<?x64x!llm.q<i8, group = 32, scale = f32>>) attributes {llm.entry = "step"} {
  %o = llm.paged_attention %q, %cache, %batch layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x4x16xf32>
  %f = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
  %r = llm.quantize %f : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  %n = llm.rms_norm %f, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  %s = llm.quantize %n : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  return %r, %n, %s : tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<?x64xf32>, tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
}
