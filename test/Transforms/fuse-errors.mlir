// RUN: pagoda-opt %s --pagoda-fuse --pagoda-select-kernels --split-input-file --verify-diagnostics

// Fusing refuses nothing: what joins no group stays alone, and selection names
// what no kernel computes by itself. Here a group holds one op.

func.func @no_code(%ids: tensor<?xi32> {llm.role = "ids"}, %table: tensor<320x64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  // expected-error @below {{no kernel computes 'math.sin' here: there is no code for 'math.sin'}}
  %s = math.sin %x : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// -----

// Rows that are none of the batch's make no group of elementwise ops, so what
// follows has nothing to compute them with.
func.func @foreign_rows(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> attributes {llm.entry = "step"} {
  // expected-error @below {{no kernel computes 'llm.rms_norm' here: the number of rows has no name in the batch}}
  %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  return %n : tensor<?x64xf32>
}
