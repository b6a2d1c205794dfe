//===- Interpreter.h - What a module means, computed ------------*- C++ -*-===//
//
// Executes entries of a module in float64: `func.func` entries over tensors
// and `exec.entry`s over buffers, whose launches run the contracts of their
// kernels. An f32 in a type rounds nothing; only llm.cast, llm.quantize and
// narrower buffers do. For the harness of --verify-passes and for tests; no
// kernel and nothing of the runtime is involved.
//
//   auto files = std::make_shared<WeightFiles>("models");
//   Interpreter interpreter(module, files, {});
//   PAGODA_ASSIGN_OR_RETURN(Tensor logits, interpreter.run(step, batch,
//   cache));
//
// An op without a meaning here is an error that names it.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_INTERPRETER_INTERPRETER_H
#define PAGODA_REFERENCE_INTERPRETER_INTERPRETER_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Interpreter/Batch.h"
#include "pagoda/Reference/Interpreter/Cache.h"
#include "pagoda/Reference/Interpreter/WeightFiles.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pagoda::llm {
class DefineOp;
} // namespace pagoda::llm

namespace pagoda::reference {

class Trace;
class WeightGraph;

/// Sees what the launches of an exec entry leave behind, before it is stored,
/// and may put something else in its place: what a kernel computed.
struct LaunchWatch {
  /// Each result that goes to a buffer.
  std::function<Status(mlir::Operation *launch, unsigned output,
                       Tensor &result)>
      result;
  /// The keys and values, [T, G, D], that a launch appends to a layer.
  std::function<Status(mlir::Operation *launch, int64_t layer, Tensor &keys,
                       Tensor &values)>
      appended;
};

struct InterpreterOptions {
  /// llm.cast, llm.quantize and llm.dequantize change nothing: what is left is
  /// the function that the program computes without its roundings.
  bool transparentRoundings = false;
  /// Bytes of evaluated weights that are kept for the next step.
  size_t weightCacheBytes = size_t(192) << 20;
};

class Interpreter {
public:
  /// The module stays as it is while this lives.
  Interpreter(mlir::ModuleOp module, std::shared_ptr<WeightFiles> files,
              const InterpreterOptions &options);
  ~Interpreter();

  /// Executes one step of an entry and returns what it computes for the
  /// wanted rows: [R, V]. Every value of the step is recorded in `trace`,
  /// where one is given. Errors name the op.
  StatusOr<Tensor> run(mlir::Operation *entry, const Batch &batch, Cache &cache,
                       Trace *trace = nullptr, const LaunchWatch &watch = {});

  /// A definition's bytes as an artifact holds them: rows, or packed tiles.
  /// Here, as there, arithmetic on weights rounds to the weights' type.
  StatusOr<std::vector<std::byte>> evaluate(llm::DefineOp define);

  WeightGraph &weights() { return *graph; }

private:
  mlir::ModuleOp module;
  InterpreterOptions options;
  std::unique_ptr<WeightGraph> graph;
};

/// "llm.rms_norm at model.layers.1.input_layernorm", "llm.linear at
/// tiny.mlir:24:11": what messages call an op.
std::string describe(mlir::Operation *op);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_INTERPRETER_INTERPRETER_H
