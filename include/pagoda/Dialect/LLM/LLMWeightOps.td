//===- LLMWeightOps.td - Weights as expressions ------------*- tablegen -*-===//
//
// Sources, the tensors in them, and the lossless operations that rearrange
// tensors. None of them touches bytes: the artifact writer does.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_LLM_LLMWEIGHTOPS_TD
#define PAGODA_DIALECT_LLM_LLMWEIGHTOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "pagoda/Dialect/LLM/LLMInterfaces.td"
include "pagoda/Dialect/LLM/LLMTypes.td"

class LLM_WeightOp<string mnemonic, list<Trait> traits = []>
    : LLM_Op<mnemonic, !listconcat([Pure, LLM_WeightOpInterface], traits)>;

def LLM_SourceOp : LLM_Op<"source", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "A file that weights come from";
  let description = [{
    Names a GGUF file or a folder of safetensors, or a generator of random
    numbers for programs that have no weights at hand. A relative path starts
    at the folder of the module's own file.

    Constraints:
    - C1: exactly one of `path` and `seed` is given.
    - C2: `deviation` is given with `seed`, and is positive and finite.

    Example:

    ```mlir
    llm.source @model file("model.gguf")
    llm.source @noise random(seed = 7, deviation = 0.2)
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$path,
    OptionalAttr<I64Attr>:$seed,
    OptionalAttr<F64Attr>:$deviation
  );
  let assemblyFormat = [{
    $sym_name (`file` `(` $path^ `)`)?
    (`random` `(` `seed` `=` $seed^ `,` `deviation` `=` $deviation `)`)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def LLM_NamedWeightOp : LLM_WeightOp<"weight", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A tensor of a source, under the name it has there";
  let description = [{
    Shape and element type are those of the file, which the importer has read;
    the artifact writer checks them again. From a random source a tensor is
    drawn from a normal distribution that depends on the seed and the name.

    Constraints:
    - C1: the symbol names an `llm.source`.
    - C2: the shape is static and a row holds whole blocks of the element type.
    - C3: extents are positive, and their product at most 2^46.

    Example:

    ```mlir
    %w = llm.weight @model["blk.0.attn_q.weight"] : tensor<576x576x!llm.q4_1>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$source, StrAttr:$name);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `[` $name `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def LLM_WeightSliceOp : LLM_WeightOp<"weight.slice"> {
  let summary = "A range of a weight along one axis";
  let description = [{
    Constraints:
    - C1: `axis` is an axis of the operand.
    - C2: `[offset, offset + size)` lies within the axis, `size` is its extent
      in the result, and all other extents are equal.
    - C3: along the last axis of a quantised tensor, offset and size are
      multiples of the block.

    Example:

    ```mlir
    %v = llm.weight.slice %qkv axis 0 offset 768 : tensor<960x576xf32> to tensor<192x576xf32>
    ```
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$input,
    I64Attr:$axis,
    I64Attr:$offset
  );
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `axis` $axis `offset` $offset attr-dict `:` type($input) `to`
    type($result)
  }];
  let hasVerifier = 1;
}

def LLM_WeightConcatOp : LLM_WeightOp<"weight.concat"> {
  let summary = "Weights joined along one axis";
  let description = [{
    Constraints:
    - C1: there is an operand, and `axis` is an axis of all of them.
    - C2: element types and all other extents are equal; the result's extent
      along `axis` is their sum.

    Example:

    ```mlir
    %kv = llm.weight.concat axis 0 %k, %v : (tensor<192x576xf32>, tensor<192x576xf32>) -> tensor<384x576xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, I64Attr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    `axis` $axis $inputs attr-dict `:` functional-type($inputs, results)
  }];
  let hasVerifier = 1;
}

def LLM_WeightTransposeOp : LLM_WeightOp<"weight.transpose"> {
  let summary = "A weight with its axes in another order";
  let description = [{
    Result axis `i` is operand axis `permutation[i]`. A quantised tensor keeps
    its last axis last, because groups run along it.

    Constraints:
    - C1: `permutation` is a permutation of the operand's axes.
    - C2: the result's shape is the permuted shape, its element type equal.
    - C3: a quantised operand keeps its last axis.

    Example:

    ```mlir
    %t = llm.weight.transpose %w [1, 0] : tensor<64x144xf32> to tensor<144x64xf32>
    ```
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$input,
    DenseI64ArrayAttr:$permutation
  );
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def LLM_WeightReshapeOp : LLM_WeightOp<"weight.reshape"> {
  let summary = "A weight under another shape, its elements in the same order";
  let description = [{
    Constraints:
    - C1: both shapes hold the same number of elements of the same type.
    - C2: a quantised tensor keeps the extent of its last axis.

    Example:

    ```mlir
    %h = llm.weight.reshape %w : tensor<64x64xf32> to tensor<4x8x2x64xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def LLM_WeightRopeTableOp : LLM_WeightOp<"weight.rope_table"> {
  let summary = "Cosines and sines of rotary embeddings for all positions";
  let description = [{
    Element `[p, i, 0]` is the cosine and `[p, i, 1]` the sine of the angle
    `p * frequencies[i]`, times `magnitude`. As in the models' own training
    code the product is rounded to float32 before the functions are taken;
    `frequencies` are given as exact float32 values.

    Constraints:
    - C1: the result is `[positions, frequencies, 2]` of f32.
    - C2: of at most 2^46 elements, and at least one.

    Example:

    ```mlir
    %t = llm.weight.rope_table frequencies [1.0, 0.1] : tensor<256x2x2xf32>
    ```
  }];
  let arguments = (ins
    DenseF32ArrayAttr:$frequencies,
    DefaultValuedAttr<F32Attr, "1.0f">:$magnitude
  );
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    `frequencies` custom<Floats>($frequencies) attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def LLM_WeightCodesOp : LLM_WeightOp<"weight.codes"> {
  let summary = "The codes of a quantised weight";
  let description = [{
    The integers that stand in the format, before scale and zero.

    Constraints:
    - C1: the operand is quantised and its rows are whole blocks.
    - C2: the result has the operand's shape and element type i16.

    Example:

    ```mlir
    %c = llm.weight.codes %w : tensor<64x64x!llm.q4_1> to tensor<64x64xi16>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def LLM_WeightScalesOp : LLM_WeightOp<"weight.scales"> {
  let summary = "The scale of each group of a quantised weight";
  let description = [{
    Super scales are multiplied in; the product is exact in float32.

    Constraints:
    - C1: the operand is quantised and its rows are whole blocks.
    - C2: the result has one f32 for each group along the last axis.

    Example:

    ```mlir
    %s = llm.weight.scales %w : tensor<64x64x!llm.q4_1> to tensor<64x2xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def LLM_WeightZerosOp : LLM_WeightOp<"weight.zeros"> {
  let summary = "What is added to scale times code in each group";
  let description = [{
    `w = scale * code + zero`: the minimum of formats that store one,
    `-scale * 2^(bits-1)` for codes around the middle, 0 for signed codes.

    Constraints:
    - C1: the operand is quantised and its rows are whole blocks.
    - C2: the result has one f32 for each group along the last axis.

    Example:

    ```mlir
    %z = llm.weight.zeros %w : tensor<64x64x!llm.q4_1> to tensor<64x2xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def LLM_WeightComposeOp : LLM_WeightOp<"weight.compose"> {
  let summary = "A quantised weight from its codes, scales and zeros";
  let description = [{
    The inverse of `codes`, `scales` and `zeros`. Scales and zeros are rounded
    to the format's storage, so composing what was taken apart is lossless.

    Constraints:
    - C1: the result is quantised, with scales in f16 or f32.
    - C2: codes have the result's shape; scales (and zeros, exactly for formats
      that store a minimum) one f32 for each of its groups.

    Example:

    ```mlir
    %w = llm.weight.compose %c, %s, %z : (tensor<64x64xi16>, tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<64x64x!llm.q4_1>
    ```
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$codes,
    AnyStaticShapeTensor:$scales,
    Optional<AnyStaticShapeTensor>:$zeros
  );
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $codes `,` $scales (`,` $zeros^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def LLM_WeightPackOp : LLM_WeightOp<"weight.pack"> {
  let summary = "A weight in the byte order that kernels stream";
  let description = [{
    Lossless: every code, scale and number of the tensor stands in the packed
    bytes, in another order (docs/packing.md).

    Constraints:
    - C1: the packed type's tensor is the operand's type, of rank 2.

    Example:

    ```mlir
    %p = llm.weight.pack %w : tensor<64x64xf32> to !llm.packed<tile32, tensor<64x64xf32>>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs LLM_PackedType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def LLM_WeightUnpackOp : LLM_WeightOp<"weight.unpack", [
    TypesMatchWith<"the result is the packed tensor", "input", "result",
                   "::llvm::cast<PackedType>($_self).getTensor()">]> {
  let summary = "The tensor that was packed";
  let description = [{
    Stands in the contract of kernels that read packed weights, where it says
    what the bytes mean.

    Constraints:
    - C1: the result is the packed type's tensor.

    Example:

    ```mlir
    %w = llm.weight.unpack %p : !llm.packed<tile32, tensor<64x64xf32>>
    ```
  }];
  let arguments = (ins LLM_PackedType:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasFolder = 1;
}

def LLM_DefineOp : LLM_Op<"define", [
    Symbol, IsolatedFromAbove, SingleBlock,
    HasParent<"::mlir::ModuleOp">]> {
  let summary = "A weight expression under a name";
  let description = [{
    What `pagoda-hoist-weights` makes of the maximal cone of weight-only ops
    behind a value: opaque to all that rewrites the program, and evaluated once
    when the artifact is written. Equal expressions share a definition.

    Constraints:
    - C1: the body holds only weight ops, `arith.constant` and pure `arith`.
    - C2: the body yields one value of the definition's type.
    - C3: the body has no arguments.
    - C4: no value is an expression of more than 1000 ops, an op counted as
      often as it is used.

    Example:

    ```mlir
    llm.define @blk.0.attn_q.weight : tensor<64x64xf32> {
      %w = llm.weight @model["blk.0.attn_q.weight"] : tensor<64x64xf32>
      llm.yield %w : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `:` $type $body attr-dict";
  let hasVerifier = 1;
}

def LLM_DefinedOp : LLM_Op<"defined", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The value of a definition";
  let description = [{
    Constraints:
    - C1: the symbol names an `llm.define` of the result's type.

    Example:

    ```mlir
    %w = llm.defined @blk.0.attn_q.weight : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

#endif // PAGODA_DIALECT_LLM_LLMWEIGHTOPS_TD
