#include "pagoda/Transforms/Pipelines.h"

#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace pagoda {

namespace {

/// Adds passes one after the other, with what was asked to follow them.
class PipelineBuilder {
public:
  PipelineBuilder(OpPassManager &manager,
                  const std::vector<std::string> &insertAfter)
      : manager(manager) {
    manager.setNesting(OpPassManager::Nesting::Implicit);
    for (const std::string &request : insertAfter) {
      auto [pass, other] = StringRef(request).split(':');
      requests.push_back({pass.str(), other.str(), false});
    }
  }

  void add(std::unique_ptr<Pass> pass) {
    std::string flag = pass->getArgument().str();
    manager.addPass(std::move(pass));
    for (Request &request : requests)
      if (request.pass == flag && !request.done && status.ok())
        insert(request);
  }

  Status finish() {
    for (const Request &request : requests)
      if (!request.done && status.ok())
        status = invalidArgument("'", request.pass,
                                 "' is no pass of the pipeline, so '",
                                 request.other, "' cannot follow it");
    return std::move(status);
  }

private:
  struct Request {
    std::string pass, other;
    bool done;
  };

  void insert(Request &request) {
    request.done = true;
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    if (request.other.empty() ||
        failed(parsePassPipeline(request.other, manager, stream)))
      status = invalidArgument("'", request.other, "' is not a registered pass",
                               errors.empty() ? "" : ": ", errors);
  }

  OpPassManager &manager;
  std::vector<Request> requests;
  Status status;
};

} // namespace

Status buildCompilePipeline(OpPassManager &manager,
                            const CompilePipelineOptions &options) {
  PipelineBuilder pipeline(manager, options.insertAfter);

  // Shapes and constants in their simplest form; what the front ends wrote
  // twice, once.
  pipeline.add(createCanonicalizerPass());
  pipeline.add(createCSEPass());

  // Weights become names before anything rewrites the program around them.
  pipeline.add(createHoistWeightsPass());

  // Attention over blocks. What is rounded for the cache is visible from here.
  PagedAttentionPassOptions paged;
  paged.kvDtype = options.kvDtype;
  paged.block = options.kvBlock;
  pipeline.add(createPagedAttentionPass(paged));

  // Fast mode: products in integers.
  ChooseActivationFormatPassOptions activations;
  activations.format = options.activations;
  pipeline.add(createChooseActivationFormatPass(activations));

  // One kernel a group, and a template for each.
  pipeline.add(createFusePass());
  pipeline.add(createSelectKernelsPass());

  // Bytes in the order in which the chosen kernels stream them.
  pipeline.add(createPackWeightsPass());

  // From values to memory.
  pipeline.add(createLowerToExecPass());
  pipeline.add(createPlanMemoryPass());

  return pipeline.finish();
}

void registerCompilePipeline() {
  static PassPipelineRegistration<> registration(
      "pagoda-compile", "All passes of a compile, with their defaults",
      [](OpPassManager &manager) {
        Status status = buildCompilePipeline(manager, {});
        (void)status; // the defaults name no other pass
      });
}

} // namespace pagoda
