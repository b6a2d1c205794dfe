// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

func.func @dim_name(%b: !llm.batch) {
  // expected-error @below {{enum values for attribute 'dim' [tokens, sequences, rows]}}
  %0 = llm.dim %b, blocks
  return
}

// -----

// positions, C1
func.func @positions_type(%b: !llm.batch) {
  // expected-error @below {{result #0 must be 1D tensor of 32-bit signless integer values}}
  %0 = llm.positions %b : tensor<?xi64>
  return
}

// -----

// rows, C1
func.func @rows_rank(%b: !llm.batch) {
  // expected-error @below {{result #0 must be 1D tensor of 32-bit signless integer values}}
  %0 = llm.rows %b : tensor<?x1xi32>
  return
}

// -----

// fused, C1
func.func @fused_arguments(%x: tensor<?x64xf32>) {
  // expected-error @below {{has region arguments that differ from its operands}}
  %0 = llm.fused (%x) : (tensor<?x64xf32>) -> tensor<?x32xf32> {
  ^bb0(%a: tensor<?x32xf32>):
    llm.yield %a : tensor<?x32xf32>
  }
  return
}

// -----

// fused, C1
func.func @fused_argument_count(%x: tensor<?x64xf32>) {
  // expected-error @below {{has region arguments that differ from its operands}}
  llm.fused (%x) : (tensor<?x64xf32>) -> () {
    llm.yield
  }
  return
}

// -----

// fused, C2
func.func @fused_results(%x: tensor<?x64xf32>) {
  // expected-error @below {{must yield values of its results' types}}
  %0 = llm.fused (%x) : (tensor<?x64xf32>) -> tensor<?x32xf32> {
  ^bb0(%a: tensor<?x64xf32>):
    llm.yield %a : tensor<?x64xf32>
  }
  return
}

// -----

// fused, C2
func.func @fused_without_yield(%x: tensor<?x64xf32>) {
  // expected-error @below {{must yield values of its results' types}}
  llm.fused (%x) : (tensor<?x64xf32>) -> () {
  ^bb0(%a: tensor<?x64xf32>):
    %s = arith.addf %a, %a : tensor<?x64xf32>
  }
  return
}

// -----

// A group sees nothing of what stands around it.
func.func @fused_isolated(%x: tensor<?x64xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = llm.fused () : () -> tensor<?x64xf32> {
    // expected-error @below {{using value defined outside the region}}
    llm.yield %x : tensor<?x64xf32>
  }
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @below {{expects parent op to be one of 'llm.define, llm.fused'}}
  llm.yield
}

// -----

// expected-error @below {{expects 'llm.entry' to be "step" on a function, found "steps"}}
func.func @entry_kind() attributes {llm.entry = "steps"} {
  return
}

// -----

func.func @entry_elsewhere() {
  // expected-error @below {{expects 'llm.entry' to be "step" on a function}}
  return {llm.entry = "step"}
}

// -----

// expected-error @below {{is an entry ("step") without a body}}
func.func private @entry_declared() attributes {llm.entry = "step"}

// -----

// expected-error @below {{expects 'llm.kv_policy' to be a #llm.kv_policy}}
func.func @policy_type() attributes {llm.kv_policy = "f16"} {
  return
}

// -----

// expected-error @below {{expects 'llm.model' to be a dictionary on a module}}
module attributes {llm.model = "llama"} {
}

// -----

// expected-error @below {{expects 'llm.model' to be a dictionary on a module}}
func.func @model_elsewhere() attributes {llm.model = {}} {
  return
}

// -----

// expected-error @below {{has an unknown attribute 'llm.enrty'}}
func.func @unknown_attribute() attributes {llm.enrty = "step"} {
  return
}

// -----

// expected-error @below {{gives argument 1 the unknown role "id"}}
func.func @unknown_role(%a: tensor<?xi32> {llm.role = "ids"}, %b: tensor<?xi32> {llm.role = "id"}) {
  return
}

// -----

// expected-error @below {{has an unknown attribute 'llm.rol' on argument 0}}
func.func @unknown_argument_attribute(%a: tensor<?xi32> {llm.rol = "ids"}) {
  return
}

// -----

// expected-error @below {{gives result 0 the unknown role "logit"}}
func.func private @unknown_result_role() -> (tensor<?x16xf32> {llm.role = "logit"})

// -----

// fused, C3
func.func @yields_twice(%x: tensor<4x64xf32>) {
  // expected-error @below {{must yield results of its own ops, each once}}
  %0, %1 = llm.fused (%x) : (tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  ^bb0(%a: tensor<4x64xf32>):
    %e = arith.negf %a : tensor<4x64xf32>
    llm.yield %e, %e : tensor<4x64xf32>, tensor<4x64xf32>
  }
  return
}

// -----

// fused, C3
func.func @yields_argument(%x: tensor<4x64xf32>) {
  // expected-error @below {{must yield results of its own ops, each once}}
  %0 = llm.fused (%x) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
  ^bb0(%a: tensor<4x64xf32>):
    llm.yield %a : tensor<4x64xf32>
  }
  return
}
