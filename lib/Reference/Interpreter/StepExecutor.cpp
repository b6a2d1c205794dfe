#include "StepExecutor.h"

#include "pagoda/Reference/Ops/TokenOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pagoda::reference {

StepExecutor::StepExecutor(WeightGraph &graph,
                           const InterpreterOptions &options,
                           const Batch &batch, Cache &cache, Trace *trace,
                           const LaunchWatch &watch)
    : graph(graph), options(options), batch(batch), cache(cache), trace(trace),
      watch(watch) {}

StatusOr<Tensor> StepExecutor::runFunction(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    auto role = function.getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), llm::LLMDialect::kRoleAttr);
    StringRef name = role ? role.getValue() : "";
    if (name == "ids")
      set(argument, integers(batch.ids), RowKind::Tokens);
    else if (name == "batch")
      values[argument].payload = BatchMark();
    else if (name == "cache")
      values[argument].payload = CacheMark{cache.version()};
    else
      return unsupported(describe(function), " has an argument of role '",
                         name.str(), "', which a step does not bring");
  }
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    PAGODA_RETURN_IF_ERROR(execute(&op));
  return returned(body.getTerminator());
}

/// Beside its logits an entry may return the tokens that are greedy for them.
static Status checkGreedy(Operation *terminator, const Tensor &logits,
                          const Tensor &greedy) {
  if (!(greedy.type == ElementType(DType::I32)))
    return unsupported(describe(terminator), " returns several tensors");
  Tensor expected = argmax(logits);
  if (greedy.shape != expected.shape)
    return invalidArgument(describe(terminator), " returns [",
                           join(greedy.shape), "] greedy tokens for [",
                           join(logits.shape), "] logits");
  for (size_t r = 0; r < expected.numbers.size(); ++r)
    if (greedy.numbers[r] != expected.numbers[r])
      return invalidArgument(describe(terminator), " returns token ",
                             greedy.numbers[r], " as the greedy one of row ", r,
                             ", whose logits are largest at ",
                             expected.numbers[r]);
  return {};
}

StatusOr<Tensor> StepExecutor::returned(Operation *terminator) {
  std::optional<Tensor> result;
  for (Value operand : terminator->getOperands()) {
    const RuntimeValue &value = values[operand];
    if (auto *mark = std::get_if<CacheMark>(&value.payload)) {
      if (mark->version != cache.version())
        return invalidArgument(describe(terminator),
                               " returns a cache that misses what other ops "
                               "append");
      continue;
    }
    Tensor read;
    int id = value.trace;
    if (auto *view = std::get_if<BufferView>(&value.payload)) {
      PAGODA_ASSIGN_OR_RETURN(read, readBuffer(*view));
      id = view->buffer->stored;
    } else {
      PAGODA_ASSIGN_OR_RETURN(TensorRef found, tensor(operand));
      read = *found;
    }
    if (result) {
      PAGODA_RETURN_IF_ERROR(checkGreedy(terminator, *result, read));
      continue;
    }
    result = std::move(read);
    if (trace)
      trace->setOutput(id, terminator);
  }
  if (!result)
    return unsupported(describe(terminator), " returns no tensor");
  return *std::move(result);
}

Status StepExecutor::execute(Operation *op) {
  Status status = dispatch(op);
  // Ops with bodies: the message names the op inside that failed.
  if (isa<llm::FusedOp, exec::LaunchOp>(op))
    return status;
  if (status.ok())
    status = checkResults(op);
  if (!status.ok())
    return std::move(status).withContext(describe(op));
  if (trace)
    recordResults(op);
  return {};
}

Status StepExecutor::dispatch(Operation *op) {
  if (auto fused = dyn_cast<llm::FusedOp>(op))
    return executeFused(fused);
  if (isWeightOp(op))
    return executeWeight(op);
  if (isa<llm::LLMDialect>(op->getDialect()))
    return executeLLM(op);
  if (isa<exec::ExecDialect>(op->getDialect()))
    return executeExec(op);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return executeLinalg(structured);
  return executeTensor(op);
}

Status StepExecutor::executeFused(llm::FusedOp fused) {
  Block &body = fused.getBody().front();
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), fused.getInputs()))
    values[argument] = values.lookup(input);
  for (Operation &op : body.without_terminator())
    PAGODA_RETURN_IF_ERROR(execute(&op));
  for (auto [result, yielded] :
       llvm::zip(fused.getResults(), fused.getYield()->getOperands()))
    values[result] = values.lookup(yielded);
  return {};
}

bool StepExecutor::isWeightOp(Operation *op) {
  if (isa<llm::DefinedOp, exec::WeightOp>(op))
    return true;
  if (op->getNumResults() != 1)
    return false;
  SmallVector<const WeightNode *> operands;
  for (Value operand : op->getOperands()) {
    const RuntimeValue &value = values[operand];
    auto *node = std::get_if<const WeightNode *>(&value.payload);
    if (!node)
      return false;
    operands.push_back(*node);
  }
  return WeightGraph::canAdd(op, operands);
}

Status StepExecutor::executeWeight(Operation *op) {
  RuntimeValue &value = values[op->getResult(0)];
  StatusOr<const WeightNode *> node = nullptr;
  if (auto defined = dyn_cast<llm::DefinedOp>(op)) {
    node = graph.definition(defined.getName());
  } else if (auto named = dyn_cast<exec::WeightOp>(op)) {
    node = graph.definition(named.getName());
  } else {
    SmallVector<const WeightNode *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(std::get<const WeightNode *>(values[operand].payload));
    node = graph.add(op, operands);
  }
  PAGODA_ASSIGN_OR_RETURN(value.payload, std::move(node));
  return {};
}

StatusOr<TensorRef> StepExecutor::tensor(Value value) {
  RuntimeValue &found = values[value];
  if (auto *reference = std::get_if<TensorRef>(&found.payload))
    return *reference;
  if (auto *node = std::get_if<const WeightNode *>(&found.payload))
    return graph.whole(**node);
  return internalError("a value of type ", printType(value.getType()),
                       " is no tensor");
}

StatusOr<std::vector<TensorRef>> StepExecutor::tensors(ValueRange operands) {
  std::vector<TensorRef> found;
  for (Value operand : operands) {
    PAGODA_ASSIGN_OR_RETURN(TensorRef reference, tensor(operand));
    found.push_back(std::move(reference));
  }
  return found;
}

void StepExecutor::set(Value value, Tensor result, RowKind rows) {
  RuntimeValue &made = values[value];
  made.payload = std::make_shared<const Tensor>(std::move(result));
  made.rows = rows;
}

RowKind StepExecutor::rowsOf(Value value) { return values[value].rows; }

/// Extents that the type knows, and those that are sizes of the batch.
Status StepExecutor::checkResults(Operation *op) {
  for (Value result : op->getResults()) {
    RuntimeValue &value = values[result];
    auto *reference = std::get_if<TensorRef>(&value.payload);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!reference || !type)
      continue;
    const Shape &shape = (*reference)->shape;
    bool fits = static_cast<int64_t>(shape.size()) == type.getRank();
    for (size_t i = 0; fits && i < shape.size(); ++i)
      fits = type.isDynamicDim(i) || type.getDimSize(i) == shape[i];
    if (fits && value.rows != RowKind::Other)
      fits = !shape.empty() &&
             shape[0] == (value.rows == RowKind::Tokens ? batch.tokens()
                                                        : batch.rowCount());
    if (!fits)
      return invalidArgument("computes [", join(shape), "] for a result of ",
                             printType(type));
  }
  return {};
}

void StepExecutor::recordResults(Operation *op) {
  std::vector<int> operands;
  std::vector<const WeightNode *> weights;
  for (Value operand : op->getOperands()) {
    const RuntimeValue &value = values[operand];
    if (auto *node = std::get_if<const WeightNode *>(&value.payload))
      weights.push_back(*node);
    else if (value.trace >= 0)
      operands.push_back(value.trace);
  }
  for (OpResult result : op->getResults()) {
    RuntimeValue &value = values[result];
    bool isCache = isa<llm::AttentionOp, llm::KVAppendOp>(op) &&
                   isa<llm::CacheType>(result.getType());
    auto *reference = std::get_if<TensorRef>(&value.payload);
    if (!isCache && !(reference && isa<TensorType>(result.getType())))
      continue;
    value.trace = trace->record(result, launch);
    Trace::Record &record = (*trace)[value.trace];
    record.operands = operands;
    record.weights = weights;
    if (reference)
      recordRows(value.trace, **reference, value.rows);
    else
      recordAppended(value.trace, op);
  }
}

void StepExecutor::recordRows(int id, const Tensor &tensor, RowKind rows) {
  Trace::Record &record = (*trace)[id];
  std::vector<double> numbers = tensor.values();
  if (rows == RowKind::Other) {
    record.rows[trace->wholeStep()] = std::move(numbers);
    return;
  }
  int64_t width = tensor.shape[0] ? tensor.elements() / tensor.shape[0] : 0;
  for (int64_t row = 0; row < tensor.shape[0]; ++row) {
    int64_t t = rows == RowKind::Tokens ? row : batch.rows[row];
    auto first = numbers.begin() + row * width;
    record.rows[trace->place(batch.token(t))] = {first, first + width};
  }
}

Tensor StepExecutor::integers(const std::vector<int32_t> &list) {
  return Tensor::ofNumbers({static_cast<int64_t>(list.size())},
                           {list.begin(), list.end()}, DType::I32);
}

std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

} // namespace pagoda::reference
