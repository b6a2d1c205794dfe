// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

// Tables, parts of quantised tensors, packing, definitions; weights-errors.mlir
// has the rest.

// weight.rope_table, C1
func.func @table_count() {
  // expected-error @below {{expects a result of [positions, 2, 2] f32, found 'tensor<256x3x2xf32>'}}
  %0 = llm.weight.rope_table frequencies [1.0, 0.1] : tensor<256x3x2xf32>
  return
}

// -----

// weight.rope_table, C1
func.func @table_pair() {
  // expected-error @below {{expects a result of [positions, 1, 2] f32, found 'tensor<256x1x1xf32>'}}
  %0 = llm.weight.rope_table frequencies [1.0] : tensor<256x1x1xf32>
  return
}

// -----

// weight.rope_table, C1
func.func @table_type() {
  // expected-error @below {{expects a result of [positions, 1, 2] f32, found 'tensor<256x1x2xf16>'}}
  %0 = llm.weight.rope_table frequencies [1.0] : tensor<256x1x2xf16>
  return
}

// -----

// weight.codes, C1
func.func @codes_of_floats(%w: tensor<64x64xf32>) {
  // expected-error @below {{takes a quantised tensor apart, found 'tensor<64x64xf32>'}}
  %0 = llm.weight.codes %w : tensor<64x64xf32> to tensor<64x64xi16>
  return
}

// -----

// weight.codes, C2
func.func @codes_type(%w: tensor<64x64x!llm.q4_1>) {
  // expected-error @below {{expects the result to be 'tensor<64x64xi16>', found 'tensor<64x64xi8>'}}
  %0 = llm.weight.codes %w : tensor<64x64x!llm.q4_1> to tensor<64x64xi8>
  return
}

// -----

// weight.scales, C1
func.func @scales_of_floats(%w: tensor<64x64xf32>) {
  // expected-error @below {{takes a quantised tensor apart, found 'tensor<64x64xf32>'}}
  %0 = llm.weight.scales %w : tensor<64x64xf32> to tensor<64x2xf32>
  return
}

// -----

// weight.scales, C2
func.func @scales_groups(%w: tensor<64x256x!llm.q6_k>) {
  // expected-error @below {{expects the result to be 'tensor<64x16xf32>', found 'tensor<64x1xf32>'}}
  %0 = llm.weight.scales %w : tensor<64x256x!llm.q6_k> to tensor<64x1xf32>
  return
}

// -----

// weight.scales, C1
func.func @scales_blocks(%w: tensor<64x40x!llm.q8_0>) {
  // expected-error @below {{needs a last extent that is a multiple of 32 for q8_0, found 'tensor<64x40x!llm.q8_0>'}}
  %0 = llm.weight.scales %w : tensor<64x40x!llm.q8_0> to tensor<64x1xf32>
  return
}

// -----

// weight.scales, C1
func.func @scales_scalar(%w: tensor<!llm.q8_0>) {
  // expected-error @below {{needs a last extent that is a multiple of 32 for q8_0}}
  %0 = llm.weight.scales %w : tensor<!llm.q8_0> to tensor<f32>
  return
}

// -----

// weight.zeros, C1
func.func @zeros_of_floats(%w: tensor<64x64xf32>) {
  // expected-error @below {{takes a quantised tensor apart, found 'tensor<64x64xf32>'}}
  %0 = llm.weight.zeros %w : tensor<64x64xf32> to tensor<64x2xf32>
  return
}

// -----

// weight.zeros, C2
func.func @zeros_type(%w: tensor<64x64x!llm.q4_1>) {
  // expected-error @below {{expects the result to be 'tensor<64x2xf32>', found 'tensor<64x2xf16>'}}
  %0 = llm.weight.zeros %w : tensor<64x64x!llm.q4_1> to tensor<64x2xf16>
  return
}

// -----

// weight.compose, C1
func.func @compose_floats(%c: tensor<64x64xi16>, %s: tensor<64x2xf32>) {
  // expected-error @below {{composes formats with a scale of f16 or f32, found 'tensor<64x64xf32>'}}
  %0 = llm.weight.compose %c, %s : (tensor<64x64xi16>, tensor<64x2xf32>) -> tensor<64x64xf32>
  return
}

// -----

// weight.compose, C1
func.func @compose_super_scales(%c: tensor<4x256xi16>, %s: tensor<4x8xf32>) {
  // expected-error @below {{composes formats with a scale of f16 or f32, found 'tensor<4x256x!llm.q4_k>'}}
  %0 = llm.weight.compose %c, %s, %s : (tensor<4x256xi16>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x256x!llm.q4_k>
  return
}

// -----

// weight.compose, C2
func.func @compose_codes(%c: tensor<64x64xi8>, %s: tensor<64x2xf32>) {
  // expected-error @below {{expects i16 codes of the result's shape, 'tensor<64x2xf32>' scales and, for formats with a minimum, zeros}}
  %0 = llm.weight.compose %c, %s : (tensor<64x64xi8>, tensor<64x2xf32>) -> tensor<64x64x!llm.q8_0>
  return
}

// -----

// weight.compose, C2
func.func @compose_scales(%c: tensor<64x64xi16>, %s: tensor<64x4xf32>) {
  // expected-error @below {{'tensor<64x2xf32>' scales}}
  %0 = llm.weight.compose %c, %s : (tensor<64x64xi16>, tensor<64x4xf32>) -> tensor<64x64x!llm.q8_0>
  return
}

// -----

// weight.compose, C2
func.func @compose_without_zeros(%c: tensor<64x64xi16>, %s: tensor<64x2xf32>) {
  // expected-error @below {{for formats with a minimum, zeros}}
  %0 = llm.weight.compose %c, %s : (tensor<64x64xi16>, tensor<64x2xf32>) -> tensor<64x64x!llm.q4_1>
  return
}

// -----

// weight.compose, C2
func.func @compose_with_zeros(%c: tensor<64x64xi16>, %s: tensor<64x2xf32>) {
  // expected-error @below {{for formats with a minimum, zeros}}
  %0 = llm.weight.compose %c, %s, %s : (tensor<64x64xi16>, tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<64x64x!llm.q4_0>
  return
}

// -----

// weight.pack, C1
func.func @pack_type(%w: tensor<64x64xf32>) {
  // expected-error @below {{packs 'tensor<64x64xf32>' into '!llm.packed<tile32, tensor<64x64xf16>>'}}
  %0 = llm.weight.pack %w : tensor<64x64xf32> to <tile32, tensor<64x64xf16>>
  return
}

// -----

// weight.pack, C1
func.func @pack_rank(%w: tensor<4x64x64xf32>) {
  // expected-error @below {{packed weights are matrices of static shape}}
  %0 = llm.weight.pack %w : tensor<4x64x64xf32> to <tile32, tensor<4x64x64xf32>>
  return
}

// -----

// weight.unpack, C1
func.func @unpack_type(%p: !llm.packed<tile32, tensor<64x64xf32>>) {
  // expected-error @below {{failed to verify that the result is the packed tensor}}
  %0 = "llm.weight.unpack"(%p) : (!llm.packed<tile32, tensor<64x64xf32>>) -> tensor<32x64xf32>
  return
}

// -----

// define, C1
// expected-error @below {{holds 'tensor.empty', which does not compute a weight}}
llm.define @w : tensor<64xf32> {
  %0 = tensor.empty() : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}

// -----

// define, C2
llm.source @model file("model.gguf")
// expected-error @below {{must yield one value of type 'tensor<64xf32>'}}
llm.define @w : tensor<64xf32> {
  %0 = llm.weight @model["w"] : tensor<32xf32>
  llm.yield %0 : tensor<32xf32>
}

// -----

// define, C2
// expected-error @below {{must yield one value of type 'tensor<64xf32>'}}
llm.define @w : tensor<64xf32> {
  llm.yield
}

// -----

func.func @define_elsewhere() {
  // expected-error @below {{expects parent op 'builtin.module'}}
  llm.define @w : tensor<1xf32> {
    %0 = arith.constant dense<0.0> : tensor<1xf32>
    llm.yield %0 : tensor<1xf32>
  }
  return
}

// -----

// defined, C1
func.func @defined_missing() {
  // expected-error @below {{names no 'llm.define': @w}}
  %0 = llm.defined @w : tensor<64xf32>
  return
}

// -----

// defined, C1
llm.define @w : tensor<1xf32> {
  %0 = arith.constant dense<0.0> : tensor<1xf32>
  llm.yield %0 : tensor<1xf32>
}
func.func @defined_type() {
  // expected-error @below {{has type 'tensor<2xf32>', but the definition has 'tensor<1xf32>'}}
  %0 = llm.defined @w : tensor<2xf32>
  return
}
