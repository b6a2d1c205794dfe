#include "pagoda/Reference/Interpreter/Interpreter.h"

#include "StepExecutor.h"

using namespace mlir;

namespace pagoda::reference {

Interpreter::Interpreter(ModuleOp module, std::shared_ptr<WeightFiles> files,
                         const InterpreterOptions &options)
    : module(module), options(options),
      graph(std::make_unique<WeightGraph>(module, std::move(files), options)) {}

Interpreter::~Interpreter() = default;

StatusOr<Tensor> Interpreter::run(Operation *entry, const Batch &batch,
                                  Cache &cache, Trace *trace,
                                  const LaunchWatch &watch) {
  if (trace)
    trace->beginStep();
  StepExecutor step(*graph, options, batch, cache, trace, watch);
  if (auto function = dyn_cast<func::FuncOp>(entry))
    return step.runFunction(function);
  if (auto exec = dyn_cast<exec::EntryOp>(entry))
    return step.runEntry(exec);
  return unsupported(describe(entry), " is no entry");
}

StatusOr<std::vector<std::byte>> Interpreter::evaluate(llm::DefineOp define) {
  PAGODA_ASSIGN_OR_RETURN(const WeightNode *node,
                          graph->definition(define.getSymName()));
  return graph->storedBytes(*node).withContext(describe(define));
}

} // namespace pagoda::reference
