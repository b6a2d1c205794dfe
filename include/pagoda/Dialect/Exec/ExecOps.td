//===- ExecOps.td - Operations of exec ---------------------*- tablegen -*-===//

#ifndef PAGODA_DIALECT_EXEC_EXECOPS_TD
#define PAGODA_DIALECT_EXEC_EXECOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "pagoda/Dialect/Exec/ExecTypes.td"

def Exec_KernelOp : Exec_Op<"kernel", [
    Symbol, IsolatedFromAbove, SingleBlock, HasParent<"::mlir::ModuleOp">]> {
  let summary = "A kernel: a template with parameters, and its contract";
  let description = [{
    `family` names a row of kernels.def. The region is the contract: what the
    kernel computes, on tensors. Its arguments are the launch's inputs, what it
    yields are the launch's outputs; a cache that it yields is the one that
    came in, changed in place.

    Constraints:
    - C1: the region ends in `exec.yield`.
    - C2: the name is of letters, digits and `_`, not a digit first.

    Example:

    ```mlir
    exec.kernel @norm family "rms_norm" parameters {} {
    ^bb0(%x: tensor<?x64xf32>, %w: tensor<64xf32>):
      %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
      exec.yield %n : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrAttr:$family,
    DictionaryAttr:$parameters
  );
  let regions = (region SizedRegion<1>:$contract);
  let assemblyFormat = [{
    $sym_name `family` $family `parameters` $parameters attr-dict-with-keyword
    $contract
  }];
  let hasVerifier = 1;
}

def Exec_YieldOp : Exec_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "What a contract results in";
  let description = [{
    Example:

    ```mlir
    exec.yield %n : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Exec_EntryOp : Exec_Op<"entry", [
    Symbol, IsolatedFromAbove, SingleBlock, HasParent<"::mlir::ModuleOp">]> {
  let summary = "A list of commands over buffers";
  let description = [{
    `dims` are the names whose values a step brings. `slots`, once
    `pagoda-plan-memory` has run, are the pieces of memory that buffers lie in:
    their offsets are the running sum of their sizes.

    Constraints:
    - C1: every named dim of a buffer in the body is one of `dims`.
    - C2: every slot number is below the number of slots.
    - C3: the body ends in `exec.return`.

    Example:

    ```mlir
    exec.entry @step dims ["tokens"] slots [#exec.size<256 * tokens>] {
    ^bb0(%x: !exec.buffer<[tokens, 64], f32>):
      exec.return %x : !exec.buffer<[tokens, 64], f32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrArrayAttr:$dims,
    OptionalAttr<Exec_SizeArrayAttr>:$slots
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `dims` $dims (`slots` $slots^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Exec_ReturnOp : Exec_Op<"return", [
    Terminator, ReturnLike, HasParent<"EntryOp">]> {
  let summary = "The buffers that an entry hands back";
  let description = [{
    Example:

    ```mlir
    exec.return %logits : !exec.buffer<[rows, 320], f32>
    ```
  }];
  let arguments = (ins Variadic<Exec_BufferType>:$buffers);
  let assemblyFormat = "($buffers^ `:` type($buffers))? attr-dict";
}

def Exec_WeightOp : Exec_Op<"weight", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A weight, by the name of its definition";
  let description = [{
    Constraints:
    - C1: the symbol names an `llm.define`.
    - C2: the result is of its type.

    Example:

    ```mlir
    %w = exec.weight @blk.0.attn_norm.weight : tensor<64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def Exec_FieldOp : Exec_Op<"field", [Pure]> {
  let summary = "An array of the batch, as a buffer";
  let description = [{
    Example:

    ```mlir
    %p = exec.field %batch "position" : !llm.batch, !exec.buffer<[tokens], i32>
    ```
  }];
  let arguments = (ins AnyType:$batch, StrAttr:$name);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = [{
    $batch $name attr-dict `:` type($batch) `,` type($result)
  }];
}

def Exec_LayerOp : Exec_Op<"layer", [
    Pure, AllTypesMatch<["cache", "result"]>]> {
  let summary = "The part of the cache that belongs to one layer";
  let description = [{
    What a launch takes, so that one kernel serves all layers: in its contract
    the layer is 0.

    Constraints:
    - C1: the index is not negative.

    Example:

    ```mlir
    %c = exec.layer %cache[3] : !llm.cache
    ```
  }];
  let arguments = (ins
    AnyType:$cache,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$index
  );
  let results = (outs AnyType:$result);
  let assemblyFormat = "$cache `[` $index `]` attr-dict `:` type($cache)";
}

def Exec_BufferOp : Exec_Op<"buffer", [
    MemoryEffects<[MemAlloc]>]> {
  let summary = "A buffer that lives for some part of a step";
  let description = [{
    `slot` is set by `pagoda-plan-memory`; buffers that are never alive at the
    same time may share one.

    Example:

    ```mlir
    %x = exec.buffer : !exec.buffer<[tokens, 64], f32>
    %y = exec.buffer slot 2 : !exec.buffer<[tokens, 64], f32>
    ```
  }];
  let arguments = (ins
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$slot
  );
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "(`slot` $slot^)? attr-dict `:` type($result)";
}

def Exec_ViewOp : Exec_Op<"view", [Pure]> {
  let summary = "A buffer's memory under another shape";
  let description = [{
    Constraints:
    - C1: both shapes have the same number of elements of the same type.

    Example:

    ```mlir
    %h = exec.view %q : !exec.buffer<[tokens, 64], f32> to !exec.buffer<[tokens, 4, 16], f32>
    ```
  }];
  let arguments = (ins Exec_BufferType:$source);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Exec_LaunchOp : Exec_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A run of a kernel on buffers";
  let description = [{
    Inputs are buffers, weights, the batch and the cache; outputs are buffers
    that the kernel fills.

    Constraints:
    - C1: the symbol names an `exec.kernel`.
    - C2: inputs and outputs have the types of the contract's arguments and
      results: a buffer stands for its tensor, a yielded cache for none.

    Example:

    ```mlir
    exec.launch @norm(%x, %w) -> (%y) : (!exec.buffer<[tokens, 64], f32>, tensor<64xf32>) -> !exec.buffer<[tokens, 64], f32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    Variadic<AnyType>:$inputs,
    Variadic<Exec_BufferType>:$outputs
  );
  let assemblyFormat = [{
    $kernel `(` $inputs `)` `->` `(` $outputs `)` attr-dict `:`
    functional-type($inputs, $outputs)
  }];
}

#endif // PAGODA_DIALECT_EXEC_EXECOPS_TD
