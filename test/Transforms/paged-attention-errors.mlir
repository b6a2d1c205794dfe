// RUN: pagoda-opt %s --pagoda-paged-attention="kv-dtype=bf16" --split-input-file --verify-diagnostics=only-expected
// RUN: not pagoda-opt %s --pagoda-paged-attention="block=24" 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not pagoda-opt %s --pagoda-paged-attention="block=0" 2>&1 | FileCheck %s --check-prefix=ZERO

// BLOCK: paged-attention-errors.mlir:[[#@LINE+3]]:1: error: a block holds a multiple of 16 tokens, found 24
// ZERO: a block holds a multiple of 16 tokens, found 0
// expected-error @below {{kv-dtype is f32 or f16, found 'bf16'}}
func.func @step() attributes {llm.entry = "step"} {
  return
}
