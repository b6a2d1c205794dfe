//===- LLMStructureOps.td - Batches, groups, terminators ---*- tablegen -*-===//

#ifndef PAGODA_DIALECT_LLM_LLMSTRUCTUREOPS_TD
#define PAGODA_DIALECT_LLM_LLMSTRUCTUREOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "pagoda/Dialect/LLM/LLMInterfaces.td"
include "pagoda/Dialect/LLM/LLMTypes.td"

def LLM_DimOp : LLM_Op<"dim", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A size of the batch";
  let description = [{
    The root of unknown sizes: `tokens` (T), `sequences` (S) or `rows` (R).

    Example:

    ```mlir
    %tokens = llm.dim %batch, tokens
    ```
  }];
  let arguments = (ins LLM_BatchType:$batch, LLM_BatchDim:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$batch `,` $dim attr-dict";
}

def LLM_PositionsOp : LLM_Op<"positions", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The position of each token in its sequence";
  let description = [{
    Constraints:
    - C1: the result is `[T]` of i32.

    Example:

    ```mlir
    %positions = llm.positions %batch : tensor<?xi32>
    ```
  }];
  let arguments = (ins LLM_BatchType:$batch);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$batch attr-dict `:` type($result)";
}

def LLM_RowsOp : LLM_Op<"rows", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The tokens whose logits are wanted";
  let description = [{
    Constraints:
    - C1: the result is `[R]` of i32, increasing.

    Example:

    ```mlir
    %rows = llm.rows %batch : tensor<?xi32>
    ```
  }];
  let arguments = (ins LLM_BatchType:$batch);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$batch attr-dict `:` type($result)";
}

def LLM_FusedOp : LLM_Op<"fused", [
    IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Ops that one kernel computes together";
  let description = [{
    Made by `pagoda-fuse`. The region says what the group means and stays with
    it to the end: as the contract of the kernel that computes it. `kernel` is
    set by `pagoda-select-kernels`.

    Constraints:
    - C1: the region's arguments have the types of the operands.
    - C2: the region yields values of the results' types.
    - C3: each is a result of an op in the region, and no two are the same.

    Example:

    ```mlir
    %y = llm.fused (%x, %w) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
    ^bb0(%a: tensor<?x64xf32>, %b: tensor<64xf32>):
      %n = llm.rms_norm %a, %b epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
      llm.yield %n : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyType>:$inputs,
    OptionalAttr<LLM_KernelAttr>:$kernel
  );
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` (`kernel` `(` $kernel^ `)`)? attr-dict `:`
    functional-type($inputs, $results) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Operation *getYield() { return getBody().front().getTerminator(); }
  }];
}

def LLM_YieldOp : LLM_Op<"yield", [
    Pure, Terminator, ReturnLike, ParentOneOf<["DefineOp", "FusedOp"]>]> {
  let summary = "What a definition or a group results in";
  let description = [{
    Example:

    ```mlir
    llm.yield %w : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // PAGODA_DIALECT_LLM_LLMSTRUCTUREOPS_TD
