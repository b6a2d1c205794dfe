//===- LLMTypes.td - Types of the llm dialect --------------*- tablegen -*-===//

#ifndef PAGODA_DIALECT_LLM_LLMTYPES_TD
#define PAGODA_DIALECT_LLM_LLMTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "pagoda/Dialect/LLM/LLMAttributes.td"
include "pagoda/Dialect/LLM/LLMDialect.td"

class LLM_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<LLM_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def LLM_BatchType : LLM_Type<"Batch", "batch"> {
  let summary = "A ragged batch: T tokens of S sequences, flattened";
  let description = [{
    Holds `q_start[S+1]` (where each sequence's tokens begin), `kv_length[S]`
    (keys of each sequence, this step's included), `position[T]`, `rows[R]`
    (the tokens whose logits are wanted) and, for paged programs, block tables
    and `slot[T]`. Position and slot are different things: the one feeds rotary
    embeddings, the other says where a key lies.

    Example:

    ```mlir
    !llm.batch
    ```
  }];
}

def LLM_CacheType : LLM_Type<"Cache", "cache"> {
  let summary = "Keys and values of all layers and sequences";
  let description = [{
    A value, used linearly: each op that appends takes the last cache and
    returns the next. How it stores its contents is the entry's
    `llm.kv_policy`.

    Example:

    ```mlir
    !llm.cache
    ```
  }];
}

// Parsed and printed by the dialect, because of its short names.
def LLM_QuantType : TypeDef<LLM_Dialect, "Quant"> {
  let typeName = "llm.q";
  let summary = "A quantised element of a logical tensor";
  let description = [{
    Groups of codes along the last dimension share a scale; see
    `pagoda::QuantFormat` for what an element means. GGUF's formats print under
    their short names.

    Constraints:
    - C1: codes are signed (`i8`) or unsigned (`u4`), of 2 to 8 bits.
    - C2: a group holds a multiple of 16 elements.
    - C3: scales are of f16 or f32; a minimum is of the same type and stands
      above unsigned codes only.

    Example:

    ```mlir
    tensor<576x1536x!llm.q4_1>
    tensor<?x576x!llm.q<i8, group = 32, scale = f32>>
    ```
  }];
  let parameters = (ins
    LLM_QuantFormatParameter:$format
  );
  let extraClassDeclaration = [{
    ElementType getElementType() const {
      return ElementType::quantised(getFormat());
    }
  }];
}

def LLM_PackedType : LLM_Type<"Packed", "packed"> {
  let summary = "A weight in the byte order that kernels stream";
  let description = [{
    The bytes that `llm.weight.pack` makes of a tensor. `tensor` is the logical
    tensor, `layout` the order of its bytes.

    Constraints:
    - C1: the tensor is a matrix of static shape.
    - C2: its elements are floats or quantised, its rows whole blocks.

    Example:

    ```mlir
    !llm.packed<tile32, tensor<960x576x!llm.q4_1>>
    ```
  }];
  let parameters = (ins
    EnumParameter<LLM_PackLayout>:$layout,
    "::mlir::RankedTensorType":$tensor
  );
  let assemblyFormat = "`<` $layout `,` $tensor `>`";
  let genVerifyDecl = 1;
}

#endif // PAGODA_DIALECT_LLM_LLMTYPES_TD
