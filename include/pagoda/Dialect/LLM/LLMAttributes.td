//===- LLMAttributes.td - Attributes of the llm dialect ----*- tablegen -*-===//

#ifndef PAGODA_DIALECT_LLM_LLMATTRIBUTES_TD
#define PAGODA_DIALECT_LLM_LLMATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "pagoda/Dialect/LLM/LLMDialect.td"

class LLM_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::pagoda::llm";
}

def LLM_BatchDim : LLM_Enum<"BatchDim", "A size of a batch", [
  I32EnumAttrCase<"Tokens", 0, "tokens">,
  I32EnumAttrCase<"Sequences", 1, "sequences">,
  I32EnumAttrCase<"Rows", 2, "rows">
]>;

def LLM_Activation : LLM_Enum<"Activation", "A pointwise non-linearity", [
  I32EnumAttrCase<"Silu", 0, "silu">,
  I32EnumAttrCase<"Gelu", 1, "gelu">,
  I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">,
  I32EnumAttrCase<"Relu", 3, "relu">
]>;

def LLM_RopeStyle : LLM_Enum<"RopeStyle", "Which elements a rotation pairs", [
  I32EnumAttrCase<"Half", 0, "half">,
  I32EnumAttrCase<"Interleaved", 1, "interleaved">
]>;

def LLM_PackLayout : LLM_Enum<"PackLayout", "The byte order of packed weights", [
  I32EnumAttrCase<"Tile32", 0, "tile32">
]>;

// A pagoda::QuantFormat as a parameter of types.
def LLM_QuantFormatParameter
    : AttrOrTypeParameter<"::pagoda::QuantFormat", "quantised format"> {
  let cppStorageType = "::pagoda::QuantFormat";
}

class LLM_Attr<string name, string attrMnemonic> : AttrDef<LLM_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def LLM_KVPolicyAttr : LLM_Attr<"KVPolicy", "kv_policy"> {
  let summary = "How a paged cache stores keys and values";
  let description = [{
    `dtype` is the storage type of both, `block` the number of tokens of one
    block.

    Constraints:
    - C1: the storage type is f32 or f16.
    - C2: a block holds a multiple of 16 tokens.

    Example:

    ```mlir
    #llm.kv_policy<dtype = f32, block = 16>
    ```
  }];
  let parameters = (ins
    "::mlir::Type":$dtype,
    "unsigned":$block
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def LLM_KernelAttr : LLM_Attr<"Kernel", "kernel"> {
  let summary = "A kernel template and its parameters";
  let description = [{
    Written on `llm.fused` by `pagoda-select-kernels`. `family` names a row of
    kernels.def.

    Example:

    ```mlir
    #llm.kernel<"linear_f32", {rows = 6 : i64}>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$family,
    "::mlir::DictionaryAttr":$parameters
  );
  let assemblyFormat = "`<` $family `,` $parameters `>`";
}

#endif // PAGODA_DIALECT_LLM_LLMATTRIBUTES_TD
