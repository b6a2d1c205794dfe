//===- ExecDialect.td - The exec dialect -------------------*- tablegen -*-===//

#ifndef PAGODA_DIALECT_EXEC_EXECDIALECT_TD
#define PAGODA_DIALECT_EXEC_EXECDIALECT_TD

include "mlir/IR/OpBase.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::pagoda::exec";
  let summary = "What a machine does: buffers, kernels, launches";
  let description = [{
    The last level before the artifact, which stores it as it is. It lies below
    `llm`, from which `pagoda-lower-to-exec` comes, and above nothing: kernels
    are C++ templates, not IR.

    An `exec.entry` is a list of commands over buffers. Sizes are affine in the
    entry's named dims, such as `tokens`. An `exec.kernel` names a template and
    its parameters, and keeps the llm ops it computes as its *contract*: the
    interpreter's meaning of a launch, the oracle of conformance tests and the
    way back from a step to the model.

    ```mlir
    exec.kernel @rms_norm_f32_64 family "rms_norm" parameters {} {
    ^bb0(%x: tensor<?x64xf32>, %w: tensor<64xf32>):
      %n = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
      exec.yield %n : tensor<?x64xf32>
    }
    exec.entry @step dims ["tokens"] {
    ^bb0(%x: !exec.buffer<[tokens, 64], f32>):
      %w = exec.weight @norm : tensor<64xf32>
      %y = exec.buffer : !exec.buffer<[tokens, 64], f32>
      exec.launch @rms_norm_f32_64(%x, %w) -> (%y) : (!exec.buffer<[tokens, 64], f32>, tensor<64xf32>) -> !exec.buffer<[tokens, 64], f32>
      exec.return %y : !exec.buffer<[tokens, 64], f32>
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

class Exec_Op<string mnemonic, list<Trait> traits = []>
    : Op<Exec_Dialect, mnemonic, traits>;

#endif // PAGODA_DIALECT_EXEC_EXECDIALECT_TD
