//===- PackWeights.cpp - Weights in streaming order -----------------------===//
//
// Gives each group the packed form of the matrices it streams (before and
// after: Passes.td). Embedding tables are packed like all others, so that a
// table that is also the head stands in the artifact once.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace pagoda {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-pack-weights"

namespace pagoda {

namespace {

/// True if every use of a group's argument streams it as a matrix.
bool isStreamed(BlockArgument argument) {
  return !argument.use_empty() &&
         llvm::all_of(argument.getUses(), [](OpOperand &use) {
           if (auto linear = dyn_cast<llm::LinearOp>(use.getOwner()))
             return use.get() == linear.getWeight() &&
                    use.get() != linear.getInput();
           return isa<llm::EmbeddingOp>(use.getOwner()) &&
                  use.getOperandNumber() == 1;
         });
}

struct PackWeightsPass : impl::PackWeightsPassBase<PackWeightsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](llm::FusedOp group) {
      // Backwards, so that the unpacking ops stand in the order of arguments.
      for (BlockArgument argument :
           llvm::reverse(group.getBody().getArguments()))
        if (isStreamed(argument) && failed(pack(group, argument)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    hoistWeights(getOperation());
  }

  static LogicalResult pack(llm::FusedOp group, BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    Value matrix = group.getInputs()[index];
    Operation *def = matrix.getDefiningOp();
    if (!def || !isa<llm::DefinedOp, llm::WeightOpInterface>(def))
      return success(); // computed in the step: nothing to prepare
    auto tensor = cast<RankedTensorType>(matrix.getType());
    auto packed = llm::PackedType::getChecked(
        [&] { return group.emitOpError(); }, group.getContext(),
        llm::PackLayout::Tile32, tensor);
    if (!packed)
      return failure();
    OpBuilder builder(group);
    Value operand =
        llm::WeightPackOp::create(builder, matrix.getLoc(), packed, matrix);
    group.getInputsMutable()[index].set(operand);
    argument.setType(packed);
    builder.setInsertionPointToStart(argument.getOwner());
    auto unpack =
        llm::WeightUnpackOp::create(builder, matrix.getLoc(), tensor, argument);
    argument.replaceAllUsesExcept(unpack.getResult(), unpack);
    return success();
  }
};

} // namespace
} // namespace pagoda
