#include "pagoda/Dialect/LLM/Groups.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/LLM/NamedDims.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pagoda::llm {

namespace {

std::nullopt_t fail(std::string &why, const std::string &reason) {
  why = reason;
  return std::nullopt;
}

std::string nameOf(Operation *op) { return op->getName().getStringRef().str(); }

/// Arguments that elementwise ops read must have the rows' own shape.
bool readsRowsOnly(Operation *op, Type type) {
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return operand.getType() == type; });
}

/// The chain of a head, from its last value to an argument of the group.
std::optional<HeadChain> matchChain(Value value, std::string &why) {
  HeadChain chain;
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  if ((chain.rope = value.getDefiningOp<RopeOp>()))
    value = chain.rope.getInput();
  if ((chain.norm = value.getDefiningOp<RMSNormOp>()))
    value = chain.norm.getInput();
  chain.input = dyn_cast<BlockArgument>(value);
  if (!chain.input)
    return fail(why, concat("'", nameOf(value.getDefiningOp()),
                            "' stands in front of a head's norm or rotation"));
  return chain;
}

unsigned chainLength(const HeadChain &chain, Value end) {
  return (chain.norm != nullptr) + (chain.rope != nullptr) +
         (end.getDefiningOp<CastOp>() != nullptr);
}

} // namespace

std::optional<MatrixOperand> getMatrix(Value operand) {
  if (auto unpack = operand.getDefiningOp<WeightUnpackOp>())
    return MatrixOperand{dyn_cast<BlockArgument>(unpack.getInput()),
                         unpack.getInput().getType().getTensor()};
  auto argument = dyn_cast<BlockArgument>(operand);
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!argument || !type || type.getRank() != 2)
    return std::nullopt;
  return MatrixOperand{argument, type};
}

std::optional<LinearGroup> matchLinear(Block &body, std::string &why) {
  LinearGroup group;
  llvm::EquivalenceClasses<Operation *> joined;
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator()) {
    if (isa<WeightUnpackOp>(op))
      continue;
    ops.push_back(&op);
    joined.insert(&op);
    if (auto linear = dyn_cast<LinearOp>(op)) {
      auto input = dyn_cast<BlockArgument>(linear.getInput());
      if (!input || (group.input && group.input != input))
        return fail(why, "linears of a group read one input");
      group.input = input;
      auto matrix = getMatrix(linear.getWeight());
      if (!matrix || !matrix->argument)
        return fail(why, "a linear's weight is computed inside the group");
      continue;
    }
    if (!isa<QuantizeOp>(op) &&
        (!isPointwise(&op) || !readsRowsOnly(&op, op.getResult(0).getType())))
      return fail(why, concat("'", nameOf(&op), "' is not elementwise"));
    for (Value operand : op.getOperands())
      if (Operation *def = operand.getDefiningOp())
        joined.unionSets(&op, def);
  }
  if (!group.input)
    return fail(why, "there is no linear");

  llvm::DenseMap<Operation *, unsigned> segmentOf;
  for (Operation *op : ops) {
    Operation *leader = joined.getLeaderValue(op);
    auto [position, isNew] =
        segmentOf.try_emplace(leader, group.segments.size());
    if (isNew)
      group.segments.push_back({{}, {}, {}, 0});
    LinearSegment &segment = group.segments[position->second];
    int64_t outputs =
        cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
    if (segment.outputs != 0 && segment.outputs != outputs)
      return fail(why, "elementwise ops join linears of different widths");
    segment.outputs = outputs;
    if (auto linear = dyn_cast<LinearOp>(op)) {
      segment.linears.push_back(linear);
    } else if (auto quantize = dyn_cast<QuantizeOp>(op)) {
      if (segment.quantize)
        return fail(why, "two results of one segment are rounded");
      segment.quantize = quantize;
    } else {
      segment.pointwise.push_back(op);
    }
  }
  for (const LinearSegment &segment : group.segments)
    if (segment.linears.empty())
      return fail(why, "an elementwise op reads no linear");
  return group;
}

std::optional<RowGroup> matchRows(Block &body, StringRef anchor,
                                  std::string &why) {
  RowGroup group{nullptr, {}, {}, {}};
  for (Operation &op : body.without_terminator()) {
    if (isa<WeightUnpackOp>(op))
      continue;
    if (op.getName().getStringRef() == anchor && !group.anchor) {
      group.anchor = &op;
    } else if (auto gather = dyn_cast<GatherRowsOp>(op);
               gather && !group.anchor && !group.gather) {
      group.gather = gather;
    } else if (group.anchor && isPointwise(&op) &&
               readsRowsOnly(&op, group.anchor->getResult(0).getType())) {
      group.pointwise.push_back(&op);
    } else if (auto quantize = dyn_cast<QuantizeOp>(op);
               quantize && group.anchor && !group.quantize) {
      group.quantize = quantize;
    } else {
      return fail(why, concat("'", nameOf(&op), "' does not fit in"));
    }
  }
  if (!group.anchor)
    return fail(why, concat("there is no '", anchor.str(), "'"));
  if (group.gather && group.anchor->getOperand(0) != group.gather.getResult())
    return fail(why, "the chosen rows are not the anchor's input");
  return group;
}

std::optional<KVAppendGroup> matchKVAppend(Block &body, std::string &why) {
  KVAppendGroup group;
  for (Operation &op : body)
    if (auto append = dyn_cast<KVAppendOp>(op)) {
      if (group.append)
        return fail(why, "there are two appends");
      group.append = append;
    }
  if (!group.append)
    return fail(why, "there is no append");

  auto key = matchChain(group.append.getKey(), why);
  auto value = matchChain(group.append.getValue(), why);
  if (!key || !value)
    return std::nullopt;
  if (value->norm || value->rope)
    return fail(why, "values are neither normalised nor rotated");
  group.key = *key;
  group.value = *value;
  unsigned covered = 1 + chainLength(*key, group.append.getKey()) +
                     chainLength(*value, group.append.getValue());

  for (Value result : body.getTerminator()->getOperands()) {
    if (result == group.append.getResult())
      continue;
    if (group.query)
      return fail(why, "more than one query leaves the group");
    auto query = matchChain(result, why);
    if (!query)
      return std::nullopt;
    if (result.getDefiningOp<CastOp>())
      return fail(why, "queries are not rounded");
    group.query = *query;
    covered += chainLength(*query, result);
  }
  if (covered != body.getOperations().size() - 1)
    return fail(why, "an op is neither norm, rotation, rounding nor append");
  if (group.query && group.query->rope && group.key.rope) {
    RopeOp query = group.query->rope, other = group.key.rope;
    if (query.getPositions() != other.getPositions() ||
        query.getTable() != other.getTable() ||
        query.getStyle() != other.getStyle())
      return fail(why, "queries and keys are rotated differently");
  }
  if (group.query && group.query->norm && group.key.norm &&
      group.query->norm.getEpsilon() != group.key.norm.getEpsilon())
    return fail(why, "queries and keys have norms with different epsilons");
  if (group.query &&
      (group.query->rope != nullptr) != (group.key.rope != nullptr))
    return fail(why, "only one of queries and keys is rotated");
  return group;
}

Operation *matchSingle(Block &body, StringRef anchor, std::string &why) {
  if (body.getOperations().size() == 2 &&
      body.front().getName().getStringRef() == anchor &&
      llvm::all_of(body.front().getOperands(),
                   [](Value operand) { return isa<BlockArgument>(operand); }))
    return &body.front();
  why = concat("the group is not a single '", anchor.str(), "'");
  return nullptr;
}

std::optional<PointwiseGroup> matchPointwise(Block &body, std::string &why) {
  PointwiseGroup group;
  for (Operation &op : body.without_terminator()) {
    if (auto quantize = dyn_cast<QuantizeOp>(op)) {
      if (group.quantize)
        return fail(why, "two results are rounded");
      group.quantize = quantize;
      continue;
    }
    if (!isPointwise(&op) ||
        !readsRowsOnly(&op, body.front().getResult(0).getType()))
      return fail(why, concat("'", nameOf(&op), "' is not elementwise"));
    group.pointwise.push_back(&op);
  }
  if (group.pointwise.empty() && !group.quantize)
    return fail(why, "the group is empty");
  return group;
}

std::optional<PagedAttentionGroup> matchPagedAttention(Block &body,
                                                       std::string &why) {
  PagedAttentionGroup group;
  Value last;
  for (Operation &op : body.without_terminator()) {
    if (auto attention = dyn_cast<PagedAttentionOp>(op);
        attention && !group.attention)
      group.attention = attention;
    else if (auto quantize = dyn_cast<QuantizeOp>(op);
             quantize && quantize.getInput() == last)
      group.quantize = quantize;
    else if (!isa<tensor::CollapseShapeOp>(op) || op.getOperand(0) != last)
      return fail(why, concat("'", nameOf(&op), "' does not fit in"));
    last = op.getResult(0);
  }
  if (!group.attention ||
      body.getTerminator()->getOperands() != ValueRange(last))
    return fail(why, "the group is not one attention");
  auto query = cast<RankedTensorType>(group.attention.getQuery().getType());
  if (group.quantize && query.getDimSize(2) % 32 != 0)
    return fail(why, "a group of codes would span two heads");
  return group;
}

} // namespace pagoda::llm
