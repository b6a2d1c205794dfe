//===- LLMComputeOps.td - Token-by-token arithmetic --------*- tablegen -*-===//
//
// Ops that treat each token by itself. T stands for the unknown number of
// tokens (or rows), K for the elements of one.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_LLM_LLMCOMPUTEOPS_TD
#define PAGODA_DIALECT_LLM_LLMCOMPUTEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "pagoda/Dialect/LLM/LLMInterfaces.td"
include "pagoda/Dialect/LLM/LLMTypes.td"

class LLM_TokenwiseOp<string mnemonic, string source, list<Trait> traits = []>
    : LLM_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<LLM_TokenwiseOpInterface>], traits)> {
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::getRowSource() { return get}] # source # [{(); }
  }];
}

def LLM_EmbeddingOp : LLM_TokenwiseOp<"embedding", "Ids"> {
  let summary = "Rows of a table, by token id";
  let description = [{
    `result[t, k] = table[ids[t], k]`. A quantised table is decoded.

    Constraints:
    - C1: `ids` is `[T]` of i32, the table `[V, K]`, the result `[T, K]` of f32.

    Example:

    ```mlir
    %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins 1DTensorOf<[I32]>:$ids, AnyRankedTensor:$table);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $ids `,` $table attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def LLM_LinearOp : LLM_TokenwiseOp<"linear", "Input"> {
  let summary = "A matrix product with a weight, and a bias";
  let description = [{
    `result[t, n] = sum_k input[t, k] * weight[n, k] + bias[n]`. Quantised
    inputs and weights stand for the numbers they decode to.

    Constraints:
    - C1: the input is `[T, K]`, the weight `[N, K]`, the result `[T, N]`.
    - C2: the bias, where there is one, is `[N]`.

    Example:

    ```mlir
    %y = llm.linear %x, %w bias %b : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input,
    AnyRankedTensor:$weight,
    Optional<1DTensorOf<[F32]>>:$bias
  );
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def LLM_RMSNormOp : LLM_TokenwiseOp<"rms_norm", "Input", [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "Root-mean-square normalisation of the last axis";
  let description = [{
    `result[…, k] = input[…, k] / sqrt(mean_k(input[…, k]^2) + epsilon) *
    weight[k]` (Zhang and Sennrich, 2019). Epsilon stands inside the root.

    Constraints:
    - C1: the weight is `[K]`, K the last extent of the input.
    - C2: epsilon is not negative.

    Example:

    ```mlir
    %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins
    RankedTensorOf<[F32]>:$input,
    1DTensorOf<[F32]>:$weight,
    F64Attr:$epsilon
  );
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $input `,` $weight `epsilon` $epsilon attr-dict `:` type($input) `,`
    type($weight)
  }];
  let hasVerifier = 1;
}

def LLM_GatedOp : LLM_TokenwiseOp<"gated", "Gate", [
    AllTypesMatch<["gate", "up", "result"]>]> {
  let summary = "An activation of one half times the other";
  let description = [{
    `result = activation(gate) * up`, elementwise: `silu(x) = x / (1 + e^-x)`,
    `gelu(x) = x * Phi(x)`, `gelu_tanh` its approximation by tanh, `relu(x) =
    max(x, 0)`.

    Example:

    ```mlir
    %h = llm.gated silu %gate, %up : tensor<?x144xf32>
    ```
  }];
  let arguments = (ins
    LLM_Activation:$activation,
    RankedTensorOf<[F32]>:$gate,
    RankedTensorOf<[F32]>:$up
  );
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $activation $gate `,` $up attr-dict `:` type($gate)
  }];
}

def LLM_GatherRowsOp : LLM_TokenwiseOp<"gather_rows", "Rows"> {
  let summary = "Chosen rows of a tensor";
  let description = [{
    `result[r, k] = input[rows[r], k]`.

    Constraints:
    - C1: the input is `[T, K]`, `rows` is `[R]`, the result `[R, K]`.

    Example:

    ```mlir
    %last = llm.gather_rows %x, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$input, 1DTensorOf<[I32]>:$rows);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $input `,` $rows attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def LLM_ArgmaxOp : LLM_TokenwiseOp<"argmax", "Input"> {
  let summary = "The first of the largest elements of each row";
  let description = [{
    `result[r]` is the lowest `k` for which `input[r, k]` is the maximum of row
    `r`: the token that greedy sampling takes. It is -1 where an element of the
    row is NaN or +inf, which no choice may hide.

    A step that returns it beside its logits saves the host a pass over them.

    Constraints:
    - C1: the input is `[R, K]`, the result `[R]`.

    Example:

    ```mlir
    %greedy = llm.argmax %logits : tensor<?x320xf32> -> tensor<?xi32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$input);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def LLM_CastOp : LLM_TokenwiseOp<"cast", "Input", [
    SameOperandsAndResultShape]> {
  let summary = "Rounding to another float type";
  let description = [{
    Rounds to nearest, ties to even; towards a wider type it changes nothing.

    Constraints:
    - C1: both element types are floats.

    Example:

    ```mlir
    %h = llm.cast %k : tensor<?x2x16xf32> to tensor<?x2x16xf16>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

def LLM_QuantizeOp : LLM_TokenwiseOp<"quantize", "Input", [
    SameOperandsAndResultShape]> {
  let summary = "Activations rounded to a quantised format, token by token";
  let description = [{
    For each group of a row, with signed codes of 8 bits: `scale = max|x| /
    127`, rounded to float32, and `code = round(x * 127 / max|x|)`, ties to
    even; a group of zeros has scale 0 and codes 0.

    Constraints:
    - C1: the input is of f32; the result's format has signed codes of 8 bits
      and one f32 scale a group, and its groups divide the last extent.

    Example:

    ```mlir
    %q = llm.quantize %x : tensor<?x64xf32> to tensor<?x64x!llm.q<i8, group = 32, scale = f32>>
    ```
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def LLM_DequantizeOp : LLM_TokenwiseOp<"dequantize", "Input", [
    SameOperandsAndResultShape]> {
  let summary = "The numbers that a quantised tensor stands for";
  let description = [{
    `scale * code + zero`, exact.

    Constraints:
    - C1: the input is quantised, the result of f32.

    Example:

    ```mlir
    %x = llm.dequantize %q : tensor<64x64x!llm.q4_1> to tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

#endif // PAGODA_DIALECT_LLM_LLMCOMPUTEOPS_TD
