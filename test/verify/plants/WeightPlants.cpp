#include "Plants.h"

using namespace mlir;

namespace pagoda::plants {

namespace {

/// The columns of a matrix that is packed move round by one group of 32.
bool packedGroupShifted(ModuleOp module) {
  auto pack = findOp<llm::WeightPackOp>(module, 3);
  if (!pack)
    return false;
  OpBuilder builder(pack);
  Location at = pack.getLoc();
  Value matrix = pack.getInput();
  auto type = cast<RankedTensorType>(matrix.getType());
  int64_t group = 32, columns = type.getDimSize(1);
  auto piece = [&](int64_t offset, int64_t size) -> Value {
    return llm::WeightSliceOp::create(
        builder, at, type.clone({type.getDimSize(0), size}), matrix, 1, offset);
  };
  Value rest = piece(group, columns - group), first = piece(0, group);
  pack.getInputMutable().assign(llm::WeightConcatOp::create(
      builder, at, type, ValueRange{rest, first}, 1));
  return true;
}

/// A square matrix is read by columns.
bool transposedWeight(ModuleOp module) {
  auto linear = findOp<llm::LinearOp>(module, 0, [](llm::LinearOp op) {
    auto type = cast<RankedTensorType>(op.getWeight().getType());
    return type.getDimSize(0) == type.getDimSize(1) &&
           type.getElementType().isF32();
  });
  if (!linear)
    return false;
  OpBuilder builder(linear);
  linear.getWeightMutable().assign(llm::WeightTransposeOp::create(
      builder, linear.getLoc(), linear.getWeight().getType(),
      linear.getWeight(), ArrayRef<int64_t>{1, 0}));
  return true;
}

/// Two rows of a matrix change places, as if a slice were off by one.
bool sliceOffByOne(ModuleOp module) {
  auto weight =
      findOp<llm::NamedWeightOp>(module, 4, [](llm::NamedWeightOp op) {
        return cast<RankedTensorType>(op.getType()).getRank() == 2;
      });
  if (!weight)
    return false;
  OpBuilder builder(weight->getContext());
  builder.setInsertionPointAfter(weight);
  Location at = weight.getLoc();
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  auto piece = [&](int64_t offset, int64_t size) -> Value {
    return llm::WeightSliceOp::create(builder, at, type.clone({size, columns}),
                                      weight.getResult(), 0, offset);
  };
  SmallVector<Value> pieces = {piece(1, rows - 1), piece(0, 1)};
  Value moved = llm::WeightConcatOp::create(builder, at, type, pieces, 0);
  weight.getResult().replaceUsesWithIf(moved, [&](OpOperand &use) {
    return !isa<llm::WeightSliceOp>(use.getOwner());
  });
  return true;
}

bool otherTensor(ModuleOp module) {
  auto first = findOp<llm::NamedWeightOp>(module, 2);
  auto other =
      findOp<llm::NamedWeightOp>(module, 0, [&](llm::NamedWeightOp op) {
        return first && op != first && op.getType() == first.getType() &&
               op.getName() != first.getName();
      });
  if (!other)
    return false;
  first.setNameAttr(other.getNameAttr());
  return true;
}

/// One part in a million, in one frequency.
bool frequencyOff(ModuleOp module) {
  auto table = findOp<llm::WeightRopeTableOp>(module);
  if (!table)
    return false;
  SmallVector<float> frequencies(table.getFrequencies());
  frequencies[1] *= 1.000001f;
  table.setFrequencies(frequencies);
  return true;
}

} // namespace

ArrayRef<Plant> weightPlants() {
  static const Plant plants[] = {
      {"plant-packed-group-shifted", "the groups of a packed matrix move round",
       packedGroupShifted},
      {"plant-transposed-weight", "a square matrix is transposed",
       transposedWeight},
      {"plant-slice-off-by-one", "the rows of a matrix move round by one",
       sliceOffByOne},
      {"plant-other-tensor", "a weight is another tensor of its shape",
       otherTensor},
      {"plant-frequency-off", "a rotation is off by one part in a million",
       frequencyOff}};
  return plants;
}

} // namespace pagoda::plants
