#include "pagoda/Dialect/LLM/NamedDims.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pagoda::llm {

namespace {

bool hasUnknownRows(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 && type.isDynamicDim(0);
}

/// The value that an argument stands for: an operand of a group; nothing for
/// the arguments of an entry.
Value getOuterValue(BlockArgument argument) {
  if (auto fused = dyn_cast<FusedOp>(argument.getOwner()->getParentOp()))
    return fused.getInputs()[argument.getArgNumber()];
  return {};
}

/// The value whose leading extent the op's result has.
Value getSource(OpResult result) {
  return llvm::TypeSwitch<Operation *, Value>(result.getOwner())
      .Case<TokenwiseOpInterface>([](auto op) { return op.getRowSource(); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [](auto op) { return op.getSrc(); })
      .Case<FusedOp>([&](FusedOp op) {
        return op.getYield()->getOperand(result.getResultNumber());
      })
      .Default([](Operation *op) -> Value {
        if (isPointwise(op))
          for (Value operand : op->getOperands())
            if (hasUnknownRows(operand))
              return operand;
        return {};
      });
}

} // namespace

std::string pointwiseKey(Operation *op) {
  std::string key = op->getName().getStringRef().str();
  if (auto gated = dyn_cast<GatedOp>(op))
    key += " " + stringifyActivation(gated.getActivation()).str();
  return key;
}

bool isPointwise(Operation *op) {
  if (isa<GatedOp>(op))
    return true;
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && isa<FloatType>(type.getElementType());
}

std::optional<BatchDim> getRowDim(Value value) {
  while (value && hasUnknownRows(value)) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto function =
              dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())) {
        if (!argument.getOwner()->isEntryBlock())
          return std::nullopt;
        auto role = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), LLMDialect::kRoleAttr);
        return role && role.getValue() == "ids"
                   ? std::optional(BatchDim::Tokens)
                   : std::nullopt;
      }
      value = getOuterValue(argument);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<PositionsOp>(op))
      return BatchDim::Tokens;
    if (isa<RowsOp>(op))
      return BatchDim::Rows;
    value = getSource(cast<OpResult>(value));
  }
  return std::nullopt;
}

} // namespace pagoda::llm
