//===- LLMAttentionOps.td - Rotations, attention, caches ---*- tablegen -*-===//
//
// T tokens, H query heads, G key/value heads, D elements of a head.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_LLM_LLMATTENTIONOPS_TD
#define PAGODA_DIALECT_LLM_LLMATTENTIONOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "pagoda/Dialect/LLM/LLMComputeOps.td"

def LLM_RopeOp : LLM_TokenwiseOp<"rope", "Input", [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "A rotary position embedding";
  let description = [{
    Rotates pairs of elements of each head by the angle that the table holds
    for the token's position (Su et al., 2021). With R = twice the table's
    middle extent, `half` pairs elements `i` and `i + R/2`, `interleaved` pairs
    `2i` and `2i + 1`; elements from R on pass through.

    Constraints:
    - C1: the input is `[T, H, D]`, `positions` is `[T]`, the table
      `[P, R/2, 2]` with `R <= D`.

    Example:

    ```mlir
    %r = llm.rope half %q, %positions, %table : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<256x8x2xf32>) -> tensor<?x4x16xf32>
    ```
  }];
  let arguments = (ins
    LLM_RopeStyle:$style,
    3DTensorOf<[F32]>:$input,
    1DTensorOf<[I32]>:$positions,
    3DTensorOf<[F32]>:$table
  );
  let results = (outs 3DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $style $input `,` $positions `,` $table attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def LLM_AttentionOp : LLM_TokenwiseOp<"attention", "Query", [
    AllTypesMatch<["query", "output"]>, AllTypesMatch<["key", "value"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Causal attention over the cache and this step's tokens";
  let description = [{
    Appends `key` and `value` to the cache of `layer`, then, for the query of
    token t with index i in its sequence and head h, over the keys j <= i of
    that sequence (and j > i - window where there is a window):
    `softmax_j(scale * query . key_j) . value_j`, keys of head `h / (H / G)`.

    Constraints:
    - C1: the query is `[T, H, D]`, key and value `[T, G, D]`; G divides H.
    - C2: the window is positive, the layer from 0 to 65535.
    - C3: the scale is finite.

    Example:

    ```mlir
    %o, %c = llm.attention %q, %k, %v, %batch, %cache layer 0 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
    ```
  }];
  let arguments = (ins
    3DTensorOf<[F32]>:$query,
    3DTensorOf<[F32]>:$key,
    3DTensorOf<[F32]>:$value,
    LLM_BatchType:$batch,
    LLM_CacheType:$cache,
    I64Attr:$layer,
    F64Attr:$scale,
    OptionalAttr<I64Attr>:$window
  );
  let results = (outs 3DTensorOf<[F32]>:$output, LLM_CacheType:$updated);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $batch `,` $cache `layer` $layer `scale`
    $scale (`window` $window^)? attr-dict `:` type($query) `,` type($key)
  }];
  let hasVerifier = 1;
}

def LLM_KVAppendOp : LLM_Op<"kv_append", [
    Pure, AllTypesMatch<["key", "value"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "This step's keys and values put into the paged cache";
  let description = [{
    Key and value of token t go to the physical slot `slot[t]` of the batch in
    the pool of `layer`. They are stored as they are: rounding to the cache's
    type is an `llm.cast` before.

    Constraints:
    - C1: key and value are `[T, G, D]` of one type.
    - C2: the layer is from 0 to 65535.

    Example:

    ```mlir
    %c = llm.kv_append %cache, %k, %v, %batch layer 0 : tensor<?x2x16xf32>
    ```
  }];
  let arguments = (ins
    LLM_CacheType:$cache,
    3DTensorOf<[AnyFloat]>:$key,
    3DTensorOf<[AnyFloat]>:$value,
    LLM_BatchType:$batch,
    I64Attr:$layer
  );
  let results = (outs LLM_CacheType:$result);
  let assemblyFormat = [{
    $cache `,` $key `,` $value `,` $batch `layer` $layer attr-dict `:`
    type($key)
  }];
  let hasVerifier = 1;
}

def LLM_PagedAttentionOp : LLM_TokenwiseOp<"paged_attention", "Query", [
    AllTypesMatch<["query", "output"]>]> {
  let summary = "Causal attention that reads keys and values by block tables";
  let description = [{
    As `llm.attention`, but reads everything, this step's keys and values too,
    back from the cache: key j of a sequence lies in slot `j % block` of block
    `block_table[j / block]`.

    Constraints:
    - C1: the query is `[T, H, D]`; `kv_heads` divides H.
    - C2: the window is positive, the layer from 0 to 65535.
    - C3: the scale is finite.

    Example:

    ```mlir
    %o = llm.paged_attention %q, %cache, %batch layer 0 kv_heads 2 scale 2.5e-01 : tensor<?x4x16xf32>
    ```
  }];
  let arguments = (ins
    3DTensorOf<[F32]>:$query,
    LLM_CacheType:$cache,
    LLM_BatchType:$batch,
    I64Attr:$layer,
    I64Attr:$kvHeads,
    F64Attr:$scale,
    OptionalAttr<I64Attr>:$window
  );
  let results = (outs 3DTensorOf<[F32]>:$output);
  let assemblyFormat = [{
    $query `,` $cache `,` $batch `layer` $layer `kv_heads` $kvHeads `scale`
    $scale (`window` $window^)? attr-dict `:` type($query)
  }];
  let hasVerifier = 1;
}

#endif // PAGODA_DIALECT_LLM_LLMATTENTIONOPS_TD
