//===- LowerToExec.cpp - From groups to launches --------------------------===//
//
// Turns each entry function into an exec.entry (before and after: Passes.td).
// The only place where the two dialects meet. Groups that differ in nothing
// but the layer of the cache share a kernel, because the layer becomes part of
// the operand.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/Groups.h"
#include "pagoda/Dialect/LLM/NamedDims.h"
#include "pagoda/Kernels/KernelFamily.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pagoda {
#define GEN_PASS_DEF_LOWERTOEXECPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-lower-to-exec"

namespace pagoda {

namespace {

/// What a step brings, in the order in which kernels find it.
constexpr StringLiteral kStepDims[] = {"tokens", "sequences", "rows",
                                       "table_width", "blocks"};

constexpr StringLiteral kLayerAttr = "layer";

/// Sets the layer of all ops of a contract to 0 and returns what it was;
/// nothing if they have none.
std::optional<int64_t> takeLayer(Block &body) {
  std::optional<int64_t> layer;
  for (Operation &op : body)
    if (auto attribute = op.getAttrOfType<IntegerAttr>(kLayerAttr)) {
      layer = attribute.getInt();
      op.setAttr(kLayerAttr, IntegerAttr::get(attribute.getType(), 0));
    }
  return layer;
}

/// `<family>_<format>_<shape>`, which tells kernels of a module apart at a
/// glance.
std::string kernelName(llm::FusedOp group) {
  std::string name = group.getKernel()->getFamily().str();
  std::string formats, shape;
  for (Operation &op : group.getBody().front()) {
    Value matrix;
    if (auto linear = dyn_cast<llm::LinearOp>(op))
      matrix = linear.getWeight();
    if (auto embedding = dyn_cast<llm::EmbeddingOp>(op))
      matrix = embedding.getTable();
    if (matrix) {
      auto tensor = cast<RankedTensorType>(matrix.getType());
      std::string format = llm::getElementType(tensor.getElementType())->name();
      if (formats.find(format) == std::string::npos)
        formats += "_" + format;
      if (shape.empty())
        shape = concat("_", tensor.getDimSize(1));
      shape += concat("x", tensor.getDimSize(0));
      continue;
    }
    if (!shape.empty() || op.getNumOperands() == 0 ||
        op.hasTrait<OpTrait::IsTerminator>())
      continue;
    for (Value operand : op.getOperands())
      if (auto tensor = dyn_cast<RankedTensorType>(operand.getType())) {
        for (int64_t extent : tensor.getShape().drop_front())
          shape += concat(shape.empty() ? "_" : "x", extent);
        break;
      }
  }
  for (char &c : formats)
    if (!llvm::isAlnum(c))
      c = '_';
  return name + formats + shape;
}

class EntryLowering {
public:
  EntryLowering(ModuleOp module, func::FuncOp function,
                llvm::StringMap<exec::KernelOp> &kernels,
                llvm::StringSet<> &names)
      : module(module), function(function), kernels(kernels), names(names),
        builder(module.getContext()) {}

  LogicalResult run() {
    builder.setInsertionPoint(function);
    SmallVector<StringRef> dims(std::begin(kStepDims), std::end(kStepDims));
    auto entry =
        exec::EntryOp::create(builder, function.getLoc(), function.getSymName(),
                              builder.getStrArrayAttr(dims), ArrayAttr());
    for (StringRef name :
         {llm::LLMDialect::kEntryAttr, llm::LLMDialect::kKVPolicyAttr})
      if (Attribute attribute = function->getAttr(name))
        entry->setDiscardableAttr(name, attribute);
    Block &source = function.getBody().front();
    Block *body = builder.createBlock(&entry.getBody());
    for (BlockArgument argument : source.getArguments()) {
      Type type = argument.getType();
      if (isa<TensorType>(type)) {
        exec::BufferType buffer = bufferType(argument);
        if (!buffer)
          return failure();
        type = buffer;
      }
      values.map(argument, body->addArgument(type, argument.getLoc()));
    }
    for (Operation &op : source)
      if (failed(lower(&op)))
        return failure();
    function.erase();
    return success();
  }

private:
  LogicalResult lower(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](llm::DefinedOp defined) {
          values.map(defined.getResult(),
                     exec::WeightOp::create(builder, op->getLoc(),
                                            defined.getResult().getType(),
                                            defined.getNameAttr())
                         .getResult());
          return success();
        })
        .Case<llm::PositionsOp>(
            [&](auto) { return lowerField(op, BatchField::Position); })
        .Case<llm::RowsOp>(
            [&](auto) { return lowerField(op, BatchField::Rows); })
        .Case<llm::DimOp, tensor::DimOp>([](auto) { return success(); })
        .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            [&](auto) { return lowerReshape(op); })
        .Case([&](llm::FusedOp group) { return lowerGroup(group); })
        .Case([&](func::ReturnOp) { return lowerReturn(op); })
        .Default([&](Operation *other) -> LogicalResult {
          if (isa<IndexType>(other->getNumResults() == 1
                                 ? other->getResult(0).getType()
                                 : Type(NoneType::get(op->getContext()))))
            return success(); // shape arithmetic: sizes come from types
          return other->emitOpError("is in no group, so no kernel computes it");
        });
  }

  /// The type of a value's buffer; null, with an error, where it can have none.
  exec::BufferType bufferType(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      emitError(value.getLoc())
          << "kernels have no buffers of " << value.getType();
      return {};
    }
    SmallVector<Attribute> extents;
    for (auto [index, extent] : llvm::enumerate(type.getShape())) {
      if (!ShapedType::isDynamic(extent)) {
        extents.push_back(builder.getI64IntegerAttr(extent));
        continue;
      }
      std::optional<llm::BatchDim> dim =
          index == 0 ? llm::getRowDim(value) : std::nullopt;
      if (!dim) {
        emitError(value.getLoc()) << "extent " << index << " of " << type
                                  << " is no size of the batch";
        return {};
      }
      extents.push_back(builder.getStringAttr(stringifyBatchDim(*dim)));
    }
    return exec::BufferType::get(module.getContext(), extents,
                                 type.getElementType());
  }

  /// What stands for a value at this level; null, with an error, where nothing
  /// does, as for sizes, which only types have here.
  Value lowered(Operation *user, Value value) {
    if (Value found = values.lookupOrNull(value))
      return found;
    user->emitOpError("uses a value of ")
        << value.getType()
        << ", of which kernels take none; they take tensors, weights, the "
           "batch "
           "and the cache";
    return {};
  }

  LogicalResult lowerField(Operation *op, BatchField field) {
    exec::BufferType type = bufferType(op->getResult(0));
    Value batch = lowered(op, op->getOperand(0));
    if (!type || !batch)
      return failure();
    std::string_view name = batchFieldName(field);
    values.map(op->getResult(0),
               exec::FieldOp::create(builder, op->getLoc(), type, batch,
                                     StringRef(name.data(), name.size()))
                   .getResult());
    return success();
  }

  LogicalResult lowerReshape(Operation *op) {
    exec::BufferType type = bufferType(op->getResult(0));
    Value source = lowered(op, op->getOperand(0));
    if (!type || !source)
      return failure();
    values.map(
        op->getResult(0),
        exec::ViewOp::create(builder, op->getLoc(), type, source).getResult());
    return success();
  }

  LogicalResult lowerGroup(llm::FusedOp group) {
    if (!group.getKernel())
      return group.emitOpError(
          "has no kernel; run pagoda-select-kernels first");
    std::optional<int64_t> layer = takeLayer(group.getBody().front());
    exec::KernelOp kernel = internKernel(group);

    SmallVector<Value> inputs, outputs;
    for (Value input : group.getInputs()) {
      Value value = lowered(group, input);
      if (!value)
        return failure();
      if (isa<llm::CacheType>(value.getType()))
        value = exec::LayerOp::create(builder, group.getLoc(), value.getType(),
                                      value, layer.value_or(0))
                    .getResult();
      inputs.push_back(value);
    }
    for (Value result : group.getResults()) {
      if (isa<llm::CacheType>(result.getType())) {
        Value cache = cacheOf(group);
        if (!cache)
          return group.emitOpError("returns a cache and takes none");
        values.map(result, cache);
        continue;
      }
      exec::BufferType type = bufferType(result);
      if (!type)
        return failure();
      Value buffer =
          exec::BufferOp::create(builder, group.getLoc(), type, IntegerAttr());
      values.map(result, buffer);
      outputs.push_back(buffer);
    }
    exec::LaunchOp::create(builder, group.getLoc(), kernel.getSymName(), inputs,
                           outputs);
    return success();
  }

  /// The entry's cache: appends change it in place.
  Value cacheOf(llm::FusedOp group) {
    for (Value input : group.getInputs())
      if (isa<llm::CacheType>(input.getType()))
        return values.lookupOrNull(input);
    return {};
  }

  /// The kernel with this group's template, parameters and contract.
  exec::KernelOp internKernel(llm::FusedOp group) {
    std::string content;
    llvm::raw_string_ostream stream(content);
    OpPrintingFlags flags;
    flags.useLocalScope();
    stream << group.getKernelAttr();
    for (Type type : group.getBody().getArgumentTypes())
      stream << ' ' << type;
    // Printed alone, ops of equal groups read alike.
    IRMapping mapping;
    OpBuilder scratch(module.getContext());
    OwningOpRef<func::FuncOp> copy = func::FuncOp::create(
        group.getLoc(), "contract",
        FunctionType::get(module.getContext(),
                          group.getBody().getArgumentTypes(), {}));
    group.getBody().cloneInto(&copy->getBody(), mapping);
    copy->getOperation()->print(stream, flags);
    exec::KernelOp &kernel = kernels[content];
    if (kernel)
      return kernel;

    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(builder.getInsertionBlock()->getParentOp());
    kernel = exec::KernelOp::create(
        builder, group.getLoc(), uniqueName(kernelName(group)),
        group.getKernel()->getFamily(), group.getKernel()->getParameters());
    IRMapping contract;
    group.getBody().cloneInto(&kernel.getContract(), contract);
    Operation *yield = kernel.getContract().front().getTerminator();
    builder.setInsertionPoint(yield);
    exec::YieldOp::create(builder, yield->getLoc(), yield->getOperands());
    yield->erase();
    return kernel;
  }

  std::string uniqueName(const std::string &base) {
    std::string name = base;
    for (unsigned suffix = 2; !names.insert(name).second; ++suffix)
      name = concat(base, "_", suffix);
    return name;
  }

  LogicalResult lowerReturn(Operation *op) {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType()))
        continue;
      Value buffer = lowered(op, operand);
      if (!buffer)
        return failure();
      buffers.push_back(buffer);
    }
    exec::ReturnOp::create(builder, op->getLoc(), buffers);
    return success();
  }

  ModuleOp module;
  func::FuncOp function;
  llvm::StringMap<exec::KernelOp> &kernels;
  llvm::StringSet<> &names;
  OpBuilder builder;
  IRMapping values;
};

struct LowerToExecPass : impl::LowerToExecPassBase<LowerToExecPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<exec::KernelOp> kernels;
    llvm::StringSet<> names;
    for (Operation &op : module)
      if (auto symbol =
              op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        names.insert(symbol.getValue());
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function->hasAttr(llm::LLMDialect::kEntryAttr))
        if (failed(EntryLowering(module, function, kernels, names).run()))
          return signalPassFailure();
  }
};

} // namespace
} // namespace pagoda
