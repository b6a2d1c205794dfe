// RUN: pagoda-opt %s --split-input-file --verify-diagnostics

// buffer, C1
// expected-error @below {{a buffer cannot hold 'index'}}
func.func private @element(!exec.buffer<[4], index>)

// -----

// buffer, C2
// expected-error @below {{an extent is positive, found 0}}
func.func private @zero(!exec.buffer<[tokens, 0], f32>)

// -----

// buffer, C2
// expected-error @below {{an extent is positive, found -1}}
func.func private @negative(!exec.buffer<[-1], f32>)

// -----

// buffer, C2
// expected-error @below {{a buffer has at most one named extent, found 2}}
func.func private @two_names(!exec.buffer<[tokens, rows], f32>)

// -----

// buffer, C3
// expected-error @below {{a row of quantised elements has a known extent}}
func.func private @unknown_row(!exec.buffer<[4, tokens], !llm.q8_0>)

// -----

// buffer, C3
// expected-error @below {{a row of quantised elements has a known extent}}
func.func private @no_row(!exec.buffer<[], !llm.q8_0>)

// -----

// expected-error @below {{expected '['}}
func.func private @no_extents(!exec.buffer<f32>)

// -----

// expected-error @below {{expected valid keyword}}
func.func private @unknown_extent(!exec.buffer<[?, 64], f32>)

// -----

// expected-error @below {{expected ','}}
func.func private @no_element(!exec.buffer<[4]>)

// -----

// expected-error @below {{expected integer value}}
func.func private @empty_size() attributes {a = #exec.size<>}

// -----

// expected-error @below {{expected integer value}}
func.func private @name_first() attributes {a = #exec.size<tokens * 4>}

// -----

// expected-error @below {{expected '>'}}
func.func private @no_plus() attributes {a = #exec.size<4 * tokens 8>}

// -----

// expected-error @below {{expected valid keyword}}
func.func private @no_name() attributes {a = #exec.size<4 * 8>}
