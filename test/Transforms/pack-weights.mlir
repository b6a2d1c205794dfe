// RUN: pagoda-opt %s --pagoda-pack-weights --split-input-file | FileCheck %s
// RUN: pagoda-opt %s --pagoda-pack-weights --pagoda-pack-weights --split-input-file | FileCheck %s

// Matrices that groups stream are packed, once for all their readers; the group
// unpacks them, which says what the bytes mean. Vectors stay as they are.

// CHECK: llm.define @norm : tensor<64xf32>
// CHECK: llm.define @w.tile32 : !llm.packed<tile32, tensor<64x64xf32>> {
// CHECK-NEXT:   %[[W:.*]] = llm.weight @model["w"] : tensor<64x64xf32>
// CHECK-NEXT:   %[[P:.*]] = llm.weight.pack %[[W]]
// CHECK-NEXT:   llm.yield %[[P]]
// CHECK-NOT: llm.define
// CHECK-LABEL: func.func @step
// CHECK: %[[P0:.*]] = llm.defined @w.tile32 : !llm.packed<tile32, tensor<64x64xf32>>
// CHECK: %[[X:.*]] = llm.fused(%{{.*}}, %[[P0]]) kernel(<"embedding", {}>) : (tensor<?xi32>, !llm.packed<tile32, tensor<64x64xf32>>) -> tensor<?x64xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?xi32>, %[[B:.*]]: !llm.packed<tile32, tensor<64x64xf32>>):
// CHECK-NEXT:   %[[U:.*]] = llm.weight.unpack %[[B]] : <tile32, tensor<64x64xf32>>
// CHECK-NEXT:   llm.embedding %[[A]], %[[U]]
// CHECK: llm.fused(%[[X]], %norm) kernel(<"rms_norm", {}>) : (tensor<?x64xf32>, tensor<64xf32>)
// CHECK: %[[P1:.*]] = llm.defined @w.tile32
// CHECK: llm.fused(%{{.*}}, %[[P1]], %{{.*}}) kernel(<"linear_f32", {}>)
// CHECK:   %[[V:.*]] = llm.weight.unpack
// CHECK-NEXT: llm.linear %{{.*}}, %[[V]] bias
llm.source @model file("model.gguf")
llm.define @w : tensor<64x64xf32> {
  %w = llm.weight @model["w"] : tensor<64x64xf32>
  llm.yield %w : tensor<64x64xf32>
}
llm.define @norm : tensor<64xf32> {
  %w = llm.weight @model["norm"] : tensor<64xf32>
  llm.yield %w : tensor<64xf32>
}
func.func @step(%ids: tensor<?xi32> {llm.role = "ids"}) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %w = llm.defined @w : tensor<64x64xf32>
  %norm = llm.defined @norm : tensor<64xf32>
  %x = llm.fused (%ids, %w) kernel(<"embedding", {}>) : (tensor<?xi32>, tensor<64x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?xi32>, %b: tensor<64x64xf32>):
    %e = llm.embedding %a, %b : (tensor<?xi32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  %n = llm.fused (%x, %norm) kernel(<"rms_norm", {}>) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64xf32>):
    %e = llm.rms_norm %a, %b epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  %l = llm.fused (%n, %w, %norm) kernel(<"linear_f32", {}>) : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64xf32>):
    %e = llm.linear %a, %b bias %c : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  return %l : tensor<?x64xf32>
}

// -----

// A matrix that a group reads in another way, too, keeps its order, and so does
// one that the step computes.

// CHECK-LABEL: func.func @otherwise
// CHECK-NOT: llm.packed
llm.source @model file("model.gguf")
llm.define @w : tensor<64x64xf32> {
  %w = llm.weight @model["w"] : tensor<64x64xf32>
  llm.yield %w : tensor<64x64xf32>
}
func.func @otherwise(%x: tensor<?x64xf32>, %m: tensor<64x64xf32>) -> (tensor<?x64xf32>, tensor<64x64xf32>, tensor<?x64xf32>) attributes {llm.entry = "step"} {
  %w = llm.defined @w : tensor<64x64xf32>
  %0:2 = llm.fused (%x, %w) : (tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>):
    %e = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %s = arith.addf %b, %b : tensor<64x64xf32>
    llm.yield %e, %s : tensor<?x64xf32>, tensor<64x64xf32>
  }
  %1 = llm.fused (%x, %m) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>):
    %e = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %e : tensor<?x64xf32>
  }
  return %0#0, %0#1, %1 : tensor<?x64xf32>, tensor<64x64xf32>, tensor<?x64xf32>
}
