#include "Plants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pagoda::plants {

namespace {

/// Calls `spoil` on the attention of a layer, of either kind.
template <typename Spoil>
bool onAttention(ModuleOp module, unsigned layer, Spoil spoil) {
  if (auto op = findOp<llm::AttentionOp>(module, layer))
    return spoil(op);
  if (auto op = findOp<llm::PagedAttentionOp>(module, layer))
    return spoil(op);
  return false;
}

bool scaleOff(ModuleOp module) {
  return onAttention(module, 1, [](auto op) {
    op.setScaleAttr(
        Builder(op.getContext())
            .getF64FloatAttr(op.getScale().convertToDouble() * (1 + 1e-6)));
    return true;
  });
}

bool windowOffByOne(ModuleOp module) {
  return onAttention(module, 0, [](auto op) {
    if (!op.getWindow())
      return false;
    op.setWindowAttr(
        Builder(op.getContext()).getI64IntegerAttr(*op.getWindow() + 1));
    return true;
  });
}

/// Splits the heads of [T, H, D] into [T, A, B, D], exchanges A and B, and
/// joins them again.
Value exchangeHeads(OpBuilder &builder, Location at, Value heads, int64_t a) {
  auto type = cast<RankedTensorType>(heads.getType());
  int64_t b = type.getDimSize(1) / a, elements = type.getDimSize(2);
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}, {3}};
  auto split = [&](int64_t first, int64_t second) {
    return RankedTensorType::get(
        {ShapedType::kDynamic, first, second, elements}, type.getElementType());
  };
  Value tokens = tensor::DimOp::create(builder, at, heads, 0);
  SmallVector<OpFoldResult> sizes = {tokens, builder.getIndexAttr(a),
                                     builder.getIndexAttr(b),
                                     builder.getIndexAttr(elements)};
  Value expanded = tensor::ExpandShapeOp::create(builder, at, split(a, b),
                                                 heads, groups, sizes);
  std::swap(sizes[1], sizes[2]);
  Value empty =
      tensor::EmptyOp::create(builder, at, sizes, type.getElementType());
  Value exchanged = linalg::TransposeOp::create(builder, at, expanded, empty,
                                                ArrayRef<int64_t>{0, 2, 1, 3})
                        ->getResult(0);
  return tensor::CollapseShapeOp::create(builder, at, type, exchanged, groups);
}

/// Query head h reads key head h modulo G instead of h / (H / G): the query's
/// heads are dealt out and gathered again.
bool headsByModulo(ModuleOp module) {
  return onAttention(module, 1, [](auto op) {
    int64_t heads =
        cast<RankedTensorType>(op.getQuery().getType()).getDimSize(1);
    int64_t kvHeads = 0;
    if constexpr (std::is_same_v<decltype(op), llm::AttentionOp>)
      kvHeads = cast<RankedTensorType>(op.getKey().getType()).getDimSize(1);
    else
      kvHeads = op.getKvHeads();
    if (kvHeads == 1 || kvHeads == heads)
      return false;
    OpBuilder builder(op);
    op.getQueryMutable().assign(
        exchangeHeads(builder, op.getLoc(), op.getQuery(), heads / kvHeads));
    builder.setInsertionPointAfter(op);
    Value back = exchangeHeads(builder, op.getLoc(), op.getOutput(), kvHeads);
    Operation *first = back.getDefiningOp();
    // All uses but those on the way back.
    op.getOutput().replaceUsesWithIf(back, [&](OpOperand &use) {
      return use.getOwner()->getLoc() != op.getLoc() ||
             !isa<tensor::ExpandShapeOp, tensor::DimOp>(use.getOwner());
    });
    (void)first;
    return true;
  });
}

bool ropePairsSwapped(ModuleOp module) {
  auto rope = findOp<llm::RopeOp>(module, 2);
  if (!rope)
    return false;
  rope.setStyle(rope.getStyle() == llm::RopeStyle::Half
                    ? llm::RopeStyle::Interleaved
                    : llm::RopeStyle::Half);
  return true;
}

bool keyRotatedTwice(ModuleOp module) {
  auto rope = findOp<llm::RopeOp>(module, 1);
  if (!rope)
    return false;
  OpBuilder builder(rope->getContext());
  builder.setInsertionPointAfter(rope);
  Operation *second = builder.clone(*rope);
  rope.getResult().replaceAllUsesExcept(second->getResult(0), second);
  second->setOperand(0, rope.getResult());
  return true;
}

/// Positions counted from the start of the step: right without a past, for one
/// sequence.
bool positionsWithoutPast(ModuleOp module) {
  auto positions = findOp<llm::PositionsOp>(module);
  if (!positions)
    return false;
  OpBuilder builder(positions->getContext());
  builder.setInsertionPointAfter(positions);
  Location at = positions.getLoc();
  Value tokens = tensor::DimOp::create(builder, at, positions, 0);
  Value empty = tensor::EmptyOp::create(
      builder, at, ArrayRef<OpFoldResult>{tokens}, builder.getI32Type());
  AffineMap map = builder.getMultiDimIdentityMap(1);
  auto counted = linalg::GenericOp::create(
      builder, at, empty.getType(), ValueRange{}, empty, ArrayRef{map},
      ArrayRef{utils::IteratorType::parallel},
      [](OpBuilder &inner, Location where, ValueRange) {
        Value index = linalg::IndexOp::create(inner, where, 0);
        Value number =
            arith::IndexCastOp::create(inner, where, inner.getI32Type(), index);
        linalg::YieldOp::create(inner, where, number);
      });
  positions.getResult().replaceUsesWithIf(
      counted.getResult(0), [](OpOperand &use) {
        return isa<llm::RopeOp, llm::FusedOp>(use.getOwner());
      });
  return true;
}

} // namespace

ArrayRef<Plant> attentionPlants() {
  static const Plant plants[] = {
      {"plant-scale-off", "scores are off by one part in a million", scaleOff},
      {"plant-window-off-by-one", "attention sees one key more",
       windowOffByOne},
      {"plant-kv-heads-by-modulo", "query head h reads key head h mod G",
       headsByModulo},
      {"plant-rope-pairs-swapped", "a rotation pairs other elements",
       ropePairsSwapped},
      {"plant-key-rotated-twice", "a key is rotated twice", keyRotatedTwice},
      {"plant-past-ignored", "positions are counted from the step's start",
       positionsWithoutPast}};
  return plants;
}

} // namespace pagoda::plants
