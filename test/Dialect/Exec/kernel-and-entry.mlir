// RUN: pagoda-opt %s | pagoda-opt | FileCheck %s
// RUN: pagoda-opt %s --mlir-print-op-generic | pagoda-opt | FileCheck %s

llm.define @norm : tensor<64xf32> {
  %w = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %w : tensor<64xf32>
}

// CHECK: exec.kernel @rms_norm_64 family "rms_norm" parameters {} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64xf32>):
// CHECK-NEXT:   %[[N:.*]] = llm.rms_norm %[[X]], %[[W]]
// CHECK-NEXT:   exec.yield %[[N]] : tensor<?x64xf32>
// CHECK-NEXT: }
exec.kernel @rms_norm_64 family "rms_norm" parameters {} {
^bb0(%x: tensor<?x64xf32>, %w: tensor<64xf32>):
  %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  exec.yield %n : tensor<?x64xf32>
}

// The cache that a contract yields is the one that came in.
// CHECK: exec.kernel @append family "kv_append" parameters {block = 16 : i64} {
exec.kernel @append family "kv_append" parameters {block = 16 : i64} {
^bb0(%k: tensor<?x2x16xf32>, %batch: !llm.batch, %cache: !llm.cache):
  %c = llm.kv_append %cache, %k, %k, %batch layer 0 : tensor<?x2x16xf32>
  // CHECK: exec.yield %{{.*}} : !llm.cache
  exec.yield %c : !llm.cache
}

// CHECK: exec.entry @step dims ["tokens", "rows"] slots [#exec.size<256 * tokens>, #exec.size<512>] attributes {llm.entry = "step"} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: !exec.buffer<[tokens, 64], f32>, %[[BATCH:.*]]: !llm.batch, %[[CACHE:.*]]: !llm.cache):
exec.entry @step dims ["tokens", "rows"] slots [#exec.size<256 * tokens>, #exec.size<512>] attributes {llm.entry = "step"} {
^bb0(%x: !exec.buffer<[tokens, 64], f32>, %batch: !llm.batch, %cache: !llm.cache):
  // A weight is named after its definition.
  // CHECK-NEXT: %norm = exec.weight @norm : tensor<64xf32>
  %w = exec.weight @norm : tensor<64xf32>
  // CHECK-NEXT: exec.field %[[BATCH]] "position" : !llm.batch, <[tokens], i32>
  %p = exec.field %batch "position" : !llm.batch, !exec.buffer<[tokens], i32>
  // CHECK-NEXT: %[[Y:.*]] = exec.buffer slot 0 : <[tokens, 64], f32>
  %y = exec.buffer slot 0 : !exec.buffer<[tokens, 64], f32>
  // CHECK-NEXT: exec.buffer slot 1 : <[2, 64], f32>
  %z = exec.buffer slot 1 : !exec.buffer<[2, 64], f32>
  // CHECK-NEXT: exec.buffer : <[rows, 64], !llm.q<i8, group = 32, scale = f32>>
  %r = exec.buffer : !exec.buffer<[rows, 64], !llm.q<i8, group = 32, scale = f32>>
  // CHECK-NEXT: exec.launch @rms_norm_64(%[[X]], %norm) -> (%[[Y]]) : (!exec.buffer<[tokens, 64], f32>, tensor<64xf32>) -> !exec.buffer<[tokens, 64], f32>{{$}}
  exec.launch @rms_norm_64(%x, %w) -> (%y) : (!exec.buffer<[tokens, 64], f32>, tensor<64xf32>) -> !exec.buffer<[tokens, 64], f32>
  // CHECK-NEXT: %[[H:.*]] = exec.view %[[Y]] : <[tokens, 64], f32> to <[tokens, 2, 32], f32>
  %h = exec.view %y : !exec.buffer<[tokens, 64], f32> to !exec.buffer<[tokens, 2, 32], f32>
  // CHECK-NEXT: exec.view %[[H]]
  %k = exec.view %h : !exec.buffer<[tokens, 2, 32], f32> to !exec.buffer<[tokens, 4, 16], f32>
  // CHECK-NEXT: %[[LAYER:.*]] = exec.layer %[[CACHE]][3] : !llm.cache
  %c = exec.layer %cache[3] : !llm.cache
  %a = exec.buffer : !exec.buffer<[tokens, 2, 16], f32>
  // CHECK: exec.launch @append(%{{.*}}, %[[BATCH]], %[[LAYER]]) -> () : (!exec.buffer<[tokens, 2, 16], f32>, !llm.batch, !llm.cache) -> ()
  exec.launch @append(%a, %batch, %c) -> () : (!exec.buffer<[tokens, 2, 16], f32>, !llm.batch, !llm.cache) -> ()
  // CHECK-NEXT: exec.return %[[Y]] : !exec.buffer<[tokens, 64], f32>
  exec.return %y : !exec.buffer<[tokens, 64], f32>
}

// CHECK: exec.entry @nothing dims [] {
// CHECK-NEXT:   exec.return
// CHECK-NEXT: }
exec.entry @nothing dims [] {
  exec.return
}
