// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

// rope, C1
func.func @rope_positions(%q: tensor<6x4x16xf32>, %p: tensor<5xi32>, %t: tensor<256x8x2xf32>) {
  // expected-error @below {{expects a [T, H, D] input, [T] positions and a [P, R/2, 2] table with R <= D, found 'tensor<6x4x16xf32>', 'tensor<5xi32>' and 'tensor<256x8x2xf32>'}}
  %0 = llm.rope half %q, %p, %t : (tensor<6x4x16xf32>, tensor<5xi32>, tensor<256x8x2xf32>) -> tensor<6x4x16xf32>
  return
}

// -----

// rope, C1
func.func @rope_pairs(%q: tensor<?x4x16xf32>, %p: tensor<?xi32>, %t: tensor<256x8x3xf32>) {
  // expected-error @below {{a [P, R/2, 2] table}}
  %0 = llm.rope half %q, %p, %t : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x8x3xf32>) -> tensor<?x4x16xf32>
  return
}

// -----

// rope, C1
func.func @rope_wide(%q: tensor<?x4x16xf32>, %p: tensor<?xi32>, %t: tensor<256x9x2xf32>) {
  // expected-error @below {{with R <= D}}
  %0 = llm.rope half %q, %p, %t : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x9x2xf32>) -> tensor<?x4x16xf32>
  return
}

// -----

// rope, C1
func.func @rope_rank(%q: tensor<?x64xf32>, %p: tensor<?xi32>, %t: tensor<256x8x2xf32>) {
  // expected-error @below {{operand #0 must be 3D tensor of 32-bit float values}}
  %0 = llm.rope half %q, %p, %t : (tensor<?x64xf32>, tensor<?xi32>, tensor<256x8x2xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_style(%q: tensor<?x4x16xf32>, %p: tensor<?xi32>, %t: tensor<256x8x2xf32>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'style' [half, interleaved]}}
  %0 = llm.rope neox %q, %p, %t : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x8x2xf32>) -> tensor<?x4x16xf32>
  return
}

// -----

// attention, C1
func.func @attention_heads(%q: tensor<?x4x16xf32>, %k: tensor<?x3x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a [T, H, D] query and [T, G, D] keys with G dividing H, found 'tensor<?x4x16xf32>' and 'tensor<?x3x16xf32>'}}
  %0, %1 = llm.attention %q, %k, %k, %b, %c layer 0 scale 0.25 : tensor<?x4x16xf32>, tensor<?x3x16xf32>
  return
}

// -----

// attention, C1
func.func @attention_no_heads(%q: tensor<?x4x16xf32>, %k: tensor<?x0x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{with G dividing H}}
  %0, %1 = llm.attention %q, %k, %k, %b, %c layer 0 scale 0.25 : tensor<?x4x16xf32>, tensor<?x0x16xf32>
  return
}

// -----

// attention, C1
func.func @attention_elements(%q: tensor<?x4x16xf32>, %k: tensor<?x2x8xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a [T, H, D] query and [T, G, D] keys}}
  %0, %1 = llm.attention %q, %k, %k, %b, %c layer 0 scale 0.25 : tensor<?x4x16xf32>, tensor<?x2x8xf32>
  return
}

// -----

// attention, C1
func.func @attention_values(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x4x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{failed to verify that all of {key, value} have same type}}
  %0, %1 = "llm.attention"(%q, %k, %v, %b, %c) {layer = 0 : i64, scale = 0.25 : f64} : (tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x4x16xf32>, !llm.batch, !llm.cache) -> (tensor<?x4x16xf32>, !llm.cache)
  return
}

// -----

// attention, C2
func.func @attention_window(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a positive window, found 0}}
  %0, %1 = llm.attention %q, %k, %k, %b, %c layer 0 scale 0.25 window 0 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  return
}

// -----

// attention, C2
func.func @attention_layer(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a layer from 0 to 65535, found -1}}
  %0, %1 = llm.attention %q, %k, %k, %b, %c layer -1 scale 0.25 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  return
}

// -----

// kv_append, C1
func.func @append_types(%k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf16>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{failed to verify that all of {key, value} have same type}}
  %0 = "llm.kv_append"(%c, %k, %v, %b) {layer = 0 : i64} : (!llm.cache, tensor<?x2x16xf32>, tensor<?x2x16xf16>, !llm.batch) -> !llm.cache
  return
}

// -----

// kv_append, C1
func.func @append_rank(%k: tensor<?x32xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{operand #1 must be 3D tensor of floating-point values}}
  %0 = llm.kv_append %c, %k, %k, %b layer 0 : tensor<?x32xf32>
  return
}

// -----

// kv_append, C2
func.func @append_layer(%k: tensor<?x2x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a layer from 0 to 65535, found -2}}
  %0 = llm.kv_append %c, %k, %k, %b layer -2 : tensor<?x2x16xf32>
  return
}

// -----

// paged_attention, C1
func.func @paged_heads(%q: tensor<?x4x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects kv_heads to divide the 4 query heads, found 3}}
  %0 = llm.paged_attention %q, %c, %b layer 0 kv_heads 3 scale 0.25 : tensor<?x4x16xf32>
  return
}

// -----

// paged_attention, C1
func.func @paged_no_heads(%q: tensor<?x4x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects kv_heads to divide the 4 query heads, found 0}}
  %0 = llm.paged_attention %q, %c, %b layer 0 kv_heads 0 scale 0.25 : tensor<?x4x16xf32>
  return
}

// -----

// paged_attention, C2
func.func @paged_window(%q: tensor<?x4x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a positive window, found -4}}
  %0 = llm.paged_attention %q, %c, %b layer 0 kv_heads 2 scale 0.25 window -4 : tensor<?x4x16xf32>
  return
}

// -----

// paged_attention, C2
func.func @paged_layer(%q: tensor<?x4x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a layer from 0 to 65535, found -1}}
  %0 = llm.paged_attention %q, %c, %b layer -1 kv_heads 2 scale 0.25 : tensor<?x4x16xf32>
  return
}

// -----

// attention, C2
func.func @layer_too_high(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a layer from 0 to 65535, found 4294967296}}
  %o, %u = llm.attention %q, %k, %k, %b, %c layer 4294967296 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  return
}

// -----

// attention, C3
func.func @scale_infinite(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a finite scale}}
  %o, %u = llm.attention %q, %k, %k, %b, %c layer 0 scale 0x7FF0000000000000 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
  return
}

// -----

// paged_attention, C3
func.func @paged_scale_infinite(%q: tensor<?x4x16xf32>, %b: !llm.batch, %c: !llm.cache) {
  // expected-error @below {{expects a finite scale}}
  %o = llm.paged_attention %q, %c, %b layer 0 kv_heads 2 scale 0x7FF0000000000000 : tensor<?x4x16xf32>
  return
}
