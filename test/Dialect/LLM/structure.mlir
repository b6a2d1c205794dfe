// RUN: pagoda-opt %s | pagoda-opt | FileCheck %s
// RUN: pagoda-opt %s --mlir-print-op-generic | pagoda-opt | FileCheck %s

// Entries, sizes of the batch, groups.

// CHECK: module attributes {llm.model = {context_length = 64 : i64, name = "toy"}}
module attributes {llm.model = {context_length = 64 : i64, name = "toy"}} {
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: tensor<?xi32> {llm.role = "ids"}, %{{.*}}: !llm.batch {llm.role = "batch"}, %{{.*}}: !llm.cache {llm.role = "cache"})
  // CHECK-SAME: -> (tensor<?x16xf32> {llm.role = "logits"}, !llm.cache)
  // CHECK-SAME: attributes {llm.entry = "step", llm.kv_policy = #llm.kv_policy<dtype = f16, block = 32>}
  func.func @step(%ids: tensor<?xi32> {llm.role = "ids"},
                  %batch: !llm.batch {llm.role = "batch"},
                  %cache: !llm.cache {llm.role = "cache"})
      -> (tensor<?x16xf32> {llm.role = "logits"}, !llm.cache)
      attributes {llm.entry = "step",
                  llm.kv_policy = #llm.kv_policy<dtype = f16, block = 32>} {
    // Results are named after what they are.
    // CHECK: %tokens = llm.dim %{{.*}}, tokens
    %t = llm.dim %batch, tokens
    // CHECK: %sequences = llm.dim %{{.*}}, sequences
    %s = llm.dim %batch, sequences
    // CHECK: %rows = llm.dim %{{.*}}, rows
    %r = llm.dim %batch, rows
    // CHECK: %positions = llm.positions %{{.*}} : tensor<?xi32>
    %p = llm.positions %batch : tensor<?xi32>
    // CHECK: %rows_0 = llm.rows %{{.*}} : tensor<?xi32>
    %w = llm.rows %batch : tensor<?xi32>
    %table = tensor.empty() : tensor<64x16xf32>
    %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<64x16xf32>) -> tensor<?x16xf32>
    return %x, %cache : tensor<?x16xf32>, !llm.cache
  }
}

// CHECK-LABEL: func.func @fused
func.func @fused(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK: %[[Y:.*]] = llm.fused(%{{.*}}, %{{.*}}) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64xf32>):
  // CHECK-NEXT:   %[[N:.*]] = llm.rms_norm %[[A]], %[[B]]
  // CHECK-NEXT:   llm.yield %[[N]] : tensor<?x64xf32>
  // CHECK-NEXT: }
  %y = llm.fused (%x, %w) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64xf32>):
    %n = llm.rms_norm %a, %b epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    llm.yield %n : tensor<?x64xf32>
  }
  // CHECK: llm.fused(%[[Y]]) kernel(<"pointwise", {block = 16 : i64}>) : (tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %z:2 = llm.fused (%y) kernel(<"pointwise", {block = 16 : i64}>) : (tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  ^bb0(%a: tensor<?x64xf32>):
    %s = arith.addf %a, %a : tensor<?x64xf32>
    %m = arith.mulf %s, %s : tensor<?x64xf32>
    // CHECK: llm.yield %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xf32>
    llm.yield %s, %m : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return %z#1 : tensor<?x64xf32>
}

// Without operands and results.
// CHECK-LABEL: func.func @empty
func.func @empty() {
  // CHECK: llm.fused() : () -> () {
  // CHECK-NEXT:   llm.yield
  llm.fused () : () -> () {
    llm.yield
  }
  return
}

// A kernel is an attribute like any other.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: #llm.kernel<"rope", {}>
func.func @attributes() attributes {test.kernel = #llm.kernel<"rope", {}>} {
  return
}
