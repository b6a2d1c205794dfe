// RUN: pagoda-opt %s --pagoda-choose-activation-format="format=i4" --verify-diagnostics
// RUN: not pagoda-opt %s --pagoda-choose-activation-format="group=24" 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not pagoda-opt %s --pagoda-choose-activation-format="group=0" 2>&1 | FileCheck %s --check-prefix=ZERO

// GROUP: choose-activation-format-errors.mlir:[[#@LINE+3]]:1: error: a group holds a multiple of 16 values, found 24
// ZERO: a group holds a multiple of 16 values, found 0
// expected-error @below {{the activation format is f32 or i8, found 'i4'}}
func.func @step(%x: tensor<?x48xf32>, %w: tensor<32x48x!llm.q<u4, group = 16, scale = f16>>) attributes {llm.entry = "step"} {
  %0 = llm.linear %x, %w : (tensor<?x48xf32>, tensor<32x48x!llm.q<u4, group = 16, scale = f16>>) -> tensor<?x32xf32>
  return
}
