// Arithmetic over whole tensors, and the tensor dialect.

#include "StepExecutor.h"

#include "ScalarFunctions.h"
#include "pagoda/Reference/Ops/WeightOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace pagoda::reference {

namespace {

/// The storage that a scalar or tensor type names; indexes count as i64.
StatusOr<ElementType> elementTypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<IndexType>(element))
    return ElementType(DType::I64);
  if (auto known = llm::getElementType(element))
    return *known;
  return unsupported("the reference has no numbers of ", printType(element));
}

double numberOf(Attribute attribute) {
  if (auto floating = dyn_cast<FloatAttr>(attribute))
    return floating.getValueAsDouble();
  return static_cast<double>(
      cast<IntegerAttr>(attribute).getValue().getSExtValue());
}

/// Calls `visit(index)` for all indexes of a shape, in row-major order.
template <typename Visit>
void forEachIndex(const Shape &shape, Visit visit) {
  if (elementCount(shape) == 0)
    return;
  Shape index(shape.size());
  for (;;) {
    visit(index);
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

int64_t flatten(const Shape &shape, ArrayRef<int64_t> index) {
  int64_t place = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    place = place * shape[axis] + index[axis];
  return place;
}

/// A result's extents: what its type knows, and for each group of axes that
/// come from one axis, the one that is left over.
StatusOr<Shape> expandedShape(tensor::ExpandShapeOp op, const Shape &source) {
  auto type = op.getResultType();
  Shape shape(type.getShape().begin(), type.getShape().end());
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t known = 1, unknown = -1;
    for (int64_t member : group) {
      if (!type.isDynamicDim(member))
        known *= shape[member];
      else if (unknown < 0)
        unknown = member;
      else
        return unsupported("two extents of a result are unknown");
    }
    if (unknown >= 0)
      shape[unknown] = known ? source[axis] / known : 0;
  }
  return shape;
}

Shape collapsedShape(tensor::CollapseShapeOp op, const Shape &source) {
  Shape shape;
  for (const auto &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t member : group)
      shape.back() *= source[member];
  }
  return shape;
}

} // namespace

StatusOr<std::vector<int64_t>>
StepExecutor::indexes(ArrayRef<OpFoldResult> folded) {
  std::vector<int64_t> list;
  for (OpFoldResult one : folded) {
    if (auto attribute = dyn_cast<Attribute>(one)) {
      list.push_back(cast<IntegerAttr>(attribute).getInt());
      continue;
    }
    PAGODA_ASSIGN_OR_RETURN(TensorRef number, tensor(cast<Value>(one)));
    list.push_back(static_cast<int64_t>(number->numbers[0]));
  }
  return list;
}

/// Of scalars; those of tensors are weights.
Status StepExecutor::executeConstant(arith::ConstantOp op) {
  PAGODA_ASSIGN_OR_RETURN(ElementType type, elementTypeOf(op.getType()));
  if (!isa<FloatAttr, IntegerAttr>(op.getValue()))
    return unsupported("this constant is no number");
  set(op, Tensor::ofNumbers({}, {numberOf(op.getValue())}, type.dtype()),
      RowKind::Other);
  return {};
}

Status StepExecutor::executeElementwise(Operation *op) {
  ScalarFunction function = scalarFunction(op);
  if (!function)
    return unsupported("the reference has no meaning for this op");
  PAGODA_ASSIGN_OR_RETURN(std::vector<TensorRef> inputs,
                          tensors(op->getOperands()));
  PAGODA_ASSIGN_OR_RETURN(ElementType type,
                          elementTypeOf(op->getResult(0).getType()));
  // The condition of a select may be one number for all elements.
  const Shape &shape = inputs.back()->shape;
  RowKind rows = RowKind::Other;
  for (auto [operand, input] : llvm::zip(op->getOperands(), inputs)) {
    if (input->shape != shape && !input->shape.empty())
      return invalidArgument("operands of [", join(input->shape), "] and [",
                             join(shape), "] meet");
    if (rows == RowKind::Other)
      rows = rowsOf(operand);
  }
  Tensor result = Tensor::zeros(type, shape);
  std::vector<double> numbers(inputs.size());
  for (int64_t i = 0; i < result.elements(); ++i) {
    for (size_t j = 0; j < inputs.size(); ++j)
      numbers[j] = inputs[j]->value(inputs[j]->shape.empty() ? 0 : i);
    result.numbers[i] = function(numbers);
  }
  set(op->getResult(0), std::move(result), rows);
  return {};
}

Status StepExecutor::executeTensor(Operation *op) {
  auto keepsRows = [&](Value source, const Tensor &result) {
    const auto &shape = result.shape;
    auto type = dyn_cast<RankedTensorType>(source.getType());
    bool keeps =
        type && type.getRank() > 0 && type.isDynamicDim(0) && !shape.empty() &&
        shape[0] == (rowsOf(source) == RowKind::Tokens ? batch.tokens()
                                                       : batch.rowCount());
    return keeps ? rowsOf(source) : RowKind::Other;
  };
  return llvm::TypeSwitch<Operation *, Status>(op)
      .Case(
          [&](arith::ConstantOp constant) { return executeConstant(constant); })
      .Case([&](tensor::DimOp dim) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef source, tensor(dim.getSource()));
        PAGODA_ASSIGN_OR_RETURN(TensorRef axis, tensor(dim.getIndex()));
        auto index = static_cast<size_t>(axis->numbers[0]);
        if (index >= source->shape.size())
          return invalidArgument("asks for axis ", index, " of [",
                                 join(source->shape), "]");
        set(dim,
            Tensor::ofNumbers({}, {double(source->shape[index])}, DType::I64),
            RowKind::Other);
        return {};
      })
      .Case([&](tensor::ExpandShapeOp expand) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef source, tensor(expand.getSrc()));
        PAGODA_ASSIGN_OR_RETURN(Shape shape,
                                expandedShape(expand, source->shape));
        if (elementCount(shape) != source->elements())
          return invalidArgument("expands [", join(source->shape), "] to [",
                                 join(shape), "]");
        Tensor result = reshape(*source, shape);
        RowKind rows = keepsRows(expand.getSrc(), result);
        set(expand, std::move(result), rows);
        return {};
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef source, tensor(collapse.getSrc()));
        Tensor result =
            reshape(*source, collapsedShape(collapse, source->shape));
        RowKind rows = keepsRows(collapse.getSrc(), result);
        set(collapse, std::move(result), rows);
        return {};
      })
      .Case([&](tensor::CastOp cast) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef source, tensor(cast.getSource()));
        set(cast, *source, rowsOf(cast.getSource()));
        return {};
      })
      .Case([&](tensor::EmptyOp empty) -> Status {
        PAGODA_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                                indexes(empty.getMixedSizes()));
        PAGODA_ASSIGN_OR_RETURN(ElementType type,
                                elementTypeOf(empty.getType()));
        Tensor result = Tensor::zeros(type, shape);
        // Nothing was stored, so nothing may be read.
        for (double &number : result.numbers)
          number = std::numeric_limits<double>::quiet_NaN();
        set(empty, std::move(result), RowKind::Other);
        return {};
      })
      .Case([&](tensor::SplatOp splat) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef number, tensor(splat.getInput()));
        SmallVector<OpFoldResult> sizes;
        auto dynamic = splat.getDynamicSizes().begin();
        for (int64_t extent : splat.getType().getShape())
          if (ShapedType::isDynamic(extent))
            sizes.push_back(*dynamic++);
          else
            sizes.push_back(Builder(op->getContext()).getIndexAttr(extent));
        PAGODA_ASSIGN_OR_RETURN(std::vector<int64_t> shape, indexes(sizes));
        Tensor result = Tensor::zeros(number->type, shape);
        for (double &element : result.numbers)
          element = number->numbers[0];
        set(splat, std::move(result), RowKind::Other);
        return {};
      })
      .Case([&](tensor::FromElementsOp from) -> Status {
        PAGODA_ASSIGN_OR_RETURN(std::vector<TensorRef> elements,
                                tensors(from.getElements()));
        auto type = from.getType();
        Tensor result = Tensor::zeros(
            DType::F64, {type.getShape().begin(), type.getShape().end()});
        for (auto [number, element] : llvm::zip(result.numbers, elements)) {
          result.type = element->type;
          number = element->numbers[0];
        }
        set(from, std::move(result), RowKind::Other);
        return {};
      })
      .Case([&](tensor::ExtractOp extract) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef source, tensor(extract.getTensor()));
        PAGODA_ASSIGN_OR_RETURN(
            std::vector<int64_t> index,
            indexes(getAsOpFoldResult(extract.getIndices())));
        for (auto [one, extent] : llvm::zip(index, source->shape))
          if (one < 0 || one >= extent)
            return invalidArgument("index ", one, " is not below ", extent);
        set(extract,
            Tensor::ofNumbers({},
                              {source->value(flatten(source->shape, index))},
                              source->type.dtype()),
            RowKind::Other);
        return {};
      })
      .Case([&](tensor::ExtractSliceOp slice) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef source, tensor(slice.getSource()));
        PAGODA_ASSIGN_OR_RETURN(auto offsets, indexes(slice.getMixedOffsets()));
        PAGODA_ASSIGN_OR_RETURN(auto sizes, indexes(slice.getMixedSizes()));
        PAGODA_ASSIGN_OR_RETURN(auto strides, indexes(slice.getMixedStrides()));
        Tensor result = Tensor::zeros(source->type.dtype(), sizes);
        size_t next = 0;
        Shape place(sizes.size());
        bool inside = true;
        forEachIndex(sizes, [&](const Shape &index) {
          for (size_t axis = 0; axis < index.size(); ++axis) {
            place[axis] = offsets[axis] + index[axis] * strides[axis];
            inside &= place[axis] >= 0 && place[axis] < source->shape[axis];
          }
          if (inside)
            result.numbers[next++] =
                source->value(flatten(source->shape, place));
        });
        if (!inside)
          return invalidArgument("takes [", join(sizes), "] at [",
                                 join(offsets), "] out of [",
                                 join(source->shape), "]");
        // Extents of 1 may be dropped.
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        Shape shape;
        for (size_t axis = 0; axis < sizes.size(); ++axis)
          if (!dropped[axis])
            shape.push_back(sizes[axis]);
        result.shape = std::move(shape);
        RowKind rows = offsets.empty() || offsets[0] != 0
                           ? RowKind::Other
                           : keepsRows(slice.getSource(), result);
        set(slice, std::move(result), rows);
        return {};
      })
      .Case([&](tensor::ConcatOp joined) -> Status {
        PAGODA_ASSIGN_OR_RETURN(std::vector<TensorRef> inputs,
                                tensors(joined.getInputs()));
        std::vector<Tensor> parts;
        for (const TensorRef &input : inputs)
          parts.push_back(*input);
        Tensor result = concat(parts, joined.getDim());
        RowKind rows = joined.getDim() == 0
                           ? RowKind::Other
                           : keepsRows(joined.getInputs()[0], result);
        set(joined, std::move(result), rows);
        return {};
      })
      .Default([&](Operation *other) -> Status {
        if (other->getNumResults() == 1 && other->getNumRegions() == 0)
          return executeElementwise(other);
        return unsupported("the reference has no meaning for this op");
      });
}

} // namespace pagoda::reference
