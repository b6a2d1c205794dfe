// RUN: pagoda-opt %s --pagoda-fuse --split-input-file | FileCheck %s

// Linears over one input share a group, and elementwise ops behind them join:
// gate, up and their product are one kernel.

// CHECK-LABEL: func.func @siblings
// CHECK: %[[H:.*]] = llm.fused(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<?x64xf32>, tensor<144x64xf32>, tensor<144x64xf32>) -> tensor<?x144xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<144x64xf32>, %[[C:.*]]: tensor<144x64xf32>):
// CHECK-NEXT:   %[[G:.*]] = llm.linear %[[A]], %[[B]]
// CHECK-NEXT:   %[[U:.*]] = llm.linear %[[A]], %[[C]]
// CHECK-NEXT:   %[[M:.*]] = llm.gated silu %[[G]], %[[U]]
// CHECK-NEXT:   llm.yield %[[M]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[H]]
func.func @siblings(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>,
                    %wg: tensor<144x64xf32>, %wu: tensor<144x64xf32>) -> tensor<?x144xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %g = llm.linear %x, %wg : (tensor<?x64xf32>, tensor<144x64xf32>) -> tensor<?x144xf32>
  %u = llm.linear %x, %wu : (tensor<?x64xf32>, tensor<144x64xf32>) -> tensor<?x144xf32>
  %h = llm.gated silu %g, %u : tensor<?x144xf32>
  return %h : tensor<?x144xf32>
}

// -----

// A residual joins the linear behind which it is added; it comes in as another
// operand. A bias is the linear's own.

// CHECK-LABEL: func.func @residual
// CHECK: %[[X:.*]] = llm.fused(%{{.*}}, %{{.*}}) : (tensor<?xi32>
// CHECK: llm.fused(%[[X]], %{{.*}}, %{{.*}}) : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64x64xf32>, %[[B:.*]]: tensor<64xf32>):
// CHECK-NEXT:   %[[L:.*]] = llm.linear %[[A]], %[[W]] bias %[[B]]
// CHECK-NEXT:   %[[R:.*]] = arith.addf %[[A]], %[[L]]
// CHECK-NEXT:   llm.yield %[[R]]
func.func @residual(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>,
                    %w: tensor<64x64xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %l = llm.linear %x, %w bias %b : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %r = arith.addf %x, %l : tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

// A value with two readers leaves its group as it is: it must exist. Twice the
// same reader is one reader.

// CHECK-LABEL: func.func @readers
// CHECK: %[[L:.*]] = llm.fused(%{{.*}}, %{{.*}}) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> {
// CHECK:   llm.linear
// CHECK-NEXT: llm.yield
// CHECK: %[[E:.*]] = llm.fused(%[[L]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x64xf32>):
// CHECK-NEXT:   %[[EXP:.*]] = math.exp %[[A]]
// CHECK-NEXT:   arith.mulf %[[EXP]], %[[EXP]]
// CHECK-NEXT:   llm.yield
// CHECK: return %[[L]], %[[E]]
func.func @readers(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>,
                   %w: tensor<64x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %l = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %e = math.exp %l : tensor<?x64xf32>
  %m = arith.mulf %e, %e : tensor<?x64xf32>
  return %l, %m : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// The choice of rows goes into the norm behind it. An elementwise op on chosen
// rows does not join a group of tokens, though the types are equal.

// CHECK-LABEL: func.func @rows
// CHECK: %[[L:.*]] = llm.fused
// CHECK:   llm.embedding
// CHECK-NEXT: llm.yield
// CHECK: llm.fused(%[[L]], %rows, %{{.*}}) : (tensor<?x64xf32>, tensor<?xi32>, tensor<64xf32>)
// CHECK:   %[[G:.*]] = llm.gather_rows
// CHECK-NEXT: llm.rms_norm %[[G]]
// CHECK-NEXT: llm.yield
// CHECK: llm.fused(%[[L]], %rows)
// CHECK:   llm.gather_rows
// CHECK-NEXT: math.exp
// CHECK-NEXT: llm.yield
func.func @rows(%ids: tensor<?xi32> {llm.role = "ids"}, %batch: !llm.batch, %table: tensor<320x64xf32>,
                %w: tensor<64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) attributes {llm.entry = "step"} {
  %rows = llm.rows %batch : tensor<?xi32>
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %g = llm.gather_rows %x, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  %n = llm.rms_norm %g, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  %h = llm.gather_rows %x, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  %e = math.exp %h : tensor<?x64xf32>
  return %n, %e : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Elementwise ops on chosen rows join the choice, not the linear whose rows are
// chosen: there a launch has a row for each token.

// CHECK-LABEL: func.func @different_rows
// CHECK: %[[X:.*]] = llm.fused
// CHECK: %[[L:.*]] = llm.fused(%[[X]], %{{.*}}) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> {
// CHECK:   llm.linear
// CHECK-NEXT: llm.yield
// CHECK: llm.fused(%[[L]], %rows) : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> {
// CHECK:   %[[G:.*]] = llm.gather_rows
// CHECK-NEXT: arith.addf %[[G]], %[[G]]
func.func @different_rows(%ids: tensor<?xi32> {llm.role = "ids"}, %batch: !llm.batch, %table: tensor<320x64xf32>,
                          %w: tensor<64x64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %rows = llm.rows %batch : tensor<?xi32>
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %l = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %g = llm.gather_rows %l, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  %s = arith.addf %g, %g : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// -----

// No group may feed itself through another op: the sum would join the linears,
// but it reads a norm of one of them.

// CHECK-LABEL: func.func @cycle
// CHECK: %[[L:.*]]:2 = llm.fused
// CHECK:   llm.linear
// CHECK:   llm.linear
// CHECK-NEXT: llm.yield
// CHECK: %[[N:.*]] = llm.fused(%[[L]]#0, %{{.*}}, %[[L]]#1)
// CHECK:   %[[M:.*]] = llm.rms_norm
// CHECK-NEXT: arith.addf %{{.*}}, %[[M]]
// CHECK-NEXT: llm.yield
func.func @cycle(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>,
                 %wa: tensor<64x64xf32>, %wb: tensor<64x64xf32>, %wn: tensor<64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %a = llm.linear %x, %wa : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %b = llm.linear %x, %wb : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %n = llm.rms_norm %a, %wn epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  %s = arith.addf %b, %n : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// -----

// A sibling that can only run after the first does not join it.

// CHECK-LABEL: func.func @dependent_sibling
// CHECK: %[[A:.*]] = llm.fused
// CHECK:   llm.linear
// CHECK-NEXT: llm.yield
// CHECK: %[[Y:.*]] = llm.fused(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK:   llm.linear %{{.*}}, %{{.*}} bias
// CHECK-NEXT: llm.yield
func.func @dependent_sibling(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>,
                             %wa: tensor<64x64xf32>, %wb: tensor<64x64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %a = llm.linear %x, %wa : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %c0 = arith.constant 0 : index
  %first = tensor.extract_slice %a[%c0, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
  %b = llm.linear %x, %wb bias %first : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %b : tensor<?x64xf32>
}

// -----

// What has no code in a kernel (pointwise.def) joins no group of another.

// CHECK-LABEL: func.func @without_code
// CHECK: llm.embedding
// CHECK-NEXT: llm.yield
// CHECK: llm.fused
// CHECK:   math.sin
// CHECK-NEXT: llm.yield
func.func @without_code(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  %s = math.sin %x : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// -----

// Functions that are no entries stay as they are.

// CHECK-LABEL: func.func @helper
// CHECK-NOT: llm.fused
func.func @helper(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  return %n : tensor<?x64xf32>
}
