#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace pagoda::llm {

namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

std::optional<QuantFormat> quantFormat(Type type) {
  auto quant =
      dyn_cast<QuantType>(cast<RankedTensorType>(type).getElementType());
  return quant ? std::optional(quant.getFormat()) : std::nullopt;
}

/// A tensor of one f32 for each group of `type`'s last axis.
RankedTensorType groupTensorType(RankedTensorType type, unsigned group) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= group;
  return RankedTensorType::get(shape, Float32Type::get(type.getContext()));
}

/// Rows must hold whole blocks of their element type.
LogicalResult verifyWholeBlocks(Operation *op, RankedTensorType type) {
  auto element = getElementType(type.getElementType());
  if (!element)
    return op->emitOpError() << "has an element type that no weight has: "
                             << type.getElementType();
  if (element->isQuantised() &&
      (type.getRank() == 0 ||
       type.getShape().back() % element->blockElements() != 0))
    return op->emitOpError() << "needs a last extent that is a multiple of "
                             << element->blockElements() << " for "
                             << element->name() << ", found " << type;
  return success();
}

/// What `codes`, `scales` and `zeros` share: a quantised operand, and a result
/// of the type that its shape dictates.
LogicalResult verifyPartOf(Operation *op, Value input, Value result,
                           bool perGroup) {
  auto format = quantFormat(input.getType());
  if (!format)
    return op->emitOpError()
           << "takes a quantised tensor apart, found " << input.getType();
  RankedTensorType type = tensorType(input);
  if (failed(verifyWholeBlocks(op, type)))
    return failure();
  RankedTensorType expected =
      perGroup ? groupTensorType(type, format->group)
               : RankedTensorType::get(type.getShape(),
                                       IntegerType::get(op->getContext(), 16));
  if (result.getType() != expected)
    return op->emitOpError() << "expects the result to be " << expected
                             << ", found " << result.getType();
  return success();
}

/// Far beyond any tensor that there is: 2^46 elements.
constexpr int64_t kMostElements = int64_t(1) << 46;

LogicalResult verifySize(Operation *op, RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t extent : type.getShape())
    if (extent <= 0 || llvm::MulOverflow(elements, extent, elements) ||
        elements > kMostElements)
      return op->emitOpError("expects positive extents and at most 2^46 "
                             "elements, found ")
             << type;
  return success();
}

} // namespace

LogicalResult SourceOp::verify() {
  if (getPath().has_value() == getSeed().has_value())
    return emitOpError("needs either a file or a seed"); // C1
  if (getSeed() && !(getDeviation() && getDeviation()->convertToDouble() > 0 &&
                     std::isfinite(getDeviation()->convertToDouble())))
    return emitOpError("needs a positive, finite deviation"); // C2
  return success();
}

void NamedWeightOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

LogicalResult NamedWeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<SourceOp>(*this, getSourceAttr()))
    return emitOpError("names no 'llm.source': ") << getSourceAttr(); // C1
  return success();
}

LogicalResult NamedWeightOp::verify() {
  if (failed(verifySize(*this, tensorType(getResult()))))
    return failure();                                       // C3
  return verifyWholeBlocks(*this, tensorType(getResult())); // C2
}

LogicalResult WeightSliceOp::verify() {
  RankedTensorType in = tensorType(getInput()), out = tensorType(getResult());
  int64_t axis = getAxis(), offset = getOffset();
  if (axis < 0 || axis >= in.getRank()) // C1
    return emitOpError("has axis ") << axis << " outside " << in;
  SmallVector<int64_t> shape(in.getShape());
  if (out.getRank() != in.getRank() || offset < 0)
    return emitOpError("cannot make ") << out << " of " << in; // C2
  int64_t size = out.getDimSize(axis);
  if (size > shape[axis] || offset > shape[axis] - size)
    return emitOpError("takes ") << size << " elements from " << offset
                                 << " on of an axis of " << shape[axis]; // C2
  shape[axis] = size;
  if (RankedTensorType::get(shape, in.getElementType()) != out)
    return emitOpError("cannot make ") << out << " of " << in; // C2
  auto format = quantFormat(in);
  if (format && axis == in.getRank() - 1 &&
      (offset % format->blockElements() || size % format->blockElements()))
    return emitOpError("must cut ") << format->name() << " at multiples of "
                                    << format->blockElements(); // C3
  return success();
}

LogicalResult WeightConcatOp::verify() {
  RankedTensorType out = tensorType(getResult());
  int64_t axis = getAxis(), total = 0;
  if (getInputs().empty())
    return emitOpError("joins nothing"); // C1
  if (axis < 0 || axis >= out.getRank())
    return emitOpError("has axis ") << axis << " outside " << out; // C1
  for (Value input : getInputs()) {
    RankedTensorType in = tensorType(input);
    SmallVector<int64_t> shape(in.getShape());
    if (in.getRank() == out.getRank()) {
      if (llvm::AddOverflow(total, shape[axis], total))
        return emitOpError("joins more elements than there can be"); // C2
      shape[axis] = out.getDimSize(axis);
    }
    if (RankedTensorType::get(shape, in.getElementType()) != out)
      return emitOpError("cannot join ") << in << " into " << out; // C2
  }
  if (total != out.getDimSize(axis))
    return emitOpError("joins ") << total << " elements along axis " << axis
                                 << " into " << out.getDimSize(axis); // C2
  return success();
}

LogicalResult WeightTransposeOp::verify() {
  RankedTensorType in = tensorType(getInput()), out = tensorType(getResult());
  ArrayRef<int64_t> permutation = getPermutation();
  SmallVector<bool> seen(in.getRank(), false);
  for (int64_t axis : permutation) {
    if (axis < 0 || axis >= in.getRank() || seen[axis])
      return emitOpError("has no permutation of the axes of ") << in; // C1
    seen[axis] = true;
  }
  if (static_cast<int64_t>(permutation.size()) != in.getRank())
    return emitOpError("has no permutation of the axes of ") << in; // C1
  SmallVector<int64_t> shape;
  for (int64_t axis : permutation)
    shape.push_back(in.getDimSize(axis));
  if (RankedTensorType::get(shape, in.getElementType()) != out)
    return emitOpError("expects the result ")
           << RankedTensorType::get(shape, in.getElementType()) << ", found "
           << out; // C2
  if (quantFormat(in) && in.getRank() > 0 &&
      permutation.back() != in.getRank() - 1)
    return emitOpError("must keep the last axis of a quantised tensor"); // C3
  return success();
}

LogicalResult WeightReshapeOp::verify() {
  RankedTensorType in = tensorType(getInput()), out = tensorType(getResult());
  if (in.getElementType() != out.getElementType() ||
      in.getNumElements() != out.getNumElements())
    return emitOpError("cannot make ") << out << " of " << in; // C1
  if (quantFormat(in) &&
      (out.getRank() == 0 || in.getShape().back() != out.getShape().back()))
    return emitOpError("must keep the last extent of a quantised tensor"); // C2
  return success();
}

OpFoldResult WeightReshapeOp::fold(FoldAdaptor) {
  return getInput().getType() == getResult().getType() ? getInput() : Value();
}

LogicalResult WeightRopeTableOp::verify() {
  RankedTensorType out = tensorType(getResult());
  if (out.getRank() != 3 || !out.getElementType().isF32() ||
      out.getDimSize(1) != static_cast<int64_t>(getFrequencies().size()) ||
      out.getDimSize(2) != 2)
    return emitOpError("expects a result of [positions, ")
           << getFrequencies().size() << ", 2] f32, found " << out; // C1
  return verifySize(*this, out);                                    // C2
}

LogicalResult WeightCodesOp::verify() {
  return verifyPartOf(*this, getInput(), getResult(), /*perGroup=*/false);
}

LogicalResult WeightScalesOp::verify() {
  return verifyPartOf(*this, getInput(), getResult(), /*perGroup=*/true);
}

LogicalResult WeightZerosOp::verify() {
  return verifyPartOf(*this, getInput(), getResult(), /*perGroup=*/true);
}

LogicalResult WeightComposeOp::verify() {
  RankedTensorType out = tensorType(getResult());
  auto format = quantFormat(out);
  if (!format || format->hasSuperScale())
    return emitOpError("composes formats with a scale of f16 or f32, found ")
           << out; // C1
  if (failed(verifyWholeBlocks(*this, out)))
    return failure();
  RankedTensorType groups = groupTensorType(out, format->group);
  if (getCodes().getType() !=
          RankedTensorType::get(out.getShape(),
                                IntegerType::get(getContext(), 16)) ||
      getScales().getType() != groups ||
      static_cast<bool>(getZeros()) != format->hasMinimum() ||
      (getZeros() && getZeros().getType() != groups))
    return emitOpError("expects i16 codes of the result's shape, ")
           << groups << " scales and, for formats with a minimum, zeros"; // C2
  return success();
}

LogicalResult WeightPackOp::verify() {
  if (getResult().getType().getTensor() != getInput().getType())
    return emitOpError("packs ")
           << getInput().getType() << " into " << getResult().getType(); // C1
  return success();
}

OpFoldResult WeightUnpackOp::fold(FoldAdaptor) {
  auto pack = getInput().getDefiningOp<WeightPackOp>();
  return pack ? pack.getInput() : Value();
}

bool computesWeights(Operation *op) {
  return isa<WeightOpInterface, DequantizeOp, QuantizeOp>(op) ||
         (isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && isPure(op));
}

LogicalResult verifyWeightReads(Block &block) {
  llvm::DenseMap<Operation *, uint64_t> reads;
  for (Operation &op : block) {
    if (!computesWeights(&op))
      continue;
    uint64_t all = 1;
    for (Value operand : op.getOperands())
      if (Operation *def = operand.getDefiningOp())
        all += reads.lookup(def);
    if (all > kMostWeightReads)
      return op.emitOpError("is an expression of more than ")
             << kMostWeightReads
             << " ops, those that it shares counted each time; give shared "
                "parts a definition of their own, or compute them beforehand";
    reads[&op] = all;
  }
  return success();
}

LogicalResult DefineOp::verify() {
  if (getBody().front().getNumArguments() != 0)
    return emitOpError("takes arguments; a definition is computed from nothing "
                       "but sources"); // C3
  for (Operation &op : getBody().front().without_terminator())
    if (!computesWeights(&op))
      return emitOpError("holds '")
             << op.getName() << "', which does not compute a weight"; // C1
  if (failed(verifyWeightReads(getBody().front())))
    return failure(); // C4
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != getType())
    return emitOpError("must yield one value of type ") << getType(); // C2
  return success();
}

void DefinedOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

LogicalResult DefinedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto define = symbols.lookupNearestSymbolFrom<DefineOp>(*this, getNameAttr());
  if (!define)
    return emitOpError("names no 'llm.define': ") << getNameAttr(); // C1
  if (define.getType() != getResult().getType())
    return emitOpError("has type ")
           << getResult().getType() << ", but the definition has "
           << define.getType(); // C1
  return success();
}

} // namespace pagoda::llm
