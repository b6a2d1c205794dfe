// Structured ops: the body is run for every point of the iteration space.

#include "StepExecutor.h"

#include "ScalarFunctions.h"

using namespace mlir;

namespace pagoda::reference {

namespace {

/// Runs the ops of a body on numbers.
class ScalarBody {
public:
  explicit ScalarBody(Block &body) : body(body) {
    for (Operation &op : body.without_terminator())
      functions[&op] = scalarFunction(&op);
  }

  /// The first op of the body that has no meaning; null if all have.
  Operation *findUnknown() {
    for (Operation &op : body.without_terminator())
      if (!functions[&op] && !isa<linalg::IndexOp, arith::ConstantOp>(op))
        return &op;
    return nullptr;
  }

  void run(ArrayRef<double> arguments, ArrayRef<int64_t> point,
           SmallVectorImpl<double> &results) {
    for (auto [argument, number] : llvm::zip(body.getArguments(), arguments))
      numbers[argument] = number;
    for (Operation &op : body.without_terminator())
      numbers[op.getResult(0)] = compute(op, point);
    results.clear();
    for (Value yielded : body.getTerminator()->getOperands())
      results.push_back(lookup(yielded));
  }

  /// Values from outside the body, which are the same at every point.
  llvm::DenseMap<Value, double> captured;

private:
  double lookup(Value value) {
    auto found = numbers.find(value);
    return found == numbers.end() ? captured.lookup(value) : found->second;
  }

  double compute(Operation &op, ArrayRef<int64_t> point) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return static_cast<double>(point[index.getDim()]);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto floating = dyn_cast<FloatAttr>(constant.getValue()))
        return floating.getValueAsDouble();
      return static_cast<double>(
          cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue());
    }
    SmallVector<double, 4> operands;
    for (Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    return functions[&op](operands);
  }

  Block &body;
  llvm::DenseMap<Operation *, ScalarFunction> functions;
  llvm::DenseMap<Value, double> numbers;
};

} // namespace

Status StepExecutor::executeLinalg(linalg::LinalgOp op) {
  Block &block = *op.getBlock();
  ScalarBody body(block);
  if (Operation *unknown = body.findUnknown())
    return unsupported("the reference has no meaning for ", describe(unknown),
                       " in its body");
  for (Operation &inner : block)
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != &block) {
        PAGODA_ASSIGN_OR_RETURN(TensorRef number, tensor(operand));
        body.captured[operand] = number->numbers[0];
      }

  SmallVector<Value> operands = op.getDpsInputs();
  llvm::append_range(operands, op.getDpsInits());
  PAGODA_ASSIGN_OR_RETURN(std::vector<TensorRef> inputs, tensors(operands));
  std::vector<Tensor> content;
  for (const TensorRef &input : inputs)
    content.push_back(input->type.isQuantised()
                          ? Tensor::ofNumbers(input->shape, input->values())
                          : *input);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();

  // The extents of the loops, from those operands that a loop alone indexes.
  std::vector<int64_t> extents(op.getNumLoops(), -1);
  RowKind rows = RowKind::Other;
  for (size_t i = 0; i < content.size(); ++i)
    for (unsigned axis = 0; axis < maps[i].getNumResults(); ++axis)
      if (auto loop = dyn_cast<AffineDimExpr>(maps[i].getResult(axis))) {
        int64_t &extent = extents[loop.getPosition()];
        if (extent >= 0 && extent != content[i].shape[axis])
          return invalidArgument("operands disagree about loop ",
                                 loop.getPosition(), ": ", extent, " and ",
                                 content[i].shape[axis]);
        extent = content[i].shape[axis];
        if (axis == 0 && loop.getPosition() == 0 && rows == RowKind::Other)
          rows = rowsOf(operands[i]);
      }
  if (llvm::is_contained(extents, -1))
    return unsupported("no operand says how far a loop runs");

  size_t firstInit = op.getNumDpsInputs();
  std::vector<int64_t> point(extents.size());
  std::vector<double> arguments(content.size());
  std::vector<int64_t> places(content.size());
  SmallVector<double> yielded;
  int64_t points = elementCount(extents);
  for (int64_t count = 0; count < points; ++count) {
    for (size_t i = 0; i < content.size(); ++i) {
      places[i] = 0;
      for (auto [axis, index] : llvm::enumerate(maps[i].compose(point))) {
        if (index < 0 || index >= content[i].shape[axis])
          return invalidArgument("index ", index, " is not below ",
                                 content[i].shape[axis]);
        places[i] = places[i] * content[i].shape[axis] + index;
      }
      arguments[i] = content[i].numbers[places[i]];
    }
    body.run(arguments, point, yielded);
    for (size_t i = 0; i < yielded.size(); ++i)
      content[firstInit + i].numbers[places[firstInit + i]] = yielded[i];
    for (size_t axis = point.size();
         axis-- > 0 && ++point[axis] == extents[axis];)
      point[axis] = 0;
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    AffineMap map = maps[firstInit + i];
    auto leading = map.getNumResults()
                       ? dyn_cast<AffineDimExpr>(map.getResult(0))
                       : AffineExpr();
    bool keepsRows = leading && cast<AffineDimExpr>(leading).getPosition() == 0;
    set(result, std::move(content[firstInit + i]),
        keepsRows ? rows : RowKind::Other);
  }
  return {};
}

} // namespace pagoda::reference
