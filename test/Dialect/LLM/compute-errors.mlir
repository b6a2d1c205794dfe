// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

// embedding, C1
func.func @embedding_rank(%ids: tensor<?xi32>, %table: tensor<320xf32>) {
  // expected-error @below {{expects [T] ids, a [V, K] table and a [T, K] result, found 'tensor<?xi32>', 'tensor<320xf32>' and 'tensor<?x64xf32>'}}
  %0 = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320xf32>) -> tensor<?x64xf32>
  return
}

// -----

// embedding, C1
func.func @embedding_width(%ids: tensor<?xi32>, %table: tensor<320x64xf32>) {
  // expected-error @below {{expects [T] ids, a [V, K] table and a [T, K] result}}
  %0 = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

// embedding, C1
func.func @embedding_rows(%ids: tensor<5xi32>, %table: tensor<320x64xf32>) {
  // expected-error @below {{expects [T] ids, a [V, K] table and a [T, K] result}}
  %0 = llm.embedding %ids, %table : (tensor<5xi32>, tensor<320x64xf32>) -> tensor<4x64xf32>
  return
}

// -----

// embedding, C1
func.func @embedding_ids(%ids: tensor<?xi64>, %table: tensor<320x64xf32>) {
  // expected-error @below {{operand #0 must be 1D tensor of 32-bit signless integer values}}
  %0 = llm.embedding %ids, %table : (tensor<?xi64>, tensor<320x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

// embedding, C1
func.func @embedding_type(%ids: tensor<?xi32>, %table: tensor<320x64xf16>) {
  // expected-error @below {{result #0 must be 2D tensor of 32-bit float values}}
  %0 = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf16>) -> tensor<?x64xf16>
  return
}

// -----

// linear, C1
func.func @linear_inputs(%x: tensor<?x64xf32>, %w: tensor<32x48xf32>) {
  // expected-error @below {{expects a [T, K] input, an [N, K] weight and a [T, N] result, found 'tensor<?x64xf32>', 'tensor<32x48xf32>' and 'tensor<?x32xf32>'}}
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<32x48xf32>) -> tensor<?x32xf32>
  return
}

// -----

// linear, C1
func.func @linear_outputs(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) {
  // expected-error @below {{expects a [T, K] input, an [N, K] weight and a [T, N] result}}
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

// linear, C1
func.func @linear_rank(%x: tensor<?x4x16xf32>, %w: tensor<32x64xf32>) {
  // expected-error @below {{expects a [T, K] input, an [N, K] weight and a [T, N] result}}
  %0 = llm.linear %x, %w : (tensor<?x4x16xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

// linear, C1
func.func @linear_unranked(%x: tensor<*xf32>, %w: tensor<32x64xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor of any type values}}
  %0 = llm.linear %x, %w : (tensor<*xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

// linear, C2
func.func @linear_bias(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>, %b: tensor<64xf32>) {
  // expected-error @below {{expects a bias of 32, found 'tensor<64xf32>'}}
  %0 = llm.linear %x, %w bias %b : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<64xf32>) -> tensor<?x32xf32>
  return
}

// -----

// rms_norm, C1
func.func @norm_weight(%x: tensor<?x64xf32>, %w: tensor<32xf32>) {
  // expected-error @below {{expects a weight of the last extent of 'tensor<?x64xf32>', found 'tensor<32xf32>'}}
  %0 = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<32xf32>
  return
}

// -----

// rms_norm, C1
func.func @norm_scalar(%x: tensor<f32>, %w: tensor<1xf32>) {
  // expected-error @below {{expects a weight of the last extent of 'tensor<f32>'}}
  %0 = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<f32>, tensor<1xf32>
  return
}

// -----

// rms_norm, C1
func.func @norm_unranked(%x: tensor<*xf32>, %w: tensor<1xf32>) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<*xf32>, tensor<1xf32>
  return
}

// -----

// rms_norm, C2
func.func @norm_epsilon(%x: tensor<?x64xf32>, %w: tensor<64xf32>) {
  // expected-error @below {{has a negative epsilon}}
  %0 = llm.rms_norm %x, %w epsilon -1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @gated_types(%g: tensor<?x144xf32>, %u: tensor<?x64xf32>) {
  // expected-error @below {{failed to verify that all of {gate, up, result} have same type}}
  %0 = "llm.gated"(%g, %u) {activation = 0 : i32} : (tensor<?x144xf32>, tensor<?x64xf32>) -> tensor<?x144xf32>
  return
}

// -----

func.func @gated_kind(%g: tensor<?x144xf32>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'activation' [silu, gelu, gelu_tanh, relu]}}
  %0 = llm.gated swish %g, %g : tensor<?x144xf32>
  return
}

// -----

// gather_rows, C1
func.func @gather_width(%x: tensor<?x64xf32>, %rows: tensor<?xi32>) {
  // expected-error @below {{expects [T, K], [R] and [R, K], found 'tensor<?x64xf32>', 'tensor<?xi32>' and 'tensor<?x32xf32>'}}
  %0 = llm.gather_rows %x, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x32xf32>
  return
}

// -----

// gather_rows, C1
func.func @gather_rows(%x: tensor<?x64xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{expects [T, K], [R] and [R, K]}}
  %0 = llm.gather_rows %x, %rows : (tensor<?x64xf32>, tensor<4xi32>) -> tensor<5x64xf32>
  return
}

// -----

// argmax, C1
func.func @argmax_rows(%x: tensor<4x320xf32>) {
  // expected-error @below {{expects [R, K] and [R], found 'tensor<4x320xf32>' and 'tensor<5xi32>'}}
  %0 = llm.argmax %x : tensor<4x320xf32> -> tensor<5xi32>
  return
}

// -----

// cast, C1
func.func @cast_type(%x: tensor<?x64xf32>) {
  // expected-error @below {{result #0 must be ranked tensor of floating-point values}}
  %0 = llm.cast %x : tensor<?x64xf32> to tensor<?x64xi32>
  return
}

// -----

func.func @cast_shape(%x: tensor<?x64xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = llm.cast %x : tensor<?x64xf32> to tensor<?x32xf16>
  return
}

// -----

// quantize, C1
func.func @quantize_input(%x: tensor<?x64xf16>) {
  // expected-error @below {{operand #0 must be ranked tensor of 32-bit float values}}
  %0 = llm.quantize %x : tensor<?x64xf16> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
  return
}

// -----

// quantize, C1
func.func @quantize_to_floats(%x: tensor<?x64xf32>) {
  // expected-error @below {{expects a format of signed 8-bit codes with f32 scales whose groups divide the last extent, found 'tensor<?x64xf16>'}}
  %0 = llm.quantize %x : tensor<?x64xf32> to tensor<?x64xf16>
  return
}

// -----

// quantize, C1
func.func @quantize_scale(%x: tensor<?x64xf32>) {
  // expected-error @below {{expects a format of signed 8-bit codes with f32 scales}}
  %0 = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q8_0>
  return
}

// -----

// quantize, C1
func.func @quantize_unsigned(%x: tensor<?x64xf32>) {
  // expected-error @below {{expects a format of signed 8-bit codes with f32 scales}}
  %0 = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<u8, group = 32, scale = f32>>
  return
}

// -----

// quantize, C1
func.func @quantize_bits(%x: tensor<?x64xf32>) {
  // expected-error @below {{expects a format of signed 8-bit codes with f32 scales}}
  %0 = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<i4, group = 32, scale = f32>>
  return
}

// -----

// quantize, C1
func.func @quantize_groups(%x: tensor<?x48xf32>) {
  // expected-error @below {{whose groups divide the last extent, found 'tensor<?x48x!llm.q<i8, group = 32, scale = f32>>'}}
  %0 = llm.quantize %x : tensor<?x48xf32> to tensor<?x48x!llm.q<i8, group = 32, scale = f32>>
  return
}

// -----

// quantize, C1
func.func @quantize_scalar(%x: tensor<f32>) {
  // expected-error @below {{whose groups divide the last extent}}
  %0 = llm.quantize %x : tensor<f32> to tensor<!llm.q<i8, group = 32, scale = f32>>
  return
}

// -----

// dequantize, C1
func.func @dequantize_floats(%x: tensor<?x64xf16>) {
  // expected-error @below {{expects a quantised input, found 'tensor<?x64xf16>'}}
  %0 = llm.dequantize %x : tensor<?x64xf16> to tensor<?x64xf32>
  return
}

// -----

// dequantize, C1
func.func @dequantize_to_halves(%x: tensor<?x64x!llm.q8_0>) {
  // expected-error @below {{result #0 must be ranked tensor of 32-bit float values}}
  %0 = llm.dequantize %x : tensor<?x64x!llm.q8_0> to tensor<?x64xf16>
  return
}
