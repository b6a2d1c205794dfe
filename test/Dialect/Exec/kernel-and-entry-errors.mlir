// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

// kernel, C1
// expected-error @below {{expects a contract that ends in 'exec.yield'}}
exec.kernel @k family "rms_norm" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  %y = arith.addf %x, %x : tensor<?x64xf32>
}

// -----

func.func @kernel_elsewhere() {
  // expected-error @below {{expects parent op 'builtin.module'}}
  exec.kernel @k family "rms_norm" parameters {} {
    exec.yield
  }
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @below {{expects parent op 'exec.kernel'}}
  exec.yield
}

// -----

func.func @return_elsewhere() {
  // expected-error @below {{expects parent op 'exec.entry'}}
  exec.return
}

// -----

// entry, C1
// expected-error @below {{uses dim 'tokens', which the entry does not have}}
exec.entry @step dims ["rows"] {
^bb0(%x: !exec.buffer<[tokens, 64], f32>):
  exec.return
}

// -----

// entry, C1
exec.entry @step dims ["rows"] {
  // expected-error @below {{uses dim 'tokens', which the entry does not have}}
  %x = exec.buffer : !exec.buffer<[tokens, 64], f32>
  exec.return
}

// -----

// entry, C2
exec.entry @step dims [] slots [#exec.size<64>] {
  // expected-error @below {{lies in slot 1 of 1}}
  %x = exec.buffer slot 1 : !exec.buffer<[16], f32>
  exec.return
}

// -----

// entry, C2
exec.entry @step dims [] {
  // expected-error @below {{lies in slot 0 of 0}}
  %x = exec.buffer slot 0 : !exec.buffer<[16], f32>
  exec.return
}

// -----

// entry, C2
exec.entry @step dims [] slots [#exec.size<64>] {
  // expected-error @below {{attribute 'slot' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %x = exec.buffer slot -1 : !exec.buffer<[16], f32>
  exec.return
}

// -----

// entry, C3
// expected-error @below {{expects a body that ends in 'exec.return'}}
exec.entry @step dims [] {
  %x = exec.buffer : !exec.buffer<[16], f32>
}

// -----

// weight, C1
exec.entry @step dims [] {
  // expected-error @below {{names no definition: @norm}}
  %w = exec.weight @norm : tensor<64xf32>
  exec.return
}

// -----

// weight, C1
llm.source @norm file("model.gguf")
exec.entry @step dims [] {
  // expected-error @below {{names no definition: @norm}}
  %w = exec.weight @norm : tensor<64xf32>
  exec.return
}

// -----

// weight, C2
llm.define @norm : tensor<1xf32> {
  %0 = arith.constant dense<0.0> : tensor<1xf32>
  llm.yield %0 : tensor<1xf32>
}
exec.entry @step dims [] {
  // expected-error @below {{has type 'tensor<64xf32>', but the definition has 'tensor<1xf32>'}}
  %w = exec.weight @norm : tensor<64xf32>
  exec.return
}

// -----

// layer, C1
func.func @layer(%c: !llm.cache) {
  // expected-error @below {{attribute 'index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = exec.layer %c[-1] : !llm.cache
  return
}

// -----

// view, C1
func.func @view_size(%x: !exec.buffer<[tokens, 64], f32>) {
  // expected-error @below {{cannot see '!exec.buffer<[tokens, 64], f32>' as '!exec.buffer<[tokens, 4, 8], f32>'}}
  %0 = exec.view %x : !exec.buffer<[tokens, 64], f32> to !exec.buffer<[tokens, 4, 8], f32>
  return
}

// -----

// view, C1
func.func @view_type(%x: !exec.buffer<[tokens, 64], f32>) {
  // expected-error @below {{cannot see}}
  %0 = exec.view %x : !exec.buffer<[tokens, 64], f32> to !exec.buffer<[tokens, 64], i32>
  return
}

// -----

// view, C1
func.func @view_dim(%x: !exec.buffer<[tokens, 64], f32>) {
  // expected-error @below {{cannot see}}
  %0 = exec.view %x : !exec.buffer<[tokens, 64], f32> to !exec.buffer<[rows, 64], f32>
  return
}

// -----

// launch, C1
func.func @launch_nothing() {
  // expected-error @below {{names no 'exec.kernel': @k}}
  exec.launch @k() -> () : () -> ()
  return
}

// -----

// launch, C2
exec.kernel @k family "pointwise" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  exec.yield %x : tensor<?x64xf32>
}
func.func @launch_inputs(%x: !exec.buffer<[tokens, 64], f32>) {
  // expected-error @below {{has 0 inputs, the contract 1}}
  exec.launch @k() -> (%x) : () -> (!exec.buffer<[tokens, 64], f32>)
  return
}

// -----

// launch, C2
// expected-note @below {{the kernel is here}}
exec.kernel @k family "pointwise" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  exec.yield %x : tensor<?x64xf32>
}
func.func @launch_input_type(%x: !exec.buffer<[tokens, 32], f32>, %y: !exec.buffer<[tokens, 64], f32>) {
  // expected-error @below {{has input 0 of type '!exec.buffer<[tokens, 32], f32>', the contract has 'tensor<?x64xf32>'}}
  exec.launch @k(%x) -> (%y) : (!exec.buffer<[tokens, 32], f32>) -> (!exec.buffer<[tokens, 64], f32>)
  return
}

// -----

// launch, C2
exec.kernel @k family "kv_append" parameters {} {
^bb0(%k: tensor<?x2x16xf32>, %b: !llm.batch, %c: !llm.cache):
  %n = llm.kv_append %c, %k, %k, %b layer 0 : tensor<?x2x16xf32>
  exec.yield %n : !llm.cache
}
func.func @launch_outputs(%k: !exec.buffer<[tokens, 2, 16], f32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{has 1 outputs, the contract 0}}
  exec.launch @k(%k, %b, %c) -> (%k) : (!exec.buffer<[tokens, 2, 16], f32>, !llm.batch, !llm.cache) -> (!exec.buffer<[tokens, 2, 16], f32>)
  return
}

// -----

// launch, C2
// expected-note @below {{the kernel is here}}
exec.kernel @k family "pointwise" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  exec.yield %x : tensor<?x64xf32>
}
func.func @launch_output_type(%x: !exec.buffer<[tokens, 64], f32>, %y: !exec.buffer<[tokens, 64], f16>) {
  // expected-error @below {{has output 0 of type '!exec.buffer<[tokens, 64], f16>', the contract has 'tensor<?x64xf32>'}}
  exec.launch @k(%x) -> (%y) : (!exec.buffer<[tokens, 64], f32>) -> (!exec.buffer<[tokens, 64], f16>)
  return
}

// -----

// kernel, C2
// expected-error @below {{expects letters, digits and '_' in its name}}
exec.kernel @"a b" family "pointwise" parameters {} {
^bb0(%x: tensor<?x64xf32>):
  %n = arith.negf %x : tensor<?x64xf32>
  exec.yield %n : tensor<?x64xf32>
}
