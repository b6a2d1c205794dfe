#include "pagoda/Dialect/LLM/LLMOps.h"

using namespace mlir;

namespace pagoda::llm {

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool isQuantised(Value value) {
  return isa<QuantType>(
      cast<RankedTensorType>(value.getType()).getElementType());
}

} // namespace

LogicalResult EmbeddingOp::verify() {
  if (shapeOf(getTable()).size() != 2 ||
      shapeOf(getTable())[1] != shapeOf(getResult())[1] ||
      shapeOf(getIds())[0] != shapeOf(getResult())[0])
    return emitOpError("expects [T] ids, a [V, K] table and a [T, K] result, "
                       "found ")
           << getIds().getType() << ", " << getTable().getType() << " and "
           << getResult().getType(); // C1
  return success();
}

LogicalResult LinearOp::verify() {
  ArrayRef<int64_t> in = shapeOf(getInput()), weight = shapeOf(getWeight()),
                    out = shapeOf(getResult());
  if (in.size() != 2 || weight.size() != 2 || in[0] != out[0] ||
      in[1] != weight[1] || weight[0] != out[1])
    return emitOpError("expects a [T, K] input, an [N, K] weight and a [T, N] "
                       "result, found ")
           << getInput().getType() << ", " << getWeight().getType() << " and "
           << getResult().getType(); // C1
  if (getBias() && shapeOf(getBias())[0] != out[1])
    return emitOpError("expects a bias of ")
           << out[1] << ", found " << getBias().getType(); // C2
  return success();
}

LogicalResult RMSNormOp::verify() {
  ArrayRef<int64_t> in = shapeOf(getInput());
  if (in.empty() || in.back() != shapeOf(getWeight())[0])
    return emitOpError("expects a weight of the last extent of ")
           << getInput().getType() << ", found " << getWeight().getType(); // C1
  if (!(getEpsilon().convertToDouble() >= 0))
    return emitOpError("has a negative epsilon"); // C2
  return success();
}

LogicalResult GatherRowsOp::verify() {
  if (shapeOf(getInput())[1] != shapeOf(getResult())[1] ||
      shapeOf(getRows())[0] != shapeOf(getResult())[0])
    return emitOpError("expects [T, K], [R] and [R, K], found ")
           << getInput().getType() << ", " << getRows().getType() << " and "
           << getResult().getType(); // C1
  return success();
}

LogicalResult ArgmaxOp::verify() {
  if (shapeOf(getInput())[0] != shapeOf(getResult())[0])
    return emitOpError("expects [R, K] and [R], found ")
           << getInput().getType() << " and " << getResult().getType(); // C1
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getInput().getType() == getResult().getType() ? getInput() : Value();
}

LogicalResult QuantizeOp::verify() {
  auto type = dyn_cast<QuantType>(
      cast<RankedTensorType>(getResult().getType()).getElementType());
  if (!type || type.getFormat().zero != ZeroKind::Signed ||
      type.getFormat().bits != 8 || type.getFormat().scale != ScaleKind::F32 ||
      shapeOf(getResult()).empty() ||
      shapeOf(getResult()).back() % type.getFormat().group != 0)
    return emitOpError(
               "expects a format of signed 8-bit codes with f32 scales whose "
               "groups divide the last extent, found ")
           << getResult().getType(); // C1
  return success();
}

LogicalResult DequantizeOp::verify() {
  if (!isQuantised(getInput()))
    return emitOpError("expects a quantised input, found ")
           << getInput().getType(); // C1
  return success();
}

} // namespace pagoda::llm
