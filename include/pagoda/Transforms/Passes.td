//===- Passes.td - The passes of Pagoda --------------------*- tablegen -*-===//
//
// One pass, one file in lib/Transforms, one lit test and one -errors test of
// the same name. `rounding` says what a pass may do to numbers: an `exact` pass
// keeps the function that the program computes; a pass that `rounds` may only
// insert llm.cast and llm.quantize, and is exact once those are transparent.
// --verify-passes holds each pass to it.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TRANSFORMS_PASSES_TD
#define PAGODA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class Pagoda_Pass<string flag, string op, string roundingMode>
    : Pass<"pagoda-" # flag, op> {
  string rounding = roundingMode;
}

def HoistWeightsPass
    : Pagoda_Pass<"hoist-weights", "::mlir::ModuleOp", "exact"> {
  let summary = "Outline weight expressions under names";
  let description = [{
    Takes the maximal cone of weight-only ops behind each value that the
    program reads and outlines it as an `llm.define`, keyed by content. From
    then on rewrites of the program cannot reach into weights, and the artifact
    writer knows what to evaluate. Runs again after passes that put new
    expressions on top of definitions; definitions that nothing reads are
    dropped.

    Before:

    ```mlir
    %w = llm.weight @model["norm"] : tensor<64xf32>
    %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    ```

    After:

    ```mlir
    llm.define @norm : tensor<64xf32> {
      %w = llm.weight @model["norm"] : tensor<64xf32>
      llm.yield %w : tensor<64xf32>
    }
    …
    %w = llm.defined @norm : tensor<64xf32>
    %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numDefinitions", "definitions", "Definitions made">
  ];
  let dependentDialects = ["::pagoda::llm::LLMDialect"];
}

def PagedAttentionPass
    : Pagoda_Pass<"paged-attention", "::mlir::func::FuncOp", "rounds"> {
  let summary = "Attention over a cache of blocks";
  let description = [{
    Splits `llm.attention` into an append to the paged cache and an attention
    that reads everything back from it, this step's keys and values too. The
    policy becomes an attribute of the entry; where the cache stores less than
    f32, the rounding stands as `llm.cast` before the append.

    Before:

    ```mlir
    %o, %c = llm.attention %q, %k, %v, %batch, %cache layer 0 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
    ```

    After, with `kv-dtype=f16`:

    ```mlir
    %kh = llm.cast %k : tensor<?x2x16xf32> to tensor<?x2x16xf16>
    %vh = llm.cast %v : tensor<?x2x16xf32> to tensor<?x2x16xf16>
    %c = llm.kv_append %cache, %kh, %vh, %batch layer 0 : tensor<?x2x16xf16>
    %o = llm.paged_attention %q, %c, %batch layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x4x16xf32>
    ```
  }];
  let options = [
    Option<"kvDtype", "kv-dtype", "std::string", "\"f32\"",
           "Storage type of keys and values: f32 or f16">,
    Option<"block", "block", "unsigned", "16", "Tokens of one block">
  ];
  let dependentDialects = ["::pagoda::llm::LLMDialect"];
}

def ChooseActivationFormatPass
    : Pagoda_Pass<"choose-activation-format", "::mlir::func::FuncOp",
                  "rounds"> {
  let summary = "Decide where activations are rounded, and how";
  let description = [{
    Puts `llm.quantize` on the input of each linear whose weights are integer
    codes of 8 bits or fewer, so that products can be taken in integers. Codes
    of 8 bits with one scale for `group` values; linears with float weights
    keep float inputs. One rounding serves all linears over a value.

    Before:

    ```mlir
    %y = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64x!llm.q4_1>) -> tensor<?x64xf32>
    ```

    After:

    ```mlir
    %q = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
    %y = llm.linear %q, %w : (tensor<?x64x!llm.q<i8, group = 32, scale = f32>>, tensor<64x64x!llm.q4_1>) -> tensor<?x64xf32>
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"i8\"",
           "i8, or f32 to round nothing">,
    Option<"group", "group", "unsigned", "32", "Values that share a scale">
  ];
  let dependentDialects = ["::pagoda::llm::LLMDialect"];
  let statistics = [
    Statistic<"numRounded", "linears", "Linears that read rounded values">
  ];
}

def FusePass : Pagoda_Pass<"fuse", "::mlir::func::FuncOp", "exact"> {
  let summary = "Group ops that one kernel computes";
  let description = [{
    Forms an `llm.fused` group around every op that a kernel family names as
    its anchor, and takes along what the family's row in kernels.def says it
    can absorb: further linears over the same input, elementwise ops behind,
    row choices, rotations, head norms and casts in front. No model is known
    here. A group never makes the program cyclic.

    Before:

    ```mlir
    %g = llm.linear %x, %wg : (tensor<?x64xf32>, tensor<144x64xf32>) -> tensor<?x144xf32>
    %u = llm.linear %x, %wu : (tensor<?x64xf32>, tensor<144x64xf32>) -> tensor<?x144xf32>
    %h = llm.gated silu %g, %u : tensor<?x144xf32>
    ```

    After:

    ```mlir
    %h = llm.fused (%x, %wg, %wu) : (…) -> tensor<?x144xf32> {
    ^bb0(%a: tensor<?x64xf32>, %b: tensor<144x64xf32>, %c: tensor<144x64xf32>):
      %g = llm.linear %a, %b : …
      %u = llm.linear %a, %c : …
      %h = llm.gated silu %g, %u : tensor<?x144xf32>
      llm.yield %h : tensor<?x144xf32>
    }
    ```
  }];
  let dependentDialects = ["::pagoda::llm::LLMDialect"];
  let statistics = [Statistic<"numGroups", "groups", "Groups formed">];
}

def SelectKernelsPass
    : Pagoda_Pass<"select-kernels", "::mlir::func::FuncOp", "exact"> {
  let summary = "Name a template and parameters for every group";
  let description = [{
    Writes a `#llm.kernel` on each group. A group that its family's template
    does not take (a type or shape it has no code for) is split into single ops
    with a remark; a single op that no template takes is an error that names
    it.

    Before:

    ```mlir
    %n = llm.fused (%x, %w) : … {…}
    ```

    After:

    ```mlir
    %n = llm.fused (%x, %w) kernel(<"rms_norm", {}>) : … {…}
    ```
  }];
  let dependentDialects = ["::pagoda::llm::LLMDialect"];
}

def PackWeightsPass
    : Pagoda_Pass<"pack-weights", "::mlir::ModuleOp", "exact"> {
  let summary = "Give kernels their weights in streaming order";
  let description = [{
    Replaces each matrix that a group streams by its packed form. The bytes
    change in the artifact, the meaning does not: inside the group the matrix
    is unpacked again, and the kernel reads the packed bytes as that matrix.
    Two groups that read one matrix share its packed form.

    Before:

    ```mlir
    %y = llm.fused (%x, %w) kernel(<"linear_f32", {}>) : (…, tensor<64x64xf32>) -> … {
    ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>):
      %l = llm.linear %a, %b : …
    ```

    After:

    ```mlir
    %p = llm.defined @w.tile32 : !llm.packed<tile32, tensor<64x64xf32>>
    %y = llm.fused (%x, %p) kernel(<"linear_f32", {}>) : (…, !llm.packed<tile32, tensor<64x64xf32>>) -> … {
    ^bb0(%a: tensor<?x64xf32>, %b: !llm.packed<tile32, tensor<64x64xf32>>):
      %u = llm.weight.unpack %b : !llm.packed<tile32, tensor<64x64xf32>>
      %l = llm.linear %a, %u : …
    ```
  }];
  let dependentDialects = ["::pagoda::llm::LLMDialect"];
}

def LowerToExecPass
    : Pagoda_Pass<"lower-to-exec", "::mlir::ModuleOp", "exact"> {
  let summary = "Entries become lists of launches over buffers";
  let description = [{
    Each value that crosses groups becomes a buffer, reshapes become views,
    each group an `exec.kernel` whose contract is the group's ops, and equal
    groups share a kernel: the layer of the cache moves out of the contract
    into an `exec.layer`. Sizes get the names of the batch's dims.

    Before:

    ```mlir
    func.func @step(%ids: tensor<?xi32> {llm.role = "ids"}, …) attributes {llm.entry = "step"} {
      %x = llm.fused (%ids, %table) kernel(<"embedding", {}>) : … {…}
    ```

    After:

    ```mlir
    exec.kernel @embedding_f32_320x64 family "embedding" parameters {} {…}
    exec.entry @step dims ["tokens", …] {
    ^bb0(%ids: !exec.buffer<[tokens], i32>, …):
      %x = exec.buffer : !exec.buffer<[tokens, 64], f32>
      exec.launch @embedding_f32_320x64(%ids, %table) -> (%x) : …
    ```
  }];
  let dependentDialects = ["::pagoda::exec::ExecDialect"];
}

def PlanMemoryPass
    : Pagoda_Pass<"plan-memory", "::pagoda::exec::EntryOp", "exact"> {
  let summary = "Decide which buffers share memory";
  let description = [{
    Puts buffers whose lives do not overlap into the same slot. A slot's size
    is affine in the entry's dims and covers every buffer in it, whatever the
    dims are; slots follow each other, so a step computes all offsets by one
    running sum.

    Before:

    ```mlir
    %a = exec.buffer : !exec.buffer<[tokens, 64], f32>
    …
    %b = exec.buffer : !exec.buffer<[tokens, 144], f32>
    ```

    After:

    ```mlir
    exec.entry @step dims ["tokens"] slots [#exec.size<576 * tokens>] {
      %a = exec.buffer slot 0 : !exec.buffer<[tokens, 64], f32>
      …
      %b = exec.buffer slot 0 : !exec.buffer<[tokens, 144], f32>
    ```
  }];
}

#endif // PAGODA_TRANSFORMS_PASSES_TD
