//===- LLMDialect.td - The llm dialect ---------------------*- tablegen -*-===//

#ifndef PAGODA_DIALECT_LLM_LLMDIALECT_TD
#define PAGODA_DIALECT_LLM_LLMDIALECT_TD

include "mlir/IR/OpBase.td"

def LLM_Dialect : Dialect {
  let name = "llm";
  let cppNamespace = "::pagoda::llm";
  let summary = "What a language model means: tensors, values, no machine";
  let description = [{
    The level at which Pagoda reads and rewrites models. It lies between the
    importers (Hugging Face, GGUF, hand-written MLIR, later ONNX) and the
    `exec` dialect, which says what a machine does.

    **Entries.** A module holds entries, `func.func`s with an `llm.entry`
    attribute that share weights. A `step` entry runs a ragged batch through a
    decoder:

    ```mlir
    func.func @step(%ids: tensor<?xi32> {llm.role = "ids"}, %batch: !llm.batch,
                    %cache: !llm.cache) -> (tensor<?x320xf32>, !llm.cache)
        attributes {llm.entry = "step"}
    ```

    **The batch** holds T tokens of S sequences, flattened, so that all ops but
    attention work token by token: a prefill of 500 tokens and 31 single decode
    steps are the same program. `llm.dim %batch, tokens` is the root of the
    unknown size `?` of activations.

    **The cache** is a value that `llm.attention` (or, once paged,
    `llm.kv_append`) takes and returns. It is used linearly: order is data
    flow, and effects begin in `exec`.

    **Numbers.** An op means its real-number function. Rounding is always an op
    of its own (`llm.cast`, `llm.quantize`); `f32` in a type promises at least
    float32 and rounds nothing by itself. The reference interpreter computes in
    float64, so two programs that mean the same agree to 1e-9.

    **Weights are expressions**: `llm.weight` names a tensor of a file,
    `llm.weight.*` rearrange it, `llm.define` outlines a whole expression. No
    pass touches bytes; the artifact writer evaluates the definitions.
  }];

  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect"
  ];
  let useDefaultTypePrinterParser = 0;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;

  let extraClassDeclaration = [{
    /// Types and attributes are registered by the files that define them.
    void registerTypes();
    void registerAttributes();

    /// On a `func.func`: which kind of entry it is ("step").
    static constexpr ::llvm::StringLiteral kEntryAttr = "llm.entry";
    /// On an argument or a result of an entry: what it is ("ids").
    static constexpr ::llvm::StringLiteral kRoleAttr = "llm.role";
    /// On an entry, once paged: how the cache stores keys and values.
    static constexpr ::llvm::StringLiteral kKVPolicyAttr = "llm.kv_policy";
    /// On a module: what the runtime must know of the model beside its program.
    static constexpr ::llvm::StringLiteral kModelAttr = "llm.model";

    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

class LLM_Op<string mnemonic, list<Trait> traits = []>
    : Op<LLM_Dialect, mnemonic, traits>;

#endif // PAGODA_DIALECT_LLM_LLMDIALECT_TD
