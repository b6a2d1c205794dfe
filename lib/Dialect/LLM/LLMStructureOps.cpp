#include "pagoda/Dialect/LLM/LLMOps.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace pagoda::llm {

void DimOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), stringifyBatchDim(getDim()));
}

void PositionsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "positions");
}

void RowsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "rows");
}

LogicalResult FusedOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError(
        "has region arguments that differ from its operands"); // C1
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return emitOpError("must yield values of its results' types"); // C2
  llvm::SmallPtrSet<void *, 4> yielded;
  for (Value value : yield.getValues())
    if (llvm::is_contained(block.getArguments(), value) ||
        !yielded.insert(value.getAsOpaquePointer()).second)
      return emitOpError("must yield results of its own ops, each once"); // C3
  return success();
}

} // namespace pagoda::llm
