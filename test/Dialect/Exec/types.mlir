// RUN: pagoda-opt %s | pagoda-opt | FileCheck %s

// CHECK: func.func private @buffers(!exec.buffer<[], f32>, !exec.buffer<[tokens], i32>, !exec.buffer<[sequences, 4, 2], f16>, !exec.buffer<[7, rows], i8>)
func.func private @buffers(!exec.buffer<[], f32>, !exec.buffer<[tokens], i32>, !exec.buffer<[sequences, 4, 2], f16>, !exec.buffer<[7, rows], i8>)

// Terms come out in the order of names, one for each; the constant last.
// CHECK: func.func private @sizes() attributes {a = #exec.size<2304 * tokens>, b = #exec.size<0>, c = #exec.size<64>, d = #exec.size<4 * rows + 12 * tokens + 64>}
func.func private @sizes() attributes {
  a = #exec.size<2304 * tokens>, b = #exec.size<0>, c = #exec.size<32 + 32>,
  d = #exec.size<8 * tokens + 64 + 4 * rows + 4 * tokens>}
