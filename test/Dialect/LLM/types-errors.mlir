// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{unknown type 'q5_0' in dialect 'llm'}}
func.func private @unknown(tensor<4x32x!llm.q5_0>)

// -----

// q, C1
// expected-error @below {{expected codes such as i8 or u4 in a quantised type, of 2 to 8 bits}}
func.func private @codes(tensor<4x32x!llm.q<f8, group = 32, scale = f32>>)

// -----

// q, C1
// expected-error @below {{of 2 to 8 bits}}
func.func private @too_wide(tensor<4x32x!llm.q<i9, group = 32, scale = f32>>)

// -----

// q, C1
// expected-error @below {{of 2 to 8 bits}}
func.func private @too_narrow(tensor<4x32x!llm.q<u1, group = 32, scale = f32>>)

// -----

// q, C1
// expected-error @below {{of 2 to 8 bits}}
func.func private @no_bits(tensor<4x32x!llm.q<i, group = 32, scale = f32>>)

// -----

// q, C2
// expected-error @below {{expected a group that is a multiple of 16, found 24}}
func.func private @group(tensor<4x48x!llm.q<i8, group = 24, scale = f32>>)

// -----

// q, C2
// expected-error @below {{expected a group that is a multiple of 16, found 0}}
func.func private @no_group(tensor<4x48x!llm.q<i8, group = 0, scale = f32>>)

// -----

// expected-error @below {{integer value too large}}
func.func private @large_group(tensor<4x48x!llm.q<i8, group = 65552, scale = f32>>)

// -----

// q, C3
// expected-error @below {{expected a scale of f16 or f32}}
func.func private @scale(tensor<4x32x!llm.q<i8, group = 32, scale = bf16>>)

// -----

// q, C3
// expected-error @below {{and a minimum of the same type only above unsigned codes}}
func.func private @minimum_type(tensor<4x32x!llm.q<u4, group = 32, scale = f16, minimum = f32>>)

// -----

// q, C3
// expected-error @below {{and a minimum of the same type only above unsigned codes}}
func.func private @minimum_signed(tensor<4x32x!llm.q<i4, group = 32, scale = f16, minimum = f16>>)

// -----

// expected-error @below {{expected 'minimum'}}
func.func private @keyword(tensor<4x32x!llm.q<u4, group = 32, scale = f16, zero = f16>>)

// -----

// expected-error @below {{expected '<'}}
func.func private @no_parameters(tensor<4x32x!llm.q>)

// -----

// packed, C1
// expected-error @below {{packed weights are matrices of static shape, found 'tensor<?x64xf32>'}}
func.func private @packed_dynamic(!llm.packed<tile32, tensor<?x64xf32>>)

// -----

// packed, C1
// expected-error @below {{packed weights are matrices of static shape, found 'tensor<64xf32>'}}
func.func private @packed_rank(!llm.packed<tile32, tensor<64xf32>>)

// -----

// packed, C2
// expected-error @below {{packed weights hold floats or quantised elements, found 'i32'}}
func.func private @packed_integers(!llm.packed<tile32, tensor<64x64xi32>>)

// -----

// packed, C2
// expected-error @below {{packed weights hold floats or quantised elements, found 'index'}}
func.func private @packed_index(!llm.packed<tile32, tensor<64x64xindex>>)

// -----

// packed, C2
// expected-error @below {{packed weights hold whole blocks of 32 elements in a row, found 'tensor<64x40x!llm.q4_0>'}}
func.func private @packed_blocks(!llm.packed<tile32, tensor<64x40x!llm.q4_0>>)

// -----

// expected-error @+2 {{expected ::pagoda::llm::PackLayout to be one of: tile32}}
// expected-error @+1 {{failed to parse LLM_PackedType parameter 'layout'}}
func.func private @packed_layout(!llm.packed<tile64, tensor<64x64xf32>>)

// -----

// kv_policy, C1
// expected-error @+1 {{the cache stores f32 or f16, found 'bf16'}}
func.func private @policy_type() attributes {a = #llm.kv_policy<dtype = bf16, block = 16>}

// -----

// kv_policy, C2
// expected-error @+1 {{a block holds a multiple of 16 tokens, found 24}}
func.func private @policy_block() attributes {a = #llm.kv_policy<dtype = f32, block = 24>}

// -----

// kv_policy, C2
// expected-error @+1 {{a block holds a multiple of 16 tokens, found 0}}
func.func private @policy_no_block() attributes {a = #llm.kv_policy<dtype = f32, block = 0>}
