#include "StepExecutor.h"

#include "pagoda/Base/Parallel.h"
#include "pagoda/Reference/Ops/AttentionOps.h"
#include "pagoda/Reference/Ops/QuantOps.h"
#include "pagoda/Reference/Ops/TokenOps.h"
#include "pagoda/Reference/Ops/WeightOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace pagoda::reference {

namespace {

/// Rows of a weight that are computed, multiplied and forgotten together: two
/// tiles of the packed layout.
constexpr int64_t kWeightRows = 64;
/// Steps below which threads cost more than they bring. Decoding an element of
/// a weight takes as long as multiplying it with so many tokens.
constexpr int64_t kWorthThreads = 1 << 20;
constexpr int64_t kDecodingTokens = 8;

Activation activationOf(llm::Activation activation) {
  switch (activation) {
  case llm::Activation::Silu:
    return Activation::Silu;
  case llm::Activation::Gelu:
    return Activation::Gelu;
  case llm::Activation::GeluTanh:
    return Activation::GeluTanh;
  case llm::Activation::Relu:
    return Activation::Relu;
  }
  llvm_unreachable("all activations are covered");
}

ElementType elementTypeOf(Value value) {
  return *llm::getElementType(getElementTypeOrSelf(value.getType()));
}

std::optional<int64_t> windowOf(std::optional<uint64_t> window) {
  return window ? std::optional<int64_t>(*window) : std::nullopt;
}

} // namespace

Status StepExecutor::executeLLM(Operation *op) {
  return llvm::TypeSwitch<Operation *, Status>(op)
      .Case([&](llm::DimOp dim) {
        int64_t size = dim.getDim() == llm::BatchDim::Tokens ? batch.tokens()
                       : dim.getDim() == llm::BatchDim::Rows
                           ? batch.rowCount()
                           : batch.sequences();
        set(dim, Tensor::ofNumbers({}, {double(size)}, DType::I64),
            RowKind::Other);
        return Status();
      })
      .Case([&](llm::PositionsOp positions) {
        set(positions, integers(batch.position), RowKind::Tokens);
        return Status();
      })
      .Case([&](llm::RowsOp rows) {
        set(rows, integers(batch.rows), RowKind::Rows);
        return Status();
      })
      .Case([&](llm::EmbeddingOp embedding) {
        return executeEmbedding(embedding);
      })
      .Case([&](llm::LinearOp linear) { return executeLinear(linear); })
      .Case([&](llm::RMSNormOp norm) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(norm.getInput()));
        PAGODA_ASSIGN_OR_RETURN(TensorRef weight, tensor(norm.getWeight()));
        set(norm, rmsNorm(*input, *weight, norm.getEpsilon().convertToDouble()),
            rowsOf(norm.getInput()));
        return {};
      })
      .Case([&](llm::GatedOp op) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef gate, tensor(op.getGate()));
        PAGODA_ASSIGN_OR_RETURN(TensorRef up, tensor(op.getUp()));
        if (gate->shape != up->shape)
          return invalidArgument("a gate of [", join(gate->shape), "] meets [",
                                 join(up->shape), "]");
        set(op, gated(activationOf(op.getActivation()), *gate, *up),
            rowsOf(op.getGate()));
        return {};
      })
      .Case([&](llm::GatherRowsOp gather) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(gather.getInput()));
        PAGODA_ASSIGN_OR_RETURN(TensorRef rows, tensor(gather.getRows()));
        PAGODA_ASSIGN_OR_RETURN(Tensor result, gatherRows(*input, *rows));
        set(gather, std::move(result), rowsOf(gather.getRows()));
        return {};
      })
      .Case([&](llm::ArgmaxOp op) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(op.getInput()));
        set(op, argmax(*input), rowsOf(op.getInput()));
        return {};
      })
      .Case([&](llm::RopeOp op) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(op.getInput()));
        PAGODA_ASSIGN_OR_RETURN(TensorRef positions, tensor(op.getPositions()));
        PAGODA_ASSIGN_OR_RETURN(TensorRef table, tensor(op.getTable()));
        if (positions->elements() != input->shape[0])
          return invalidArgument(positions->elements(), " positions meet ",
                                 input->shape[0], " tokens");
        PAGODA_ASSIGN_OR_RETURN(Tensor result,
                                rope(op.getStyle() == llm::RopeStyle::Half
                                         ? RopeStyle::Half
                                         : RopeStyle::Interleaved,
                                     *input, *positions, *table));
        set(op, std::move(result), rowsOf(op.getInput()));
        return {};
      })
      .Case([&](llm::CastOp op) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(op.getInput()));
        DType type = elementTypeOf(op.getResult()).dtype();
        set(op,
            options.transparentRoundings
                ? Tensor::ofNumbers(input->shape, input->values(), type)
                : cast(*input, type),
            rowsOf(op.getInput()));
        return {};
      })
      .Case([&](llm::QuantizeOp op) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(op.getInput()));
        set(op,
            options.transparentRoundings
                ? *input
                : quantize(*input, elementTypeOf(op.getResult()).format()),
            rowsOf(op.getInput()));
        return {};
      })
      .Case([&](llm::DequantizeOp op) -> Status {
        PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(op.getInput()));
        set(op, dequantize(*input), rowsOf(op.getInput()));
        return {};
      })
      .Case([&](llm::AttentionOp op) { return executeAttention(op); })
      .Case([&](llm::KVAppendOp op) { return executeAppend(op); })
      .Case([&](llm::PagedAttentionOp op) { return executePagedAttention(op); })
      .Default([](Operation *) {
        return unsupported("the reference has no meaning for this op");
      });
}

/// Computes only the rows that are asked for: each token's own.
Status StepExecutor::executeEmbedding(llm::EmbeddingOp op) {
  PAGODA_ASSIGN_OR_RETURN(TensorRef ids, tensor(op.getIds()));
  const RuntimeValue &table = values[op.getTable()];
  auto *node = std::get_if<const WeightNode *>(&table.payload);
  if (!node) {
    PAGODA_ASSIGN_OR_RETURN(TensorRef numbers, tensor(op.getTable()));
    PAGODA_ASSIGN_OR_RETURN(Tensor result, embedding(*ids, *numbers));
    set(op, std::move(result), rowsOf(op.getIds()));
    return {};
  }
  Tensor rows = Tensor::zeros(DType::F32, {0, (*node)->shape[1]});
  Tensor places = Tensor::zeros(DType::I32, ids->shape);
  for (int64_t t = 0; t < ids->elements(); ++t) {
    double id = ids->numbers[t];
    if (!(id >= 0 && id < static_cast<double>((*node)->shape[0])))
      return invalidArgument("id ", id, " is not in a table of ",
                             (*node)->shape[0]);
    PAGODA_ASSIGN_OR_RETURN(TensorRef row,
                            graph.rows(**node, static_cast<int64_t>(id), 1));
    rows.numbers.insert(rows.numbers.end(), row->numbers.begin(),
                        row->numbers.end());
    places.numbers[t] = static_cast<double>(rows.shape[0]++);
  }
  PAGODA_ASSIGN_OR_RETURN(Tensor result, embedding(places, rows));
  set(op, std::move(result), rowsOf(op.getIds()));
  return {};
}

/// A large weight passes by in pieces of a few rows, each on some thread; which
/// one it is changes nothing.
Status StepExecutor::executeLinear(llm::LinearOp op) {
  PAGODA_ASSIGN_OR_RETURN(TensorRef input, tensor(op.getInput()));
  TensorRef bias;
  if (op.getBias()) {
    PAGODA_ASSIGN_OR_RETURN(bias, tensor(op.getBias()));
  }
  const RuntimeValue &weight = values[op.getWeight()];
  auto *node = std::get_if<const WeightNode *>(&weight.payload);
  if (!node) {
    PAGODA_ASSIGN_OR_RETURN(TensorRef numbers, tensor(op.getWeight()));
    set(op, linear(*input, *numbers, bias.get()), rowsOf(op.getInput()));
    return {};
  }
  int64_t tokens = input->shape[0], outputs = (*node)->shape[0];
  Tensor decoded = Tensor::ofNumbers(input->shape, input->values());
  Tensor result = Tensor::zeros(DType::F32, {tokens, outputs});
  auto multiply = [&](size_t piece) -> Status {
    int64_t first = static_cast<int64_t>(piece) * kWeightRows;
    int64_t count = std::min(kWeightRows, outputs - first);
    PAGODA_ASSIGN_OR_RETURN(TensorRef rows, graph.rows(**node, first, count));
    Tensor biases;
    if (bias)
      biases = slice(*bias, 0, first, count);
    Tensor columns = linear(decoded, *rows, bias ? &biases : nullptr);
    for (int64_t t = 0; t < tokens; ++t)
      std::copy_n(columns.numbers.begin() + t * count, count,
                  result.numbers.begin() + t * outputs + first);
    return {};
  };
  size_t pieces = (outputs + kWeightRows - 1) / kWeightRows;
  if ((tokens + kDecodingTokens) * outputs * input->shape[1] >= kWorthThreads) {
    PAGODA_RETURN_IF_ERROR(parallelFor(pieces, multiply));
  } else {
    for (size_t piece = 0; piece < pieces; ++piece)
      PAGODA_RETURN_IF_ERROR(multiply(piece));
  }
  set(op, std::move(result), rowsOf(op.getInput()));
  return {};
}

StatusOr<CacheMark> StepExecutor::cacheMark(Value value, bool isPaged) {
  if (cache.isPaged() != isPaged)
    return unsupported(isPaged ? "this op reads blocks, and the program is not "
                                 "paged"
                               : "this op needs a cache without blocks, and "
                                 "the program is paged");
  return std::get<CacheMark>(values[value].payload);
}

StatusOr<CacheMark> StepExecutor::append(CacheMark mark, int64_t layer,
                                         Value key, Value value) {
  if (!mark.isLive && mark.version != cache.version())
    return invalidArgument("takes a cache that another op appended to already");
  PAGODA_ASSIGN_OR_RETURN(TensorRef keys, tensor(key));
  PAGODA_ASSIGN_OR_RETURN(TensorRef stored, tensor(value));
  if (keys->shape[0] != batch.tokens() || stored->shape[0] != batch.tokens())
    return invalidArgument("appends ", keys->shape[0], " keys for ",
                           batch.tokens(), " tokens");
  if (launch && watch.appended) {
    Tensor watchedKeys = *keys, watchedValues = *stored;
    PAGODA_RETURN_IF_ERROR(
        watch.appended(launch, mark.layer + layer, watchedKeys, watchedValues));
    PAGODA_RETURN_IF_ERROR(
        cache.append(batch, mark.layer + layer, watchedKeys, watchedValues));
  } else {
    PAGODA_RETURN_IF_ERROR(
        cache.append(batch, mark.layer + layer, *keys, *stored));
  }
  mark.version = cache.version();
  return mark;
}

Status StepExecutor::executeAppend(llm::KVAppendOp op) {
  PAGODA_ASSIGN_OR_RETURN(CacheMark mark, cacheMark(op.getCache(), true));
  PAGODA_ASSIGN_OR_RETURN(
      values[op.getResult()].payload,
      append(mark, op.getLayer(), op.getKey(), op.getValue()));
  return {};
}

Status StepExecutor::executeAttention(llm::AttentionOp op) {
  PAGODA_ASSIGN_OR_RETURN(CacheMark mark, cacheMark(op.getCache(), false));
  PAGODA_ASSIGN_OR_RETURN(
      mark, append(mark, op.getLayer(), op.getKey(), op.getValue()));
  PAGODA_ASSIGN_OR_RETURN(TensorRef query, tensor(op.getQuery()));
  PAGODA_ASSIGN_OR_RETURN(TensorRef key, tensor(op.getKey()));
  PAGODA_ASSIGN_OR_RETURN(Tensor output,
                          attendAll(*query, mark, op.getLayer(), key->shape[1],
                                    op.getScale().convertToDouble(),
                                    windowOf(op.getWindow())));
  set(op.getOutput(), std::move(output), rowsOf(op.getQuery()));
  values[op.getUpdated()].payload = mark;
  return {};
}

Status StepExecutor::executePagedAttention(llm::PagedAttentionOp op) {
  PAGODA_ASSIGN_OR_RETURN(CacheMark mark, cacheMark(op.getCache(), true));
  PAGODA_ASSIGN_OR_RETURN(TensorRef query, tensor(op.getQuery()));
  PAGODA_ASSIGN_OR_RETURN(
      Tensor output,
      attendAll(*query, mark, op.getLayer(), op.getKvHeads(),
                op.getScale().convertToDouble(), windowOf(op.getWindow())));
  set(op.getOutput(), std::move(output), rowsOf(op.getQuery()));
  return {};
}

StatusOr<Tensor> StepExecutor::attendAll(const Tensor &query,
                                         const CacheMark &mark, int64_t layer,
                                         int64_t kvHeads, double scale,
                                         std::optional<int64_t> window) {
  if (query.shape[0] != batch.tokens())
    return invalidArgument("has ", query.shape[0], " queries for ",
                           batch.tokens(), " tokens");
  AttentionShape shape{query.shape[1], kvHeads, query.shape[2]};
  int64_t width = shape.heads * shape.elements;
  uint64_t version =
      mark.isLive ? std::numeric_limits<uint64_t>::max() : mark.version;
  Tensor output = query;
  for (int64_t t = 0; t < batch.tokens(); ++t) {
    int64_t s = batch.sequenceOf(t);
    int64_t index = batch.kvLength[s] - (batch.qStart[s + 1] - t);
    std::vector<HeadRow> keys, stored;
    for (int64_t j = firstKeySeen(index, window); j <= index; ++j) {
      KeyAndValue row = cache.read(batch, s, j, mark.layer + layer, version,
                                   kvHeads * shape.elements);
      keys.push_back(row.key);
      stored.push_back(row.value);
    }
    std::vector<double> row =
        attend(shape, std::span(query.numbers).subspan(t * width, width), keys,
               stored, scale);
    std::copy(row.begin(), row.end(), output.numbers.begin() + t * width);
  }
  return output;
}

/// What the tokens of this step find when they look for what was appended.
void StepExecutor::recordAppended(int id, Operation *op) {
  // Both kinds of ops that append have the key as their second operand.
  Value key = op->getOperand(1);
  auto layer = op->getAttrOfType<IntegerAttr>("layer").getInt();
  auto type = cast<RankedTensorType>(key.getType());
  int64_t width = type.getDimSize(1) * type.getDimSize(2);
  Value result = op->getResults().back();
  CacheMark mark = std::get<CacheMark>(values[result].payload);
  Trace::Record &record = (*trace)[id];
  record.layer = mark.layer + layer;
  for (int64_t t = 0; t < batch.tokens(); ++t) {
    int64_t s = batch.sequenceOf(t);
    int64_t index = batch.kvLength[s] - (batch.qStart[s + 1] - t);
    KeyAndValue row =
        cache.read(batch, s, index, record.layer, cache.version(), width);
    std::vector<double> &numbers = record.rows[trace->place(batch.token(t))];
    numbers.assign(row.key.begin(), row.key.end());
    numbers.insert(numbers.end(), row.value.begin(), row.value.end());
  }
}

} // namespace pagoda::reference
