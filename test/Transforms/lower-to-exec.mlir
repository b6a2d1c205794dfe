// RUN: pagoda-opt %s --pagoda-lower-to-exec --split-input-file | FileCheck %s

// Values that cross groups become buffers, reshapes views, arrays of the batch
// fields; sizes get the names of the batch's dims. Layers share kernels: what
// differs between them is the operand.

// CHECK: exec.kernel @embedding_f32_64x320 family "embedding" parameters {} {
// CHECK: exec.kernel @kv_append_2x32 family "kv_append" parameters {block = 16 : i64} {
// CHECK-NEXT: ^bb0(%[[C:.*]]: !llm.cache, %[[K:.*]]: tensor<?x2x32xf32>, %[[B:.*]]: !llm.batch):
// CHECK-NEXT:   %[[N:.*]] = llm.kv_append %[[C]], %[[K]], %[[K]], %[[B]] layer 0
// CHECK-NEXT:   exec.yield %[[N]] : !llm.cache
// CHECK: exec.kernel @paged_attention_2x32 family "paged_attention" parameters {block = 16 : i64, chunk = 64 : i64, dtype = f32} {
// CHECK: exec.kernel @gather_rows_64 family "gather_rows"
// CHECK-NOT: exec.kernel
// CHECK: exec.entry @step dims ["tokens", "sequences", "rows", "table_width", "blocks"]
// CHECK-SAME: llm.entry = "step", llm.kv_policy = #llm.kv_policy<dtype = f32, block = 16>
// CHECK-NEXT: ^bb0(%[[IDS:.*]]: !exec.buffer<[tokens], i32>, %[[BATCH:.*]]: !llm.batch, %[[CACHE:.*]]: !llm.cache):
// CHECK-NEXT: %[[ROWS:.*]] = exec.field %[[BATCH]] "rows" : !llm.batch, <[rows], i32>
// CHECK-NEXT: %table = exec.weight @table : tensor<320x64xf32>
// CHECK-NEXT: %[[X:.*]] = exec.buffer : <[tokens, 64], f32>
// CHECK-NEXT: exec.launch @embedding_f32_64x320(%[[IDS]], %table) -> (%[[X]])
// CHECK-NEXT: %[[H:.*]] = exec.view %[[X]] : <[tokens, 64], f32> to <[tokens, 2, 32], f32>
// CHECK-NEXT: %[[L0:.*]] = exec.layer %[[CACHE]][0] : !llm.cache
// CHECK-NEXT: exec.launch @kv_append_2x32(%[[L0]], %[[H]], %[[BATCH]]) -> ()
// CHECK-NEXT: %[[M0:.*]] = exec.layer %[[CACHE]][0] : !llm.cache
// CHECK-NEXT: %[[O0:.*]] = exec.buffer : <[tokens, 2, 32], f32>
// CHECK-NEXT: exec.launch @paged_attention_2x32(%[[H]], %[[M0]], %[[BATCH]]) -> (%[[O0]])
// CHECK-NEXT: %[[L1:.*]] = exec.layer %[[CACHE]][7] : !llm.cache
// CHECK-NEXT: exec.launch @kv_append_2x32(%[[L1]], %[[O0]], %[[BATCH]]) -> ()
// CHECK-NEXT: %[[M1:.*]] = exec.layer %[[CACHE]][7] : !llm.cache
// CHECK-NEXT: %[[O1:.*]] = exec.buffer : <[tokens, 2, 32], f32>
// CHECK-NEXT: exec.launch @paged_attention_2x32(%[[O0]], %[[M1]], %[[BATCH]]) -> (%[[O1]])
// CHECK-NEXT: %[[F:.*]] = exec.view %[[O1]] : <[tokens, 2, 32], f32> to <[tokens, 64], f32>
// CHECK-NEXT: %[[G:.*]] = exec.buffer : <[rows, 64], f32>
// CHECK-NEXT: exec.launch @gather_rows_64(%[[F]], %[[ROWS]]) -> (%[[G]]) : (!exec.buffer<[tokens, 64], f32>, !exec.buffer<[rows], i32>) -> !exec.buffer<[rows, 64], f32>
// The cache is no buffer to hand back: appends change it in place.
// CHECK-NEXT: exec.return %[[G]] : !exec.buffer<[rows, 64], f32>
// CHECK-NEXT: }
// CHECK-NEXT: }
llm.source @model file("model.gguf")
llm.define @table : tensor<320x64xf32> {
  %w = llm.weight @model["table"] : tensor<320x64xf32>
  llm.yield %w : tensor<320x64xf32>
}
func.func @step(%ids: tensor<?xi32> {llm.role = "ids"}, %batch: !llm.batch {llm.role = "batch"}, %cache: !llm.cache {llm.role = "cache"}) -> (tensor<?x64xf32>, !llm.cache)
    attributes {llm.entry = "step", llm.kv_policy = #llm.kv_policy<dtype = f32, block = 16>} {
  %tokens = llm.dim %batch, tokens
  %rows = llm.rows %batch : tensor<?xi32>
  %table = llm.defined @table : tensor<320x64xf32>
  %x = llm.fused (%ids, %table) kernel(<"embedding", {}>) : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?xi32>, %b: tensor<320x64xf32>):
    %e = llm.embedding %a, %b : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [%tokens, 2, 32] : tensor<?x64xf32> into tensor<?x2x32xf32>
  %c0 = llm.fused (%cache, %h, %batch) kernel(<"kv_append", {block = 16 : i64}>) : (!llm.cache, tensor<?x2x32xf32>, !llm.batch) -> !llm.cache {
  ^bb0(%a: !llm.cache, %b: tensor<?x2x32xf32>, %d: !llm.batch):
    %e = llm.kv_append %a, %b, %b, %d layer 0 : tensor<?x2x32xf32>
    llm.yield %e : !llm.cache
  }
  %o0 = llm.fused (%h, %c0, %batch) kernel(<"paged_attention", {block = 16 : i64, chunk = 64 : i64, dtype = f32}>) : (tensor<?x2x32xf32>, !llm.cache, !llm.batch) -> tensor<?x2x32xf32> {
  ^bb0(%a: tensor<?x2x32xf32>, %b: !llm.cache, %d: !llm.batch):
    %e = llm.paged_attention %a, %b, %d layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x2x32xf32>
    llm.yield %e : tensor<?x2x32xf32>
  }
  %c1 = llm.fused (%c0, %o0, %batch) kernel(<"kv_append", {block = 16 : i64}>) : (!llm.cache, tensor<?x2x32xf32>, !llm.batch) -> !llm.cache {
  ^bb0(%a: !llm.cache, %b: tensor<?x2x32xf32>, %d: !llm.batch):
    %e = llm.kv_append %a, %b, %b, %d layer 7 : tensor<?x2x32xf32>
    llm.yield %e : !llm.cache
  }
  %o1 = llm.fused (%o0, %c1, %batch) kernel(<"paged_attention", {block = 16 : i64, chunk = 64 : i64, dtype = f32}>) : (tensor<?x2x32xf32>, !llm.cache, !llm.batch) -> tensor<?x2x32xf32> {
  ^bb0(%a: tensor<?x2x32xf32>, %b: !llm.cache, %d: !llm.batch):
    %e = llm.paged_attention %a, %b, %d layer 7 kv_heads 2 scale 2.5e-01 : tensor<?x2x32xf32>
    llm.yield %e : tensor<?x2x32xf32>
  }
  %f = tensor.collapse_shape %o1 [[0], [1, 2]] : tensor<?x2x32xf32> into tensor<?x64xf32>
  %g = llm.fused (%f, %rows) kernel(<"gather_rows", {}>) : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<?xi32>):
    %e = llm.gather_rows %a, %b : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  return %g, %c1 : tensor<?x64xf32>, !llm.cache
}

// -----

// Kernels that differ in anything have names of their own, and names of the
// module are not taken.

// CHECK: exec.kernel @rms_norm_64_2 family "rms_norm"
// CHECK: epsilon 9.999{{.*}}E-7
// CHECK: exec.kernel @rms_norm_64_3 family "rms_norm"
// CHECK: epsilon 1.000000e-05
// CHECK-NOT: exec.kernel
// CHECK: exec.launch @rms_norm_64_2
// CHECK: exec.launch @rms_norm_64_3
// CHECK: exec.launch @rms_norm_64_2
func.func private @rms_norm_64()
func.func @step(%x: tensor<4x64xf32>, %w: tensor<64xf32>) -> tensor<4x64xf32> attributes {llm.entry = "step"} {
  %0 = llm.fused (%x, %w) kernel(<"rms_norm", {}>) : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32> {
  ^bb0(%a: tensor<4x64xf32>, %b: tensor<64xf32>):
    %e = llm.rms_norm %a, %b epsilon 1.0e-06 : tensor<4x64xf32>, tensor<64xf32>
    llm.yield %e : tensor<4x64xf32>
  }
  %1 = llm.fused (%0, %w) kernel(<"rms_norm", {}>) : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32> {
  ^bb0(%a: tensor<4x64xf32>, %b: tensor<64xf32>):
    %e = llm.rms_norm %a, %b epsilon 1.0e-05 : tensor<4x64xf32>, tensor<64xf32>
    llm.yield %e : tensor<4x64xf32>
  }
  %2 = llm.fused (%1, %w) kernel(<"rms_norm", {}>) : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32> {
  ^bb0(%c: tensor<4x64xf32>, %d: tensor<64xf32>):
    %f = llm.rms_norm %c, %d epsilon 1.0e-06 : tensor<4x64xf32>, tensor<64xf32>
    llm.yield %f : tensor<4x64xf32>
  }
  return %2 : tensor<4x64xf32>
}

// -----

// Functions that are no entries stay.

// CHECK-LABEL: func.func @helper
// CHECK: arith.addf
func.func @helper(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = arith.addf %x, %x : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
