#include "pagoda/Dialect/LLM/LLMOps.h"

using namespace mlir;

namespace pagoda::llm {

namespace {

/// More than any model has; the artifact counts layers in 32 bits.
constexpr int64_t kMostLayers = 65536;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Layer and window, which both kinds of attention have.
LogicalResult verifyPlace(Operation *op, int64_t layer,
                          std::optional<int64_t> window) {
  if (layer < 0 || layer >= kMostLayers)
    return op->emitOpError("expects a layer from 0 to ")
           << kMostLayers - 1 << ", found " << layer;
  if (window && *window <= 0)
    return op->emitOpError("expects a positive window, found ") << *window;
  return success();
}

LogicalResult verifyScale(Operation *op, const APFloat &scale) {
  if (!scale.isFinite())
    return op->emitOpError("expects a finite scale");
  return success();
}

} // namespace

LogicalResult RopeOp::verify() {
  ArrayRef<int64_t> in = shapeOf(getInput()), table = shapeOf(getTable());
  if (in[0] != shapeOf(getPositions())[0] || table[2] != 2 ||
      2 * table[1] > in[2])
    return emitOpError("expects a [T, H, D] input, [T] positions and a "
                       "[P, R/2, 2] table with R <= D, found ")
           << getInput().getType() << ", " << getPositions().getType()
           << " and " << getTable().getType(); // C1
  return success();
}

void AttentionOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getOutput(), "attention");
  setName(getUpdated(), "cache");
}

LogicalResult AttentionOp::verify() {
  ArrayRef<int64_t> query = shapeOf(getQuery()), key = shapeOf(getKey());
  if (query[0] != key[0] || query[2] != key[2] || key[1] == 0 ||
      query[1] % key[1] != 0)
    return emitOpError("expects a [T, H, D] query and [T, G, D] keys with G "
                       "dividing H, found ")
           << getQuery().getType() << " and " << getKey().getType(); // C1
  if (failed(verifyScale(*this, getScale())))
    return failure();                                 // C3
  return verifyPlace(*this, getLayer(), getWindow()); // C2
}

void KVAppendOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cache");
}

LogicalResult KVAppendOp::verify() {
  return verifyPlace(*this, getLayer(), std::nullopt); // C2
}

LogicalResult PagedAttentionOp::verify() {
  if (getKvHeads() <= 0 || shapeOf(getQuery())[1] % getKvHeads() != 0)
    return emitOpError("expects kv_heads to divide the ")
           << shapeOf(getQuery())[1] << " query heads, found "
           << getKvHeads(); // C1
  if (failed(verifyScale(*this, getScale())))
    return failure();                                 // C3
  return verifyPlace(*this, getLayer(), getWindow()); // C2
}

} // namespace pagoda::llm
