//===- LLMInterfaces.td - Interfaces of the llm dialect ----*- tablegen -*-===//

#ifndef PAGODA_DIALECT_LLM_LLMINTERFACES_TD
#define PAGODA_DIALECT_LLM_LLMINTERFACES_TD

include "mlir/IR/OpBase.td"

def LLM_WeightOpInterface : OpInterface<"WeightOpInterface"> {
  let cppNamespace = "::pagoda::llm";
  let description = [{
    An op that computes weights from weights only, at compile time. Its whole
    cone is outlined by `pagoda-hoist-weights` and evaluated by the artifact
    writer.
  }];
}

def LLM_TokenwiseOpInterface : OpInterface<"TokenwiseOpInterface"> {
  let cppNamespace = "::pagoda::llm";
  let description = [{
    An op whose result 0 has the leading size of one of its operands: one row
    in, one row out. Named sizes are followed through it.
  }];
  let methods = [
    InterfaceMethod<"The operand whose leading size the result has",
                    "::mlir::Value", "getRowSource", (ins)>
  ];
}

#endif // PAGODA_DIALECT_LLM_LLMINTERFACES_TD
