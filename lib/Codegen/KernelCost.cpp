#include "KernelCost.h"

#include "pagoda/Dialect/LLM/LLMOps.h"

using namespace mlir;

namespace pagoda {

KernelCost costOf(exec::KernelOp kernel) {
  KernelCost cost;
  kernel.walk([&](Operation *op) {
    if (auto linear = dyn_cast<llm::LinearOp>(op)) {
      int64_t inputs =
          cast<RankedTensorType>(linear.getInput().getType()).getShape().back();
      int64_t outputs = cast<RankedTensorType>(linear.getResult().getType())
                            .getShape()
                            .back();
      if (!ShapedType::isDynamic(inputs) && !ShapedType::isDynamic(outputs))
        cost.rowOperations +=
            2 * static_cast<uint64_t>(inputs) * static_cast<uint64_t>(outputs);
    } else if (auto attention = dyn_cast<llm::PagedAttentionOp>(op)) {
      // A score and a share of the mix for each key.
      auto query = cast<RankedTensorType>(attention.getQuery().getType());
      cost.keyOperations += 4 * static_cast<uint64_t>(query.getDimSize(1)) *
                            static_cast<uint64_t>(query.getDimSize(2));
    }
  });
  return cost;
}

} // namespace pagoda
