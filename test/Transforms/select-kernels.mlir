// RUN: pagoda-opt %s --pagoda-select-kernels --split-input-file --verify-diagnostics | FileCheck %s

// Every family of kernels.def takes its anchor; the cache's policy sets the
// parameters of what touches it.

// CHECK-LABEL: func.func @families
func.func @families(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>, %w: tensor<64x64xf32>, %norm: tensor<64xf32>,
                    %angles: tensor<64x8x2xf32>, %wq: tensor<32x64x!llm.q4_0>, %batch: !llm.batch, %cache: !llm.cache) -> (tensor<?x64xf32>, tensor<?x32xf32>, !llm.cache)
    attributes {llm.entry = "step", llm.kv_policy = #llm.kv_policy<dtype = f16, block = 32>} {
  %tokens = llm.dim %batch, tokens
  %positions = llm.positions %batch : tensor<?xi32>
  %rows = llm.rows %batch : tensor<?xi32>
  // CHECK: llm.fused(%{{.*}}) kernel(<"embedding", {}>)
  %x = llm.fused (%ids, %table) : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?xi32>, %b: tensor<320x64xf32>):
    %e = llm.embedding %a, %b : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  // CHECK: llm.fused(%{{.*}}) kernel(<"rms_norm", {}>)
  %n = llm.fused (%x, %norm) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64xf32>):
    %e = llm.rms_norm %a, %b epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  // CHECK: llm.fused(%{{.*}}) kernel(<"linear_f32", {}>)
  %l = llm.fused (%n, %w) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>):
    %e = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  %q = tensor.expand_shape %l [[0], [1, 2]] output_shape [%tokens, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
  // CHECK: llm.fused(%{{.*}}) kernel(<"rope", {}>)
  %r = llm.fused (%q, %positions, %angles) : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x4x16xf32> {
  ^bb0(%a: tensor<?x4x16xf32>, %b: tensor<?xi32>, %c: tensor<64x8x2xf32>):
    %e = llm.rope half %a, %b, %c : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x4x16xf32>
    llm.yield %e : tensor<?x4x16xf32>
  }
  // CHECK: llm.fused(%{{.*}}) kernel(<"kv_append", {block = 32 : i64}>)
  %c = llm.fused (%cache, %r, %batch) : (!llm.cache, tensor<?x4x16xf32>, !llm.batch) -> !llm.cache {
  ^bb0(%a: !llm.cache, %b: tensor<?x4x16xf32>, %d: !llm.batch):
    %h = llm.cast %b : tensor<?x4x16xf32> to tensor<?x4x16xf16>
    %v = llm.cast %b : tensor<?x4x16xf32> to tensor<?x4x16xf16>
    %e = llm.kv_append %a, %h, %v, %d layer 0 : tensor<?x4x16xf16>
    llm.yield %e : !llm.cache
  }
  // CHECK: llm.fused(%{{.*}}) kernel(<"paged_attention", {block = 32 : i64, chunk = 64 : i64, dtype = f16}>)
  %o = llm.fused (%r, %c, %batch) : (tensor<?x4x16xf32>, !llm.cache, !llm.batch) -> tensor<?x4x16xf32> {
  ^bb0(%a: tensor<?x4x16xf32>, %b: !llm.cache, %d: !llm.batch):
    %e = llm.paged_attention %a, %b, %d layer 0 kv_heads 4 scale 2.5e-01 : tensor<?x4x16xf32>
    llm.yield %e : tensor<?x4x16xf32>
  }
  %f = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
  // CHECK: llm.fused(%{{.*}}) kernel(<"gather_rows", {}>)
  %g = llm.fused (%f, %rows) : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<?xi32>):
    %e = llm.gather_rows %a, %b : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  // CHECK: llm.fused(%{{.*}}) kernel(<"pointwise", {}>)
  %p = llm.fused (%g) : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>):
    %e = math.exp %a : tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  // CHECK: llm.fused(%{{.*}}) kernel(<"quantize", {}>)
  %s = llm.fused (%p) : (tensor<?x64xf32>) -> tensor<?x64x!llm.q<i8, group = 32, scale = f32>> {
  ^bb0(%a: tensor<?x64xf32>):
    %e = llm.quantize %a : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
    llm.yield %e : tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  }
  // CHECK: llm.fused(%{{.*}}) kernel(<"linear_i8", {}>)
  %y = llm.fused (%s, %wq) : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64x!llm.q4_0>) -> tensor<?x32xf32> {
  ^bb0(%a: tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, %b: tensor<32x64x!llm.q4_0>):
    %e = llm.linear %a, %b : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<32x64x!llm.q4_0>) -> tensor<?x32xf32>
    llm.yield %e : tensor<?x32xf32>
  }
  return %p, %y, %c : tensor<?x64xf32>, tensor<?x32xf32>, !llm.cache
}

// -----

// A group that no template takes is split into single ops, with the reason; the
// pieces get kernels of their own and read each other.

// CHECK-LABEL: func.func @split
// CHECK: %[[QN:.*]] = llm.fused(%{{.*}}) kernel(<"rms_norm", {}>)
// CHECK: %[[KN:.*]] = llm.fused(%{{.*}}) kernel(<"rms_norm", {}>)
// CHECK: %[[C:.*]] = llm.fused(%{{.*}}, %[[KN]], %{{.*}}) kernel(<"kv_append", {block = 16 : i64}>)
// CHECK: return %[[QN]], %[[C]]
func.func @split(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>, %w: tensor<16xf32>, %batch: !llm.batch, %cache: !llm.cache) -> (tensor<?x4x16xf32>, !llm.cache)
    attributes {llm.entry = "step", llm.kv_policy = #llm.kv_policy<dtype = f32, block = 16>} {
  %tokens = llm.dim %batch, tokens
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [%tokens, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
  // expected-remark @below {{no kernel computes this group, which is split: queries and keys have norms with different epsilons}}
  %0:2 = llm.fused (%h, %w, %cache, %batch) : (tensor<?x4x16xf32>, tensor<16xf32>, !llm.cache, !llm.batch) -> (tensor<?x4x16xf32>, !llm.cache) {
  ^bb0(%a: tensor<?x4x16xf32>, %b: tensor<16xf32>, %c: !llm.cache, %d: !llm.batch):
    %qn = llm.rms_norm %a, %b epsilon 1.0e-05 : tensor<?x4x16xf32>, tensor<16xf32>
    %kn = llm.rms_norm %a, %b epsilon 1.0e-06 : tensor<?x4x16xf32>, tensor<16xf32>
    %e = llm.kv_append %c, %kn, %a, %d layer 0 : tensor<?x4x16xf32>
    llm.yield %qn, %e : tensor<?x4x16xf32>, !llm.cache
  }
  return %0#0, %0#1 : tensor<?x4x16xf32>, !llm.cache
}

// -----

// The same for queries that alone are rotated, values that are rotated, and
// linears that read each other.

func.func @reasons(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>, %w: tensor<64x64xf32>, %angles: tensor<64x8x2xf32>,
                   %batch: !llm.batch, %cache: !llm.cache) -> (tensor<?x64xf32>, !llm.cache)
    attributes {llm.entry = "step", llm.kv_policy = #llm.kv_policy<dtype = f32, block = 16>} {
  %tokens = llm.dim %batch, tokens
  %positions = llm.positions %batch : tensor<?xi32>
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [%tokens, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
  // expected-remark @below {{which is split: only one of queries and keys is rotated}}
  %0:2 = llm.fused (%h, %positions, %angles, %cache, %batch) : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>, !llm.cache, !llm.batch) -> (tensor<?x4x16xf32>, !llm.cache) {
  ^bb0(%a: tensor<?x4x16xf32>, %p: tensor<?xi32>, %t: tensor<64x8x2xf32>, %c: !llm.cache, %d: !llm.batch):
    %r = llm.rope half %a, %p, %t : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x4x16xf32>
    %e = llm.kv_append %c, %a, %a, %d layer 0 : tensor<?x4x16xf32>
    llm.yield %r, %e : tensor<?x4x16xf32>, !llm.cache
  }
  // expected-remark @below {{which is split: values are neither normalised nor rotated}}
  %1 = llm.fused (%h, %positions, %angles, %0#1, %batch) : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>, !llm.cache, !llm.batch) -> !llm.cache {
  ^bb0(%a: tensor<?x4x16xf32>, %p: tensor<?xi32>, %t: tensor<64x8x2xf32>, %c: !llm.cache, %d: !llm.batch):
    %r = llm.rope half %a, %p, %t : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x4x16xf32>
    %e = llm.kv_append %c, %a, %r, %d layer 0 : tensor<?x4x16xf32>
    llm.yield %e : !llm.cache
  }
  // expected-remark @below {{which is split: linears of a group read one input}}
  %2 = llm.fused (%x, %w) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>):
    %l = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %m = llm.linear %l, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %m : tensor<?x64xf32>
  }
  return %2, %1 : tensor<?x64xf32>, !llm.cache
}
