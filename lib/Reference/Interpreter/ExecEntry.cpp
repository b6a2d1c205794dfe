// Entries of the exec dialect: buffers in an arena, launches in the order of
// the program. Before a launch reads anything its outputs are poisoned, because
// a kernel may write them before it is done with its inputs.

#include "StepExecutor.h"

#include "pagoda/Reference/Ops/Rounding.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace pagoda::reference {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A row of quantised activations: codes, the scale of each group, the sum of
/// its codes, then the sum of each 16 codes (docs/packing.md).
struct QuantizedRow {
  int64_t codes, groups, bytes;

  QuantizedRow(const QuantFormat &format, int64_t elements)
      : codes(elements), groups(elements / format.group),
        bytes(static_cast<int64_t>(
            activationRowBytes(format, static_cast<uint64_t>(elements)))) {}
  int64_t scaleAt(int64_t group) const { return codes + 4 * group; }
  int64_t sumAt(int64_t group) const { return codes + 4 * (groups + group); }
  int64_t halfSumAt(int64_t sixteen) const {
    return codes + 8 * groups + 2 * sixteen;
  }
};

int64_t evaluate(const exec::AffineSize &size,
                 const std::map<std::string, int64_t> &dims) {
  int64_t bytes = size.constant;
  for (const auto &[name, factor] : size.factors)
    bytes += factor * dims.at(name);
  return bytes;
}

} // namespace

StatusOr<Tensor> StepExecutor::runEntry(exec::EntryOp entry) {
  dims = {{"tokens", batch.tokens()},
          {"sequences", batch.sequences()},
          {"rows", batch.rowCount()},
          {"table_width", batch.tableWidth},
          {"blocks", cache.blocks()}};
  for (Attribute name : entry.getDims())
    if (StringRef dim = cast<StringAttr>(name).getValue();
        !dims.count(dim.str()))
      return unsupported(describe(entry), " has a dim '", dim.str(),
                         "', which a step does not bring");
  PAGODA_RETURN_IF_ERROR(placeBuffers(entry));
  Block &body = entry.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    RuntimeValue &value = values[argument];
    if (auto type = dyn_cast<exec::BufferType>(argument.getType()))
      value.payload = arrayBuffer(integers(batch.ids), type);
    else if (isa<llm::BatchType>(argument.getType()))
      value.payload = BatchMark();
    else if (isa<llm::CacheType>(argument.getType()))
      value.payload = CacheMark{cache.version(), /*isLive=*/true};
    else
      return unsupported(describe(entry), " has an argument of type ",
                         printType(argument.getType()),
                         ", which a step does not bring");
  }
  for (Operation &op : body.without_terminator())
    PAGODA_RETURN_IF_ERROR(execute(&op));
  return returned(body.getTerminator());
}

/// Slots follow each other without a gap, so that a buffer which does not keep
/// to its size meets a neighbour. A buffer without a slot has a place of its
/// own behind them.
Status StepExecutor::placeBuffers(exec::EntryOp entry) {
  std::vector<int64_t> starts;
  int64_t end = 0;
  if (std::optional<ArrayAttr> slots = entry.getSlots())
    for (Attribute slot : *slots) {
      starts.push_back(end);
      end += evaluate(cast<exec::SizeAttr>(slot).getValue(), dims);
    }
  for (auto op : entry.getBody().front().getOps<exec::BufferOp>()) {
    exec::BufferType type = op.getResult().getType();
    Buffer &buffer = buffers.emplace_back();
    buffer.type = *llm::getElementType(type.getElementType());
    if (op.getSlot()) {
      buffer.offset = starts[*op.getSlot()];
    } else {
      buffer.offset = end;
      end += evaluate(type.getSize(), dims);
    }
    values[op.getResult()].payload = BufferView{&buffer, shapeOf(type)};
  }
  arena.emplace(end);
  return {};
}

Shape StepExecutor::shapeOf(exec::BufferType type) {
  Shape shape;
  for (Attribute extent : type.getExtents())
    if (auto name = dyn_cast<StringAttr>(extent))
      shape.push_back(dims.at(name.getValue().str()));
    else
      shape.push_back(cast<IntegerAttr>(extent).getInt());
  return shape;
}

RowKind StepExecutor::rowsOf(exec::BufferType type) {
  auto name = type.getRank() ? dyn_cast<StringAttr>(type.getExtents().front())
                             : StringAttr();
  if (name && name.getValue() == "tokens")
    return RowKind::Tokens;
  return name && name.getValue() == "rows" ? RowKind::Rows : RowKind::Other;
}

BufferView StepExecutor::arrayBuffer(Tensor content, exec::BufferType type) {
  Buffer &buffer = buffers.emplace_back();
  buffer.array = std::make_shared<const Tensor>(std::move(content));
  buffer.type = buffer.array->type;
  return {&buffer, shapeOf(type)};
}

Status StepExecutor::executeExec(Operation *op) {
  return llvm::TypeSwitch<Operation *, Status>(op)
      .Case([&](exec::FieldOp field) { return executeField(field); })
      .Case([&](exec::LayerOp layer) {
        CacheMark mark = std::get<CacheMark>(values[layer.getCache()].payload);
        mark.layer += layer.getIndex();
        values[layer.getResult()].payload = mark;
        return Status();
      })
      .Case([&](exec::BufferOp) { return Status(); }) // placed already
      .Case([&](exec::ViewOp view) -> Status {
        BufferView source =
            std::get<BufferView>(values[view.getSource()].payload);
        Shape shape = shapeOf(view.getResult().getType());
        if (elementCount(shape) != elementCount(source.shape))
          return invalidArgument("sees [", join(source.shape), "] as [",
                                 join(shape), "]");
        values[view.getResult()].payload = BufferView{source.buffer, shape};
        return {};
      })
      .Case([&](exec::LaunchOp launched) { return executeLaunch(launched); })
      .Default([](Operation *) {
        return unsupported("the reference has no meaning for this op");
      });
}

Status StepExecutor::executeField(exec::FieldOp field) {
  const std::pair<StringRef, const std::vector<int32_t> &> fields[] = {
      {"position", batch.position},
      {"rows", batch.rows},
      {"q_start", batch.qStart},
      {"kv_length", batch.kvLength},
      {"block_table", batch.blockTable},
      {"slot", batch.slot},
      {"ids", batch.ids}};
  for (const auto &[name, array] : fields)
    if (name == field.getName()) {
      BufferView view =
          arrayBuffer(integers(array), field.getResult().getType());
      if (elementCount(view.shape) != static_cast<int64_t>(array.size()))
        return invalidArgument("sees ", array.size(), " entries of '",
                               name.str(), "' as [", join(view.shape), "]");
      values[field.getResult()].payload = view;
      return {};
    }
  return unsupported("a batch has no field '", field.getName().str(), "'");
}

Status StepExecutor::executeLaunch(exec::LaunchOp launched) {
  auto kernel = graph.lookup<exec::KernelOp>(launched.getKernel());
  if (!kernel)
    return notFound(describe(launched), ": there is no kernel '",
                    launched.getKernel().str(), "'");
  for (Value output : launched.getOutputs()) {
    const auto &view = std::get<BufferView>(values[output].payload);
    PAGODA_RETURN_IF_ERROR(checkBounds(view).withContext(describe(launched)));
    poison(view, launched);
  }
  PAGODA_RETURN_IF_ERROR(bindInputs(launched, kernel));
  launch = launched;
  Block &contract = kernel.getContract().front();
  for (Operation &op : contract.without_terminator())
    PAGODA_RETURN_IF_ERROR(
        execute(&op).withContext(concat("@", launched.getKernel().str())));
  launch = nullptr;
  unsigned output = 0;
  for (Value yielded : contract.getTerminator()->getOperands()) {
    if (isa<llm::CacheType>(yielded.getType()))
      continue;
    const auto &view =
        std::get<BufferView>(values[launched.getOutputs()[output]].payload);
    PAGODA_ASSIGN_OR_RETURN(TensorRef result, tensor(yielded));
    if (watch.result) {
      Tensor watched = *result;
      PAGODA_RETURN_IF_ERROR(watch.result(launched, output, watched));
      result = std::make_shared<const Tensor>(std::move(watched));
    }
    ++output;
    PAGODA_RETURN_IF_ERROR(
        writeBuffer(view, *result, launched).withContext(describe(launched)));
    view.buffer->stored = values[yielded].trace;
    view.buffer->writer = launched;
  }
  return {};
}

Status StepExecutor::bindInputs(exec::LaunchOp launched,
                                exec::KernelOp kernel) {
  for (auto [argument, input] :
       llvm::zip(kernel.getContract().getArguments(), launched.getInputs())) {
    RuntimeValue value = values.lookup(input);
    auto *view = std::get_if<BufferView>(&value.payload);
    if (!view) {
      values[argument] = value;
      continue;
    }
    PAGODA_ASSIGN_OR_RETURN(Tensor content,
                            readBuffer(*view).withContext(describe(launched)));
    const Buffer &buffer = *view->buffer;
    Operation *writer = buffer.array ? nullptr : foreignWriter(*view);
    RowKind rows = rowsOf(cast<exec::BufferType>(input.getType()));
    set(argument, std::move(content), rows);
    if (!trace)
      continue;
    int id = trace->record(argument, launched);
    values[argument].trace = id;
    Trace::Record &record = (*trace)[id];
    record.isRead = !buffer.array;
    record.operands.clear();
    if (buffer.stored >= 0)
      record.operands.push_back(buffer.stored);
    if (writer)
      record.overwrittenBy = writer;
    recordRows(id, *std::get<TensorRef>(values[argument].payload), rows);
  }
  return {};
}

int64_t StepExecutor::bytesOf(const BufferView &view) {
  const ElementType &type = view.buffer->type;
  int64_t elements = elementCount(view.shape);
  if (!type.isQuantised())
    return elements * dtypeBytes(type.dtype());
  QuantizedRow row(type.format(), view.shape.back());
  return elements / view.shape.back() * row.bytes;
}

Status StepExecutor::checkBounds(const BufferView &view) {
  if (view.buffer->array)
    return invalidArgument("writes into an array of the batch");
  if (view.buffer->offset + bytesOf(view) > arena->bytes())
    return invalidArgument("uses ", bytesOf(view), " bytes at ",
                           view.buffer->offset, " of an arena of ",
                           arena->bytes());
  if (view.buffer->type.isQuantised() && view.buffer->type.format().bits != 8)
    return unsupported("buffers of ", view.buffer->type.name(),
                       " have no layout");
  return {};
}

void StepExecutor::poison(const BufferView &view, Operation *writer) {
  for (int64_t i = 0; i < bytesOf(view); ++i)
    arena->write(view.buffer->offset + i, 1, kNaN, writer);
}

/// Who wrote into the buffer's memory since the buffer was filled.
Operation *StepExecutor::foreignWriter(const BufferView &view) {
  for (int64_t i = 0; i < bytesOf(view); ++i)
    if (Operation *writer = arena->writer(view.buffer->offset + i);
        writer != view.buffer->writer)
      return writer;
  return nullptr;
}

StatusOr<Tensor> StepExecutor::readBuffer(const BufferView &view) {
  const Buffer &buffer = *view.buffer;
  if (buffer.array) {
    if (buffer.array->elements() != elementCount(view.shape))
      return invalidArgument("sees ", buffer.array->elements(), " entries as [",
                             join(view.shape), "]");
    Tensor array = *buffer.array;
    array.shape = view.shape;
    return array;
  }
  PAGODA_RETURN_IF_ERROR(checkBounds(view));
  Tensor tensor = Tensor::zeros(buffer.type, view.shape);
  if (!buffer.type.isQuantised()) {
    int64_t size = dtypeBytes(buffer.type.dtype());
    for (int64_t i = 0; i < tensor.elements(); ++i)
      tensor.numbers[i] = arena->read(buffer.offset + i * size, size);
    return tensor;
  }
  QuantizedRow row(buffer.type.format(), tensor.rowElements());
  for (int64_t r = 0; r < tensor.rows(); ++r) {
    int64_t at = buffer.offset + r * row.bytes;
    for (int64_t g = 0; g < row.groups; ++g)
      tensor.scales[r * row.groups + g] = arena->read(at + row.scaleAt(g), 4);
    for (int64_t k = 0; k < row.codes; ++k) {
      double code = arena->read(at + k, 1);
      if (std::isnan(code)) // there is no such code, but such a scale
        tensor.scales[(r * row.codes + k) / buffer.type.format().group] = kNaN;
      else
        tensor.codes[r * row.codes + k] = static_cast<int16_t>(code);
    }
  }
  return tensor;
}

Status StepExecutor::writeBuffer(const BufferView &view, const Tensor &tensor,
                                 Operation *writer) {
  const Buffer &buffer = *view.buffer;
  if (tensor.shape != view.shape)
    return invalidArgument("stores [", join(tensor.shape), "] in a buffer of [",
                           join(view.shape), "]");
  if (!buffer.type.isQuantised()) {
    DType type = buffer.type.dtype();
    bool rounds = type != DType::F32 && !options.transparentRoundings;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      double number = tensor.value(i);
      arena->write(buffer.offset + i * dtypeBytes(type), dtypeBytes(type),
                   rounds ? roundTo(type, number) : number, writer);
    }
    return {};
  }
  if (!(tensor.type == buffer.type))
    return invalidArgument("stores ", tensor.type.name(), " in a buffer of ",
                           buffer.type.name());
  QuantizedRow row(buffer.type.format(), tensor.rowElements());
  for (int64_t r = 0; r < tensor.rows(); ++r) {
    int64_t at = buffer.offset + r * row.bytes;
    for (int64_t g = 0; g < row.groups; ++g)
      arena->write(at + row.scaleAt(g), 4, tensor.scales[r * row.groups + g],
                   writer);
    int group = buffer.type.format().group;
    double sum = 0, half = 0;
    for (int64_t k = 0; k < row.codes; ++k) {
      int16_t code = tensor.codes[r * row.codes + k];
      arena->write(at + k, 1, code, writer);
      half += code;
      if (k % 16 == 15) {
        arena->write(at + row.halfSumAt(k / 16), 2, half, writer);
        sum += std::exchange(half, 0);
      }
      if (k % group == group - 1) {
        arena->write(at + row.sumAt(k / group), 4, sum, writer);
        sum = 0;
      }
    }
  }
  return {};
}

} // namespace pagoda::reference
