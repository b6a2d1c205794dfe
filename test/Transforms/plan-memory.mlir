// RUN: pagoda-opt %s --pagoda-plan-memory --split-input-file | FileCheck %s
// RUN: pagoda-opt %s --pagoda-plan-memory --pagoda-plan-memory --split-input-file | FileCheck %s

// Buffers that are never alive together share a slot; a slot covers the largest
// of them. A buffer that a launch reads and one that it writes are alive
// together, and what the entry returns lives to its end.

// CHECK: exec.entry @chain dims ["tokens"] slots [#exec.size<256 * tokens>, #exec.size<576 * tokens>]
// CHECK: exec.buffer slot 0 : <[tokens, 64], f32>
// CHECK: exec.buffer slot 1 : <[tokens, 144], f32>
// CHECK: exec.buffer slot 0 : <[tokens, 32], f32>
// CHECK: exec.buffer slot 1 : <[tokens, 64], f32>
exec.kernel @k64x144 family "pointwise" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  %y = tensor.empty() : tensor<4x144xf32>
  %c = tensor.cast %y : tensor<4x144xf32> to tensor<?x144xf32>
  exec.yield %c : tensor<?x144xf32>
}
exec.kernel @k144x32 family "pointwise" parameters {} {
^bb0(%x: tensor<?x144xf32>):
  %y = tensor.empty() : tensor<4x32xf32>
  %c = tensor.cast %y : tensor<4x32xf32> to tensor<?x32xf32>
  exec.yield %c : tensor<?x32xf32>
}
exec.kernel @k32x64 family "pointwise" parameters {} {
^bb0(%x: tensor<?x32xf32>):
  %y = tensor.empty() : tensor<4x64xf32>
  %c = tensor.cast %y : tensor<4x64xf32> to tensor<?x64xf32>
  exec.yield %c : tensor<?x64xf32>
}
exec.kernel @k64 family "pointwise" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  exec.yield %x : tensor<?x64xf32>
}
exec.entry @chain dims ["tokens"] {
^bb0(%x: !exec.buffer<[tokens, 64], f32>):
  %a = exec.buffer : !exec.buffer<[tokens, 64], f32>
  exec.launch @k64(%x) -> (%a) : (!exec.buffer<[tokens, 64], f32>) -> !exec.buffer<[tokens, 64], f32>
  %b = exec.buffer : !exec.buffer<[tokens, 144], f32>
  exec.launch @k64x144(%a) -> (%b) : (!exec.buffer<[tokens, 64], f32>) -> !exec.buffer<[tokens, 144], f32>
  %c = exec.buffer : !exec.buffer<[tokens, 32], f32>
  exec.launch @k144x32(%b) -> (%c) : (!exec.buffer<[tokens, 144], f32>) -> !exec.buffer<[tokens, 32], f32>
  %d = exec.buffer : !exec.buffer<[tokens, 64], f32>
  exec.launch @k32x64(%c) -> (%d) : (!exec.buffer<[tokens, 32], f32>) -> !exec.buffer<[tokens, 64], f32>
  exec.return %d : !exec.buffer<[tokens, 64], f32>
}

// -----

// Of the free slots the one that grows least is taken; it grows to hold both.
// An unused buffer gets none. Sizes that depend on other dims do not mix.

// CHECK: exec.entry @grow dims ["tokens", "rows"] slots [#exec.size<128 * tokens>, #exec.size<320 * tokens>, #exec.size<256 * rows>]
// CHECK: exec.buffer slot 0 : <[tokens, 32], f32>
// CHECK: exec.buffer slot 1 : <[tokens, 64], f32>
// CHECK: exec.buffer slot 1 : <[tokens, 80], f32>
// CHECK: exec.buffer slot 2 : <[rows, 64], f32>
// CHECK: exec.buffer : <[tokens, 500], f32>
exec.kernel @make family "pointwise" parameters {} {
^bb0:
  %x = tensor.empty() : tensor<4x32xf32>
  %y = tensor.empty() : tensor<4x64xf32>
  %a = tensor.cast %x : tensor<4x32xf32> to tensor<?x32xf32>
  %b = tensor.cast %y : tensor<4x64xf32> to tensor<?x64xf32>
  exec.yield %a, %b : tensor<?x32xf32>, tensor<?x64xf32>
}
exec.kernel @more family "pointwise" parameters {} {
^bb0:
  %x = tensor.empty() : tensor<4x80xf32>
  %y = tensor.empty() : tensor<4x64xf32>
  %a = tensor.cast %x : tensor<4x80xf32> to tensor<?x80xf32>
  %b = tensor.cast %y : tensor<4x64xf32> to tensor<?x64xf32>
  exec.yield %a, %b : tensor<?x80xf32>, tensor<?x64xf32>
}
exec.entry @grow dims ["tokens", "rows"] {
  %a = exec.buffer : !exec.buffer<[tokens, 32], f32>
  %b = exec.buffer : !exec.buffer<[tokens, 64], f32>
  exec.launch @make() -> (%a, %b) : () -> (!exec.buffer<[tokens, 32], f32>, !exec.buffer<[tokens, 64], f32>)
  %c = exec.buffer : !exec.buffer<[tokens, 80], f32>
  %d = exec.buffer : !exec.buffer<[rows, 64], f32>
  %e = exec.buffer : !exec.buffer<[tokens, 500], f32>
  exec.launch @more() -> (%c, %d) : () -> (!exec.buffer<[tokens, 80], f32>, !exec.buffer<[rows, 64], f32>)
  exec.return
}

// -----

// A view keeps its buffer alive, through other views too.

// CHECK: exec.entry @views dims ["tokens"] slots [#exec.size<256 * tokens>, #exec.size<256 * tokens>]
// CHECK: exec.buffer slot 0
// CHECK: exec.buffer slot 1
// CHECK: exec.buffer slot 1
exec.kernel @k family "pointwise" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  exec.yield %x : tensor<?x64xf32>
}
exec.entry @views dims ["tokens"] {
^bb0(%x: !exec.buffer<[tokens, 64], f32>):
  %a = exec.buffer : !exec.buffer<[tokens, 64], f32>
  exec.launch @k(%x) -> (%a) : (!exec.buffer<[tokens, 64], f32>) -> !exec.buffer<[tokens, 64], f32>
  %h = exec.view %a : !exec.buffer<[tokens, 64], f32> to !exec.buffer<[tokens, 4, 16], f32>
  %b = exec.buffer : !exec.buffer<[tokens, 64], f32>
  exec.launch @k(%x) -> (%b) : (!exec.buffer<[tokens, 64], f32>) -> !exec.buffer<[tokens, 64], f32>
  %c = exec.buffer : !exec.buffer<[tokens, 64], f32>
  exec.launch @k(%x) -> (%c) : (!exec.buffer<[tokens, 64], f32>) -> !exec.buffer<[tokens, 64], f32>
  %f = exec.view %h : !exec.buffer<[tokens, 4, 16], f32> to !exec.buffer<[tokens, 64], f32>
  exec.return %f : !exec.buffer<[tokens, 64], f32>
}

// -----

// Constant sizes, sizes of rounded rows (codes, scales, sums, padded), nothing.

// CHECK: exec.entry @sizes dims ["tokens"] slots [#exec.size<2048>, #exec.size<192 * tokens>]
exec.kernel @k family "quantize" parameters {} {
^bb0:
  %x = tensor.empty() : tensor<4x128xf32>
  %y = tensor.empty() : tensor<4x128x!llm.q<i8, group = 32, scale = f32>>
  %c = tensor.cast %y : tensor<4x128x!llm.q<i8, group = 32, scale = f32>> to tensor<?x128x!llm.q<i8, group = 32, scale = f32>>
  exec.yield %x, %c : tensor<4x128xf32>, tensor<?x128x!llm.q<i8, group = 32, scale = f32>>
}
exec.entry @sizes dims ["tokens"] {
  %a = exec.buffer : !exec.buffer<[4, 128], f32>
  %b = exec.buffer : !exec.buffer<[tokens, 128], !llm.q<i8, group = 32, scale = f32>>
  exec.launch @k() -> (%a, %b) : () -> (!exec.buffer<[4, 128], f32>, !exec.buffer<[tokens, 128], !llm.q<i8, group = 32, scale = f32>>)
  exec.return
}
// CHECK: exec.entry @nothing dims [] slots []
exec.entry @nothing dims [] {
  exec.return
}
