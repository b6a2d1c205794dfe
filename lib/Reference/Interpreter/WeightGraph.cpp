#include "WeightGraph.h"

#include "ScalarFunctions.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Reference/Ops/QuantOps.h"
#include "pagoda/Reference/Ops/Rounding.h"
#include "pagoda/Reference/Ops/Storage.h"
#include "pagoda/Reference/Ops/WeightOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>

using namespace mlir;

namespace pagoda::reference {

namespace {

constexpr int64_t kTileRows = 32;

/// Entries of the leading axis of a tensor that is computed already.
Tensor take(const Tensor &tensor, int64_t first, int64_t count) {
  if (tensor.shape.empty() || (first == 0 && count == tensor.shape[0]))
    return tensor;
  return slice(tensor, 0, first, count);
}

Shape withLeading(Shape shape, int64_t count) {
  if (!shape.empty())
    shape[0] = count;
  return shape;
}

/// Whether the type can hold every number as it is.
bool isOfItsType(const Tensor &tensor, const ElementType &type) {
  return tensor.type == type &&
         llvm::all_of(tensor.numbers, [&](double number) {
           return number == roundTo(type.dtype(), number) || number != number;
         });
}

/// A constant's numbers; an error where they are no numbers.
StatusOr<Tensor> constantNumbers(arith::ConstantOp op, const Shape &shape,
                                 DType type) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  Tensor result = Tensor::zeros(type, shape);
  if (dense && isa<FloatType>(dense.getElementType())) {
    size_t next = 0;
    for (const APFloat &value : dense.getValues<APFloat>())
      result.numbers[next++] = value.convertToDouble();
    return result;
  }
  if (dense && dense.getElementType().isSignlessInteger()) {
    size_t next = 0;
    for (const APInt &value : dense.getValues<APInt>())
      result.numbers[next++] = static_cast<double>(value.getSExtValue());
    return result;
  }
  return unsupported("a constant among weights is no tensor of numbers");
}

} // namespace

WeightGraph::WeightGraph(ModuleOp module, std::shared_ptr<WeightFiles> files,
                         const InterpreterOptions &options)
    : module(module), symbols(module), files(std::move(files)),
      options(options), tensorRoom(options.weightCacheBytes),
      packedRoom(options.weightCacheBytes) {}

bool WeightGraph::canAdd(Operation *op, ArrayRef<const WeightNode *> operands) {
  if (isa<llm::WeightOpInterface>(op))
    return true;
  if (isa<arith::ConstantOp>(op))
    return isa<RankedTensorType>(op->getResult(0).getType());
  return !operands.empty() &&
         (isa<llm::QuantizeOp, llm::DequantizeOp>(op) ||
          (isa<arith::ArithDialect>(op->getDialect()) && scalarFunction(op)));
}

StatusOr<const WeightNode *>
WeightGraph::add(Operation *op, ArrayRef<const WeightNode *> operands) {
  const WeightNode *&node = known[{op, operands.vec()}];
  if (node)
    return node;
  WeightNode made;
  made.op = op;
  made.operands = operands.vec();
  Type type = op->getResult(0).getType();
  if (auto packedType = dyn_cast<llm::PackedType>(type)) {
    made.isPacked = true;
    type = packedType.getTensor();
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementType> element;
  if (tensor)
    element = llm::getElementType(tensor.getElementType());
  if (!element || !tensor.hasStaticShape())
    return unsupported(describe(op), " is no weight of static shape");
  made.type = *element;
  made.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  all.push_back(std::move(made));
  node = &all.back();
  return node;
}

StatusOr<const WeightNode *> WeightGraph::definition(StringRef symbol) {
  auto define = symbols.lookup<llm::DefineOp>(symbol);
  if (!define)
    return notFound("there is no definition '", symbol.str(), "'");
  llvm::DenseMap<Value, const WeightNode *> values;
  for (Operation &op : define.getBody().front().without_terminator()) {
    SmallVector<const WeightNode *> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    if (!canAdd(&op, operands))
      return unsupported(describe(&op), " has no meaning on weights");
    PAGODA_ASSIGN_OR_RETURN(values[op.getResult(0)], add(&op, operands));
  }
  return values.lookup(define.getBody().front().getTerminator()->getOperand(0));
}

template <typename T>
std::shared_ptr<const T> WeightGraph::findKept(Pieces<T> &pieces,
                                               const Piece &piece) {
  std::lock_guard<std::mutex> guard(mutex);
  auto found = pieces.find(piece);
  return found == pieces.end() ? nullptr : found->second;
}

/// First come, first kept: weights are read in the same order every step, so
/// making room for the newest would never find anything again.
template <typename T>
void WeightGraph::keep(Pieces<T> &pieces, const Piece &piece,
                       const std::shared_ptr<const T> &value, size_t bytes,
                       size_t &room) {
  std::lock_guard<std::mutex> guard(mutex);
  if (bytes <= room && pieces.emplace(piece, value).second)
    room -= bytes;
}

StatusOr<std::shared_ptr<const Tensor>>
WeightGraph::rows(const WeightNode &node, int64_t first, int64_t count) {
  Piece piece{&node, first, count};
  if (auto kept = findKept(tensors, piece))
    return kept;
  PAGODA_ASSIGN_OR_RETURN(Tensor computed,
                          compute(node, first, count, /*stored=*/false)
                              .withContext(describe(node.op)));
  // Decoded, because that is how they are used.
  auto value = std::make_shared<const Tensor>(
      computed.type.isQuantised() ? dequantize(computed) : std::move(computed));
  keep(tensors, piece, value, value->numbers.size() * sizeof(double),
       tensorRoom);
  return value;
}

StatusOr<std::vector<std::byte>>
WeightGraph::storedBytes(const WeightNode &node) {
  if (node.isPacked) {
    PAGODA_ASSIGN_OR_RETURN(
        auto bytes,
        packedTiles(node, 0, (node.leading() + kTileRows - 1) / kTileRows,
                    /*stored=*/true));
    return *bytes;
  }
  PAGODA_ASSIGN_OR_RETURN(Tensor tensor,
                          compute(node, 0, node.leading(), /*stored=*/true));
  return storeRows(tensor);
}

StatusOr<uint64_t> WeightGraph::fingerprint(const WeightNode &node) {
  constexpr int64_t kRowsAtOnce = 256;
  uint64_t hash = 0x9e3779b97f4a7c15;
  auto mix = [&](uint64_t bits) {
    hash = (hash ^ bits) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  };
  for (int64_t extent : node.shape)
    mix(static_cast<uint64_t>(extent));
  for (int64_t first = 0; first < node.leading(); first += kRowsAtOnce) {
    PAGODA_ASSIGN_OR_RETURN(
        Tensor some,
        compute(node, first, std::min(kRowsAtOnce, node.leading() - first),
                /*stored=*/false));
    for (double number : some.values())
      mix(std::bit_cast<uint64_t>(number));
  }
  return hash;
}

StatusOr<Tensor> WeightGraph::compute(const WeightNode &node, int64_t first,
                                      int64_t count, bool stored) {
  PAGODA_ASSIGN_OR_RETURN(Tensor result, computeOp(node, first, count, stored));
  if (stored && !result.type.isQuantised())
    for (double &number : result.numbers)
      number = roundTo(result.type.dtype(), number);
  return result;
}

StatusOr<Tensor> WeightGraph::computeOp(const WeightNode &node, int64_t first,
                                        int64_t count, bool stored) {
  using Result = StatusOr<Tensor>;
  auto operand = [&](unsigned index) {
    return compute(*node.operands[index], first, count, stored);
  };
  return llvm::TypeSwitch<Operation *, Result>(node.op)
      .Case([&](llm::NamedWeightOp weight) {
        return loadNamed(node, weight, first, count);
      })
      .Case([&](llm::WeightSliceOp op) -> Result {
        if (op.getAxis() == 0)
          return compute(*node.operands[0],
                         first + static_cast<int64_t>(op.getOffset()), count,
                         stored);
        PAGODA_ASSIGN_OR_RETURN(Tensor input, operand(0));
        return slice(input, op.getAxis(), op.getOffset(),
                     node.shape[op.getAxis()]);
      })
      .Case([&](llm::WeightConcatOp) {
        return concatRows(node, first, count, stored);
      })
      .Case([&](llm::WeightTransposeOp op) -> Result {
        if (op.getPermutation()[0] == 0) {
          PAGODA_ASSIGN_OR_RETURN(Tensor input, operand(0));
          return transpose(input, op.getPermutation());
        }
        const WeightNode &source = *node.operands[0];
        PAGODA_ASSIGN_OR_RETURN(Tensor input,
                                compute(source, 0, source.leading(), stored));
        return take(transpose(input, op.getPermutation()), first, count);
      })
      .Case([&](llm::WeightReshapeOp) {
        return reshapeRows(node, first, count, stored);
      })
      .Case([&](llm::WeightRopeTableOp op) -> Result {
        return ropeTable(first, count, op.getFrequencies(),
                         op.getMagnitude().convertToFloat());
      })
      .Case([&](llm::WeightCodesOp) -> Result {
        PAGODA_ASSIGN_OR_RETURN(Tensor input, operand(0));
        return codesOf(input);
      })
      .Case([&](llm::WeightScalesOp) -> Result {
        PAGODA_ASSIGN_OR_RETURN(Tensor input, operand(0));
        return scalesOf(input);
      })
      .Case([&](llm::WeightZerosOp) -> Result {
        PAGODA_ASSIGN_OR_RETURN(Tensor input, operand(0));
        return zerosOf(input);
      })
      .Case([&](llm::WeightComposeOp op) -> Result {
        PAGODA_ASSIGN_OR_RETURN(Tensor codes, operand(0));
        PAGODA_ASSIGN_OR_RETURN(Tensor scales, operand(1));
        if (!op.getZeros())
          return compose(node.type.format(), codes, scales, nullptr);
        PAGODA_ASSIGN_OR_RETURN(Tensor zeros, operand(2));
        return compose(node.type.format(), codes, scales, &zeros);
      })
      .Case([&](llm::DequantizeOp) -> Result {
        PAGODA_ASSIGN_OR_RETURN(Tensor input, operand(0));
        return dequantize(input);
      })
      .Case([&](llm::QuantizeOp) -> Result {
        PAGODA_ASSIGN_OR_RETURN(Tensor input, operand(0));
        return options.transparentRoundings
                   ? std::move(input)
                   : quantize(input, node.type.format());
      })
      .Case([&](llm::WeightPackOp) { return operand(0); })
      .Case([&](llm::WeightUnpackOp) {
        return unpackRows(node, first, count, stored);
      })
      .Case([&](arith::ConstantOp op) -> Result {
        PAGODA_ASSIGN_OR_RETURN(
            Tensor whole, constantNumbers(op, node.shape, node.type.dtype()));
        return take(whole, first, count);
      })
      .Default(
          [&](Operation *) { return mapNumbers(node, first, count, stored); });
}

StatusOr<Tensor> WeightGraph::loadNamed(const WeightNode &node,
                                        llm::NamedWeightOp weight,
                                        int64_t first, int64_t count) {
  auto source = symbols.lookup<llm::SourceOp>(weight.getSource());
  if (!source)
    return notFound("there is no source '", weight.getSource().str(), "'");
  Shape shape = withLeading(node.shape, count);
  std::string name = weight.getName().str();
  int64_t inner = elementCount(node.shape) / node.leading();
  if (!source.getPath())
    return randomTensor(shape, *source.getSeed(), name,
                        source.getDeviation()->convertToDouble(),
                        first * inner);
  RawTensor raw;
  {
    std::lock_guard<std::mutex> guard(mutex);
    PAGODA_ASSIGN_OR_RETURN(raw, files->tensor(source.getPath()->str(), name));
  }
  if (raw.shape != node.shape || !(raw.type == node.type))
    return invalidArgument("tensor '", name, "' is [", join(raw.shape), "] of ",
                           raw.type.name(), " in the file and [",
                           join(node.shape), "] of ", node.type.name(),
                           " in the module");
  uint64_t bytes = node.type.rowBytes(static_cast<uint64_t>(inner));
  return loadRows(node.type, shape,
                  raw.bytes.subspan(first * bytes, count * bytes));
}

StatusOr<Tensor> WeightGraph::concatRows(const WeightNode &node, int64_t first,
                                         int64_t count, bool stored) {
  auto axis = cast<llm::WeightConcatOp>(node.op).getAxis();
  std::vector<Tensor> parts;
  int64_t begin = 0; // of an operand, along axis 0
  for (const WeightNode *input : node.operands) {
    if (axis != 0) {
      PAGODA_ASSIGN_OR_RETURN(Tensor part,
                              compute(*input, first, count, stored));
      parts.push_back(std::move(part));
      continue;
    }
    int64_t from = std::max(first, begin);
    int64_t to = std::min(first + count, begin + input->leading());
    if (from < to) {
      PAGODA_ASSIGN_OR_RETURN(Tensor part,
                              compute(*input, from - begin, to - from, stored));
      parts.push_back(std::move(part));
    }
    begin += input->leading();
  }
  return concat(parts, axis);
}

/// Computes the entries of the operand that cover the wanted elements, and cuts
/// what is too much. Elements of a quantised tensor come in whole rows.
StatusOr<Tensor> WeightGraph::reshapeRows(const WeightNode &node, int64_t first,
                                          int64_t count, bool stored) {
  const WeightNode &source = *node.operands[0];
  int64_t inner = elementCount(node.shape) / node.leading();
  int64_t sourceInner = elementCount(source.shape) / source.leading();
  int64_t begin = first * inner, end = begin + count * inner;
  int64_t from = begin / sourceInner;
  int64_t to = (end + sourceInner - 1) / sourceInner;
  PAGODA_ASSIGN_OR_RETURN(Tensor input,
                          compute(source, from, to - from, stored));
  int64_t unit = input.type.isQuantised() ? input.rowElements() : 1;
  Tensor flat =
      reshape(std::move(input), {(to - from) * sourceInner / unit, unit});
  return reshape(
      take(flat, (begin - from * sourceInner) / unit, (end - begin) / unit),
      withLeading(node.shape, count));
}

/// What is in memory is what was packed, as long as every number is one of its
/// type. Where arithmetic on weights made others, which only the artifact
/// rounds, and where roundings are transparent, packing moves numbers and not
/// bytes, which is no more than leaving them where they are.
StatusOr<Tensor> WeightGraph::unpackRows(const WeightNode &node, int64_t first,
                                         int64_t count, bool stored) {
  const WeightNode &source = *node.operands[0];
  int64_t firstTile = first / kTileRows;
  int64_t lastTile = (first + count + kTileRows - 1) / kTileRows;
  PAGODA_ASSIGN_OR_RETURN(
      auto bytes, packedTiles(source, firstTile, lastTile - firstTile, stored));
  if (!bytes)
    return compute(source, first, count, stored);
  return unpackTile32(node.type, node.shape[1], *bytes,
                      first - firstTile * kTileRows, count);
}

StatusOr<std::shared_ptr<const std::vector<std::byte>>>
WeightGraph::packedTiles(const WeightNode &node, int64_t firstTile,
                         int64_t count, bool stored) {
  Piece piece{&node, firstTile, count};
  if (!stored)
    if (auto kept = findKept(packed, piece))
      return kept;
  int64_t first = firstTile * kTileRows;
  int64_t rows = std::min(count * kTileRows, node.leading() - first);
  PAGODA_ASSIGN_OR_RETURN(Tensor matrix, compute(node, first, rows, stored));
  if (!isOfItsType(matrix, node.type))
    return std::shared_ptr<const std::vector<std::byte>>();
  PAGODA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, packTile32(matrix));
  auto value = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  if (!stored)
    keep(packed, piece, value, value->size(), packedRoom);
  return value;
}

StatusOr<Tensor> WeightGraph::mapNumbers(const WeightNode &node, int64_t first,
                                         int64_t count, bool stored) {
  ScalarFunction function = scalarFunction(node.op);
  std::vector<Tensor> inputs;
  for (const WeightNode *operand : node.operands) {
    PAGODA_ASSIGN_OR_RETURN(Tensor input,
                            compute(*operand, first, count, stored));
    inputs.push_back(std::move(input));
  }
  Tensor result = Tensor::zeros(node.type, withLeading(node.shape, count));
  std::vector<double> numbers(inputs.size());
  for (size_t i = 0; i < result.numbers.size(); ++i) {
    for (size_t j = 0; j < inputs.size(); ++j)
      numbers[j] = inputs[j].numbers[i];
    result.numbers[i] = function(numbers);
  }
  return result;
}

} // namespace pagoda::reference
