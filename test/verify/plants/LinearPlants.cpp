#include "Plants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pagoda::plants {

namespace {

/// Linears over one value, where there are as many as asked.
SmallVector<llm::LinearOp> findReaders(ModuleOp module, size_t count) {
  SmallVector<llm::LinearOp> readers;
  module.walk([&](llm::LinearOp linear) {
    readers.clear();
    for (Operation *user : linear.getInput().getUsers())
      if (auto reader = dyn_cast<llm::LinearOp>(user))
        readers.push_back(reader);
    return readers.size() == count ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  if (readers.size() != count)
    readers.clear();
  llvm::sort(readers, [](llm::LinearOp a, llm::LinearOp b) {
    return a->isBeforeInBlock(b);
  });
  return readers;
}

bool biasDropped(ModuleOp module) {
  SmallVector<llm::LinearOp> readers = findReaders(module, 3);
  if (readers.empty() || !readers[1].getBias())
    return false;
  readers[1].getBiasMutable().clear();
  return true;
}

/// Doubles a norm's weight, halves one of the two matrices that read the norm
/// and forgets the other.
bool scaleInOneReader(ModuleOp module) {
  SmallVector<llm::LinearOp> readers = findReaders(module, 2);
  if (readers.empty())
    return false;
  auto norm = readers[0].getInput().getDefiningOp<llm::RMSNormOp>();
  if (!norm)
    return false;
  auto scale = [](OpOperand &weight, float factor) {
    OpBuilder builder(weight.getOwner());
    Location at = weight.getOwner()->getLoc();
    auto type = cast<RankedTensorType>(weight.get().getType());
    weight.set(
        arith::MulFOp::create(builder, at, weight.get(),
                              splat(builder, at, type.getShape(), factor)));
  };
  scale(norm.getWeightMutable(), 2.0f);
  scale(readers[0].getWeightMutable(), 0.5f);
  return true;
}

bool gateUpSwapped(ModuleOp module) {
  auto gated = findOp<llm::GatedOp>(module, 1);
  if (!gated)
    return false;
  Value gate = gated.getGate();
  gated.getGateMutable().assign(gated.getUp());
  gated.getUpMutable().assign(gate);
  return true;
}

bool wrongActivation(ModuleOp module) {
  auto gated = findOp<llm::GatedOp>(module, 1);
  if (!gated)
    return false;
  gated.setActivation(llm::Activation::GeluTanh);
  return true;
}

/// Two results of one type that a group hands out change places.
bool resultsSwapped(ModuleOp module) {
  bool done = false;
  module.walk([&](llm::FusedOp group) {
    Operation *yield = group.getYield();
    for (unsigned i = 1; i < yield->getNumOperands() && !done; ++i)
      if (yield->getOperand(i).getType() ==
          yield->getOperand(i - 1).getType()) {
        Value value = yield->getOperand(i);
        yield->setOperand(i, yield->getOperand(i - 1));
        yield->setOperand(i - 1, value);
        done = true;
      }
  });
  return done;
}

/// Each wanted row is taken from the token before.
bool rowsOffByOne(ModuleOp module) {
  auto gather = findOp<llm::GatherRowsOp>(module);
  if (!gather)
    return false;
  OpBuilder builder(gather);
  Location at = gather.getLoc();
  Value rows = gather.getRows();
  Value count = tensor::DimOp::create(builder, at, rows, 0);
  Value empty = tensor::EmptyOp::create(
      builder, at, ArrayRef<OpFoldResult>{count}, builder.getI32Type());
  AffineMap map = builder.getMultiDimIdentityMap(1);
  auto moved = linalg::GenericOp::create(
      builder, at, empty.getType(), rows, empty, ArrayRef{map, map},
      ArrayRef{utils::IteratorType::parallel},
      [](OpBuilder &inner, Location where, ValueRange arguments) {
        Value one = arith::ConstantIntOp::create(inner, where, 1, 32);
        Value zero = arith::ConstantIntOp::create(inner, where, 0, 32);
        Value before = arith::SubIOp::create(inner, where, arguments[0], one);
        Value kept = arith::MaxSIOp::create(inner, where, before, zero);
        linalg::YieldOp::create(inner, where, kept);
      });
  gather.getRowsMutable().assign(moved.getResult(0));
  return true;
}

/// A rounding where none was.
bool extraRounding(ModuleOp module) {
  auto gated = findOp<llm::GatedOp>(module, 1);
  if (!gated)
    return false;
  OpBuilder builder(gated->getContext());
  builder.setInsertionPointAfter(gated);
  auto type = gated.getType();
  Value narrow = llm::CastOp::create(
      builder, gated.getLoc(),
      cast<RankedTensorType>(type).clone(builder.getBF16Type()),
      gated.getResult());
  Value wide = llm::CastOp::create(builder, gated.getLoc(), type, narrow);
  gated.getResult().replaceAllUsesExcept(wide, narrow.getDefiningOp());
  return true;
}

/// An op that the reference does not know; it would change nothing.
bool unknownOp(ModuleOp module) {
  auto gated = findOp<llm::GatedOp>(module, 1);
  if (!gated)
    return false;
  OpBuilder builder(gated->getContext());
  builder.setInsertionPointAfter(gated);
  Value angle =
      math::AtanOp::create(builder, gated.getLoc(), gated.getResult());
  Value back = math::TanOp::create(builder, gated.getLoc(), angle);
  gated.getResult().replaceAllUsesExcept(back, angle.getDefiningOp());
  return true;
}

} // namespace

ArrayRef<Plant> linearPlants() {
  static const Plant plants[] = {
      {"plant-bias-dropped", "the second of three readers has no bias",
       biasDropped},
      {"plant-scale-in-one-reader",
       "a scale is folded into one of the two readers of a norm",
       scaleInOneReader},
      {"plant-gate-up-swapped", "gate and up change places", gateUpSwapped},
      {"plant-wrong-activation", "gelu in the place of silu", wrongActivation},
      {"plant-results-swapped", "two results of a group change places",
       resultsSwapped},
      {"plant-rows-off-by-one", "logits are those of the token before",
       rowsOffByOne},
      {"plant-extra-rounding", "a value is rounded to bf16 on the way",
       extraRounding},
      {"plant-unknown-op", "an op that has no meaning in the reference",
       unknownOp}};
  return plants;
}

} // namespace pagoda::plants
