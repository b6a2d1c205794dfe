#include "Plants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace pagoda::plants {

namespace {

bool isOfRows(llm::RMSNormOp norm) { return norm.getType().getRank() == 2; }

/// x / (sqrt(mean(x^2)) + epsilon) * weight, spelt with linears: sums and
/// copies along an axis are products with ones.
bool epsilonOutside(ModuleOp module) {
  auto norm = findOp<llm::RMSNormOp>(module, 2, isOfRows);
  if (!norm)
    return false;
  OpBuilder builder(norm);
  Location at = norm.getLoc();
  Value x = norm.getInput();
  int64_t size = norm.getType().getDimSize(1);
  auto epsilon = static_cast<float>(norm.getEpsilon().convertToDouble());
  Value squares = arith::MulFOp::create(builder, at, x, x);
  Value mean = linear(
      builder, at, squares,
      splat(builder, at, {1, size}, 1.0f / static_cast<float>(size)), Value());
  Value root = math::SqrtOp::create(builder, at, mean);
  Value sum = linear(builder, at, root, splat(builder, at, {1, 1}, 1.0f),
                     splat(builder, at, {1}, epsilon));
  Value divisor =
      linear(builder, at, sum, splat(builder, at, {size, 1}, 1.0f), Value());
  Value weight = linear(builder, at, mean, splat(builder, at, {size, 1}, 0.0f),
                        norm.getWeight());
  Value quotient = arith::DivFOp::create(builder, at, x, divisor);
  norm.replaceAllUsesWith(
      arith::MulFOp::create(builder, at, quotient, weight).getResult());
  norm.erase();
  return true;
}

bool epsilonTenfold(ModuleOp module) {
  auto norm = findOp<llm::RMSNormOp>(module, 1, isOfRows);
  if (!norm)
    return false;
  norm.setEpsilonAttr(
      Builder(module.getContext())
          .getF64FloatAttr(norm.getEpsilon().convertToDouble() * 10));
  return true;
}

bool normWeightsSwapped(ModuleOp module) {
  auto first = findOp<llm::RMSNormOp>(module, 0, isOfRows);
  auto second = findOp<llm::RMSNormOp>(module, 1, isOfRows);
  if (!second || first->getBlock() != second->getBlock())
    return false;
  // The second one's weight may be defined behind the first norm.
  if (Operation *def = second.getWeight().getDefiningOp())
    def->moveBefore(first);
  Value weight = first.getWeight();
  first.getWeightMutable().assign(second.getWeight());
  second.getWeightMutable().assign(weight);
  return true;
}

bool residualFromBefore(ModuleOp module) {
  auto first = findOp<arith::AddFOp>(module, 0);
  auto second = findOp<arith::AddFOp>(module, 1);
  if (!second || first->getBlock() != second->getBlock())
    return false;
  second->setOperand(0, first->getOperand(0));
  return true;
}

} // namespace

ArrayRef<Plant> normPlants() {
  static const Plant plants[] = {
      {"plant-epsilon-outside-root", "epsilon is added to the root",
       epsilonOutside},
      {"plant-epsilon-tenfold", "a norm has ten times its epsilon",
       epsilonTenfold},
      {"plant-norm-weights-swapped", "two norms have each other's weights",
       normWeightsSwapped},
      {"plant-residual-from-before",
       "the second sum of a layer takes what the first one started from",
       residualFromBefore}};
  return plants;
}

} // namespace pagoda::plants
