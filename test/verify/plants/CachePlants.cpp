#include "Plants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pagoda::plants {

namespace {

bool castRemoved(ModuleOp module) {
  auto append = findOp<llm::KVAppendOp>(module, 1, [](llm::KVAppendOp op) {
    return op.getKey().getDefiningOp<llm::CastOp>() &&
           op.getValue().getDefiningOp<llm::CastOp>();
  });
  if (!append)
    return false;
  // Both, because key and value are of one type.
  for (OpOperand *operand :
       {&append.getKeyMutable(), &append.getValueMutable()})
    operand->set(operand->get().getDefiningOp<llm::CastOp>().getInput());
  return true;
}

/// What a block table that is off by one at a block's edge makes attention
/// see: the last key of each block is not there. (The table itself is an array
/// of the batch, which no IR can bend.)
bool blockEdge(ModuleOp module) {
  auto append = findOp<llm::KVAppendOp>(module, 1);
  auto positions = findOp<llm::PositionsOp>(module);
  if (!append || !positions || append->getBlock() != positions->getBlock())
    return false;
  OpBuilder builder(append);
  Location at = append.getLoc();
  Value key = append.getKey();
  auto type = cast<RankedTensorType>(key.getType());
  Value tokens = tensor::DimOp::create(builder, at, key, 0);
  Value empty = tensor::EmptyOp::create(
      builder, at,
      ArrayRef<OpFoldResult>{tokens, builder.getIndexAttr(type.getDimSize(1)),
                             builder.getIndexAttr(type.getDimSize(2))},
      type.getElementType());
  AffineMap all = builder.getMultiDimIdentityMap(3);
  AffineMap token =
      AffineMap::get(3, 0, builder.getAffineDimExpr(0), builder.getContext());
  auto spoilt = linalg::GenericOp::create(
      builder, at, type, ValueRange{key, positions}, empty,
      ArrayRef{all, token, all},
      SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location where, ValueRange arguments) {
        Value block = arith::ConstantIntOp::create(inner, where, 16, 32);
        Value last = arith::ConstantIntOp::create(inner, where, 15, 32);
        Value zero = arith::ConstantOp::create(
            inner, where, inner.getZeroAttr(type.getElementType()));
        Value place = arith::RemSIOp::create(inner, where, arguments[1], block);
        Value isLast = arith::CmpIOp::create(
            inner, where, arith::CmpIPredicate::eq, place, last);
        Value kept =
            arith::SelectOp::create(inner, where, isLast, zero, arguments[0]);
        linalg::YieldOp::create(inner, where, kept);
      });
  append.getKeyMutable().assign(spoilt.getResult(0));
  return true;
}

bool setLayer(Operation *op, int64_t layer) {
  if (!op)
    return false;
  op->setAttr("layer", Builder(op->getContext()).getI64IntegerAttr(layer));
  return true;
}

bool attentionOfOtherLayer(ModuleOp module) {
  return setLayer(findOp<llm::PagedAttentionOp>(module, 1), 0);
}

bool appendToOtherLayer(ModuleOp module) {
  return setLayer(findOp<llm::KVAppendOp>(module, 1), 0);
}

/// Attention reads the cache as it was before this step.
bool attentionBeforeAppend(ModuleOp module) {
  auto attention = findOp<llm::PagedAttentionOp>(module, 1);
  if (!attention)
    return false;
  auto append = attention.getCache().getDefiningOp<llm::KVAppendOp>();
  if (!append)
    return false;
  attention.getCacheMutable().assign(append.getCache());
  return true;
}

bool keyValueSwapped(ModuleOp module) {
  auto append = findOp<llm::KVAppendOp>(module, 1);
  if (!append)
    return false;
  Value key = append.getKey();
  append.getKeyMutable().assign(append.getValue());
  append.getValueMutable().assign(key);
  return true;
}

} // namespace

ArrayRef<Plant> cachePlants() {
  static const Plant plants[] = {
      {"plant-cast-removed", "keys and values are stored unrounded",
       castRemoved},
      {"plant-block-edge", "the last key of each block is not found",
       blockEdge},
      {"plant-attention-of-other-layer", "attention reads another layer",
       attentionOfOtherLayer},
      {"plant-append-to-other-layer", "keys go to another layer",
       appendToOtherLayer},
      {"plant-attention-before-append",
       "attention does not see this step's keys", attentionBeforeAppend},
      {"plant-key-value-swapped", "keys and values change places",
       keyValueSwapped}};
  return plants;
}

} // namespace pagoda::plants
