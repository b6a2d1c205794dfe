// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

// source, C1
// expected-error @below {{needs either a file or a seed}}
llm.source @neither

// -----

// source, C1
// expected-error @below {{needs either a file or a seed}}
llm.source @both file("model.gguf") random(seed = 7, deviation = 0.2)

// -----

// source, C2
// expected-error @below {{needs a positive, finite deviation}}
llm.source @zero random(seed = 7, deviation = 0.0)

// -----

// source, C2
// expected-error @below {{needs a positive, finite deviation}}
llm.source @infinite random(seed = 7, deviation = 0x7FF0000000000000)

// -----

// source, C2
// expected-error @below {{needs a positive, finite deviation}}
"llm.source"() {sym_name = "seed_alone", seed = 7 : i64} : () -> ()

// -----

func.func @source_elsewhere() {
  // expected-error @below {{expects parent op 'builtin.module'}}
  llm.source @model file("model.gguf")
  return
}

// -----

// weight, C1
func.func @weight_source() {
  // expected-error @below {{names no 'llm.source': @model}}
  %0 = llm.weight @model["w"] : tensor<64xf32>
  return
}

// -----

// weight, C1
func.func private @model()
func.func @weight_not_a_source() {
  // expected-error @below {{names no 'llm.source': @model}}
  %0 = llm.weight @model["w"] : tensor<64xf32>
  return
}

// -----

// weight, C2
llm.source @model file("model.gguf")
func.func @weight_dynamic() {
  // expected-error @below {{result #0 must be statically shaped tensor of any type values}}
  %0 = llm.weight @model["w"] : tensor<?x64xf32>
  return
}

// -----

// weight, C2
llm.source @model file("model.gguf")
func.func @weight_blocks() {
  // expected-error @below {{needs a last extent that is a multiple of 256 for q4_k, found 'tensor<4x128x!llm.q4_k>'}}
  %0 = llm.weight @model["w"] : tensor<4x128x!llm.q4_k>
  return
}

// -----

// weight, C2
llm.source @model file("model.gguf")
func.func @weight_scalar() {
  // expected-error @below {{needs a last extent that is a multiple of 32 for q8_0}}
  %0 = llm.weight @model["w"] : tensor<!llm.q8_0>
  return
}

// -----

// weight, C2
llm.source @model file("model.gguf")
func.func @weight_element() {
  // expected-error @below {{has an element type that no weight has: 'complex<f32>'}}
  %0 = llm.weight @model["w"] : tensor<4xcomplex<f32>>
  return
}

// -----

// weight.slice, C1
func.func @slice_axis(%w: tensor<64x144xf32>) {
  // expected-error @below {{has axis 2 outside 'tensor<64x144xf32>'}}
  %0 = llm.weight.slice %w axis 2 offset 0 : tensor<64x144xf32> to tensor<64x144xf32>
  return
}

// -----

// weight.slice, C2
func.func @slice_end(%w: tensor<64x144xf32>) {
  // expected-error @below {{takes 32 elements from 40 on of an axis of 64}}
  %0 = llm.weight.slice %w axis 0 offset 40 : tensor<64x144xf32> to tensor<32x144xf32>
  return
}

// -----

// weight.slice, C2
func.func @slice_start(%w: tensor<64x144xf32>) {
  // expected-error @below {{cannot make 'tensor<32x144xf32>' of 'tensor<64x144xf32>'}}
  %0 = llm.weight.slice %w axis 0 offset -1 : tensor<64x144xf32> to tensor<32x144xf32>
  return
}

// -----

// weight.slice, C2
func.func @slice_other_extents(%w: tensor<64x144xf32>) {
  // expected-error @below {{cannot make 'tensor<32x72xf32>' of 'tensor<64x144xf32>'}}
  %0 = llm.weight.slice %w axis 0 offset 0 : tensor<64x144xf32> to tensor<32x72xf32>
  return
}

// -----

// weight.slice, C2
func.func @slice_rank(%w: tensor<64x144xf32>) {
  // expected-error @below {{cannot make 'tensor<32xf32>' of 'tensor<64x144xf32>'}}
  %0 = llm.weight.slice %w axis 0 offset 0 : tensor<64x144xf32> to tensor<32xf32>
  return
}

// -----

// weight.slice, C3
func.func @slice_blocks(%w: tensor<4x512x!llm.q4_k>) {
  // expected-error @below {{must cut q4_k at multiples of 256}}
  %0 = llm.weight.slice %w axis 1 offset 128 : tensor<4x512x!llm.q4_k> to tensor<4x256x!llm.q4_k>
  return
}

// -----

// weight.slice, C3
func.func @slice_part_of_block(%w: tensor<4x64x!llm.q8_0>) {
  // expected-error @below {{must cut q8_0 at multiples of 32}}
  %0 = llm.weight.slice %w axis 1 offset 0 : tensor<4x64x!llm.q8_0> to tensor<4x16x!llm.q8_0>
  return
}

// -----

// weight.concat, C1
func.func @concat_axis(%w: tensor<64x144xf32>) {
  // expected-error @below {{has axis 2 outside 'tensor<128x144xf32>'}}
  %0 = llm.weight.concat axis 2 %w, %w : (tensor<64x144xf32>, tensor<64x144xf32>) -> tensor<128x144xf32>
  return
}

// -----

// weight.concat, C1
func.func @concat_nothing() {
  // expected-error @below {{joins nothing}}
  %0 = llm.weight.concat axis 0 : () -> tensor<0x144xf32>
  return
}

// -----

// weight.concat, C1
func.func @concat_rank(%w: tensor<64x144xf32>, %b: tensor<64xf32>) {
  // expected-error @below {{cannot join 'tensor<64xf32>' into 'tensor<128x144xf32>'}}
  %0 = llm.weight.concat axis 0 %w, %b : (tensor<64x144xf32>, tensor<64xf32>) -> tensor<128x144xf32>
  return
}

// -----

// weight.concat, C2
func.func @concat_type(%w: tensor<64x144xf32>, %h: tensor<64x144xf16>) {
  // expected-error @below {{cannot join 'tensor<64x144xf16>' into 'tensor<128x144xf32>'}}
  %0 = llm.weight.concat axis 0 %w, %h : (tensor<64x144xf32>, tensor<64x144xf16>) -> tensor<128x144xf32>
  return
}

// -----

// weight.concat, C2
func.func @concat_sum(%w: tensor<64x144xf32>) {
  // expected-error @below {{joins 128 elements along axis 0 into 64}}
  %0 = llm.weight.concat axis 0 %w, %w : (tensor<64x144xf32>, tensor<64x144xf32>) -> tensor<64x144xf32>
  return
}

// -----

// weight.transpose, C1
func.func @transpose_twice(%w: tensor<64x144xf32>) {
  // expected-error @below {{has no permutation of the axes of 'tensor<64x144xf32>'}}
  %0 = llm.weight.transpose %w [0, 0] : tensor<64x144xf32> to tensor<64x64xf32>
  return
}

// -----

// weight.transpose, C1
func.func @transpose_short(%w: tensor<64x144xf32>) {
  // expected-error @below {{has no permutation of the axes of 'tensor<64x144xf32>'}}
  %0 = llm.weight.transpose %w [0] : tensor<64x144xf32> to tensor<64xf32>
  return
}

// -----

// weight.transpose, C1
func.func @transpose_outside(%w: tensor<64x144xf32>) {
  // expected-error @below {{has no permutation of the axes of 'tensor<64x144xf32>'}}
  %0 = llm.weight.transpose %w [1, 2] : tensor<64x144xf32> to tensor<144x64xf32>
  return
}

// -----

// weight.transpose, C2
func.func @transpose_result(%w: tensor<64x144xf32>) {
  // expected-error @below {{expects the result 'tensor<144x64xf32>', found 'tensor<64x144xf32>'}}
  %0 = llm.weight.transpose %w [1, 0] : tensor<64x144xf32> to tensor<64x144xf32>
  return
}

// -----

// weight.transpose, C3
func.func @transpose_quantised(%w: tensor<64x32x!llm.q8_0>) {
  // expected-error @below {{must keep the last axis of a quantised tensor}}
  %0 = llm.weight.transpose %w [1, 0] : tensor<64x32x!llm.q8_0> to tensor<32x64x!llm.q8_0>
  return
}

// -----

// weight.reshape, C1
func.func @reshape_count(%w: tensor<64x64xf32>) {
  // expected-error @below {{cannot make 'tensor<4x8x2x32xf32>' of 'tensor<64x64xf32>'}}
  %0 = llm.weight.reshape %w : tensor<64x64xf32> to tensor<4x8x2x32xf32>
  return
}

// -----

// weight.reshape, C1
func.func @reshape_type(%w: tensor<64x64xf32>) {
  // expected-error @below {{cannot make 'tensor<64x64xf16>' of 'tensor<64x64xf32>'}}
  %0 = llm.weight.reshape %w : tensor<64x64xf32> to tensor<64x64xf16>
  return
}

// -----

// weight.reshape, C2
func.func @reshape_rows(%w: tensor<4x64x!llm.q8_0>) {
  // expected-error @below {{must keep the last extent of a quantised tensor}}
  %0 = llm.weight.reshape %w : tensor<4x64x!llm.q8_0> to tensor<8x32x!llm.q8_0>
  return
}

// -----

// weight, C3
llm.source @model random(seed = 1, deviation = 0.5)
func.func @weight_empty() {
  // expected-error @below {{expects positive extents and at most 2^46 elements, found 'tensor<96x0xf32>'}}
  %0 = llm.weight @model["w"] : tensor<96x0xf32>
  return
}

// -----

// weight, C3: the product does not fit 64 bits
llm.source @model random(seed = 1, deviation = 0.5)
func.func @weight_huge() {
  // expected-error @below {{expects positive extents and at most 2^46 elements}}
  %0 = llm.weight @model["w"] : tensor<4294967296x4294967296xf32>
  return
}

// -----

// weight.slice, C2: offset + size does not fit 64 bits
llm.source @model random(seed = 1, deviation = 0.5)
func.func @slice_overflow() {
  %0 = llm.weight @model["w"] : tensor<128x64xf32>
  // expected-error @below {{takes 64 elements from 9223372036854775807 on of an axis of 128}}
  %1 = llm.weight.slice %0 axis 0 offset 9223372036854775807 : tensor<128x64xf32> to tensor<64x64xf32>
  return
}

// -----

// define, C3
// expected-error @below {{takes arguments; a definition is computed from nothing but sources}}
llm.define @argument : tensor<64xf32> {
^bb0(%a: tensor<64xf32>):
  llm.yield %a : tensor<64xf32>
}

// -----

// define, C4: each op doubles what the one before it reads
llm.source @model random(seed = 1, deviation = 0.5)
llm.define @doubled : tensor<64xf32> {
  %0 = llm.weight @model["w"] : tensor<64xf32>
  %1 = arith.addf %0, %0 : tensor<64xf32>
  %2 = arith.addf %1, %1 : tensor<64xf32>
  %3 = arith.addf %2, %2 : tensor<64xf32>
  %4 = arith.addf %3, %3 : tensor<64xf32>
  %5 = arith.addf %4, %4 : tensor<64xf32>
  %6 = arith.addf %5, %5 : tensor<64xf32>
  %7 = arith.addf %6, %6 : tensor<64xf32>
  %8 = arith.addf %7, %7 : tensor<64xf32>
  // expected-error @below {{is an expression of more than 1000 ops}}
  %9 = arith.addf %8, %8 : tensor<64xf32>
  llm.yield %9 : tensor<64xf32>
}

// -----

// weight.rope_table, C2
func.func @rope_table_huge() {
  // expected-error @below {{expects positive extents and at most 2^46 elements}}
  %0 = llm.weight.rope_table frequencies [1.0] {magnitude = 1.0 : f32} : tensor<4611686018427387904x1x2xf32>
  return
}
