#include "StepGraph.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/Exec/ExecDialect.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace pagoda {

namespace {

using Json = nlohmann::ordered_json;

/// "?×576 f32", "49152×576 q8_0 tile32": a type as it fits beside an edge.
std::string shortType(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto element = [&](Type elementType) {
    std::string printed;
    llvm::raw_string_ostream(printed) << elementType;
    StringRef name(printed);
    name.consume_front("!llm.");
    auto quantised = dyn_cast<llm::QuantType>(elementType);
    if (quantised && name.starts_with("q<")) // a format without a short name
      stream << ' ' << name.drop_front(2).split(',').first << '/'
             << quantised.getFormat().group;
    else
      stream << ' ' << name;
  };
  llvm::TypeSwitch<Type>(type)
      .Case([&](RankedTensorType tensor) {
        llvm::interleave(
            tensor.getShape(),
            [&](int64_t extent) {
              if (ShapedType::isDynamic(extent))
                stream << '?';
              else
                stream << extent;
            },
            [&] { stream << "×"; });
        element(tensor.getElementType());
      })
      .Case([&](llm::PackedType packed) {
        stream << shortType(packed.getTensor()) << ' '
               << stringifyEnum(packed.getLayout());
      })
      .Case([&](exec::BufferType buffer) {
        llvm::interleave(
            buffer.getExtents(),
            [&](Attribute extent) {
              if (auto number = dyn_cast<IntegerAttr>(extent))
                stream << number.getInt();
              else
                stream << cast<StringAttr>(extent).getValue();
            },
            [&] { stream << "×"; });
        element(buffer.getElementType());
      })
      .Default([&](Type other) { stream << other; });
  return text;
}

bool isCache(Type type) { return isa<llm::CacheType>(type); }

class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, AsmState &state,
               const AsmState::LocationMap &lines)
      : module(module), state(state), lines(lines) {}

  Json build(Block &body, StringRef name) {
    for (BlockArgument argument : body.getArguments())
      if (isa<RankedTensorType, exec::BufferType>(argument.getType()))
        sources[argument] = addNode("input", roleOf(argument), nullptr);
    for (Operation &op : body)
      visit(&op);
    return {{"name", name.str()}, {"nodes", std::move(nodes)}};
  }

private:
  std::string roleOf(BlockArgument argument) {
    if (auto function =
            dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto role = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), llm::LLMDialect::kRoleAttr))
        return role.getValue().str();
    return argument.getArgNumber() == 0 ? "ids" : nameOf(argument);
  }

  std::string nameOf(Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, state);
    return text;
  }

  size_t addNode(const char *kind, std::string title, Operation *op) {
    // Lines are counted from 1 there, from 0 here.
    unsigned first = 0, count = 1;
    if (op) {
      first = lines.lookup(op).first;
      for (Region &region : op->getRegions())
        if (!region.empty() && !region.back().empty())
          count = lines.lookup(&region.back().back()).first + 2 - first;
    }
    nodes.push_back({{"kind", kind},
                     {"title", std::move(title)},
                     {"ops", Json::array()},
                     {"weights", Json::array()},
                     {"outputs", Json::array()},
                     {"inputs", Json::array()},
                     {"line", first ? first - 1 : 0},
                     {"lineCount", count}});
    return nodes.size() - 1;
  }

  void visit(Operation *op) {
    if (passThrough(op) || noteWeight(op) || isPlumbing(op))
      return;
    if (auto launch = dyn_cast<exec::LaunchOp>(op))
      return visitLaunch(launch);
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      for (Value value : op->getOperands())
        if (!isCache(value.getType()))
          addInput(addNode("output", "logits", op), value);
      return;
    }
    std::string title = op->getName().getStringRef().str();
    if (auto fused = dyn_cast<llm::FusedOp>(op))
      if (auto kernel = fused.getKernel())
        title += concat(" ", kernel->getFamily().str());
    size_t node = addNode("op", title, op);
    for (Region &region : op->getRegions())
      listOps(node, region);
    for (Value operand : op->getOperands())
      addInput(node, operand);
    for (Value result : op->getResults()) {
      sources[result] = node;
      if (!isCache(result.getType()))
        nodes[node]["outputs"].push_back(shortType(result.getType()));
    }
  }

  /// Reshapes hand their source on.
  bool passThrough(Operation *op) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, exec::ViewOp>(op))
      return false;
    behind[op->getResult(0)] = root(op->getOperand(0));
    return true;
  }

  Value root(Value value) {
    auto found = behind.find(value);
    return found == behind.end() ? value : found->second;
  }

  /// Weights, and what is computed from weights alone.
  bool noteWeight(Operation *op) {
    bool leaf = isa<llm::NamedWeightOp, llm::DefinedOp, exec::WeightOp,
                    llm::WeightRopeTableOp>(op) ||
                op->hasTrait<OpTrait::ConstantLike>();
    bool derived = op->getNumOperands() > 0 &&
                   llvm::all_of(op->getOperands(),
                                [&](Value v) { return weights.contains(v); });
    if (op->getNumResults() != 1 || (!leaf && !derived))
      return false;
    std::string name =
        leaf ? weightName(op) : weights.lookup(op->getOperand(0));
    weights[op->getResult(0)] = name;
    return true;
  }

  std::string weightName(Operation *op) {
    return llvm::TypeSwitch<Operation *, std::string>(op)
        .Case([](llm::NamedWeightOp weight) { return weight.getName().str(); })
        .Case<llm::DefinedOp, exec::WeightOp>(
            [](auto weight) { return weight.getName().str(); })
        .Default([&](Operation *other) {
          return nameOf(other->getResult(0)).substr(1);
        });
  }

  /// Sizes, positions and memory: no arithmetic of the model.
  static bool isPlumbing(Operation *op) {
    return isa<llm::DimOp, llm::PositionsOp, llm::RowsOp, exec::FieldOp,
               exec::BufferOp, exec::LayerOp, tensor::DimOp>(op);
  }

  void visitLaunch(exec::LaunchOp launch) {
    size_t node = addNode("op", launch.getKernel().str(), launch);
    if (auto kernel = SymbolTable::lookupNearestSymbolFrom<exec::KernelOp>(
            launch, launch.getKernelAttr()))
      listOps(node, kernel.getContract());
    for (Value input : launch.getInputs()) {
      if (auto layer = input.getDefiningOp<exec::LayerOp>())
        addCacheInput(node, layer);
      else
        addInput(node, input);
    }
    for (Value output : launch.getOutputs()) {
      nodes[node]["outputs"].push_back(shortType(output.getType()));
      sources[root(output)] = node;
    }
  }

  /// What came before on the same layer of the cache: appended keys, usually.
  void addCacheInput(size_t node, exec::LayerOp layer) {
    int64_t index = layer.getIndex();
    if (auto found = cacheUsers.find(index); found != cacheUsers.end())
      nodes[node]["inputs"].push_back({{"from", found->second},
                                       {"name", nameOf(layer.getResult())},
                                       {"type", concat("cache[", index, "]")},
                                       {"cache", true}});
    cacheUsers[index] = node;
  }

  void addInput(size_t node, Value value) {
    if (auto weight = weights.find(value); weight != weights.end()) {
      nodes[node]["weights"].push_back(
          {{"name", weight->second}, {"type", shortType(value.getType())}});
      return;
    }
    auto source = sources.find(root(value));
    if (source == sources.end())
      return;
    Json input = {{"from", source->second},
                  {"name", nameOf(value)},
                  {"type", shortType(value.getType())}};
    if (isCache(value.getType())) {
      input["cache"] = true;
      input["type"] = "cache";
    }
    nodes[node]["inputs"].push_back(std::move(input));
  }

  /// "linear ×3", "gated": the ops of a group, in order.
  void listOps(size_t node, Region &region) {
    std::vector<std::pair<std::string, unsigned>> ops;
    for (Operation &op : region.front()) {
      if (op.hasTrait<OpTrait::IsTerminator>() ||
          isa<llm::WeightUnpackOp, llm::DimOp, tensor::ExpandShapeOp,
              tensor::CollapseShapeOp>(op))
        continue;
      std::string name = op.getName().stripDialect().str();
      if (!ops.empty() && ops.back().first == name)
        ++ops.back().second;
      else
        ops.emplace_back(name, 1);
    }
    for (const auto &[name, count] : ops)
      nodes[node]["ops"].push_back(count > 1 ? concat(name, " ×", count)
                                             : name);
  }

  ModuleOp module;
  AsmState &state;
  const AsmState::LocationMap &lines;
  Json nodes = Json::array();
  llvm::DenseMap<Value, size_t> sources;
  llvm::DenseMap<Value, Value> behind;
  llvm::DenseMap<Value, std::string> weights;
  std::map<int64_t, size_t> cacheUsers;
};

} // namespace

Json describeGraphs(ModuleOp module, AsmState &state,
                    const AsmState::LocationMap &lines) {
  Json graphs = Json::array();
  for (Operation &op : *module.getBody()) {
    if (!op.hasAttr(llm::LLMDialect::kEntryAttr) || op.getNumRegions() == 0 ||
        !llvm::hasSingleElement(op.getRegion(0)))
      continue;
    graphs.push_back(GraphBuilder(module, state, lines)
                         .build(op.getRegion(0).front(),
                                SymbolTable::getSymbolName(&op).getValue()));
  }
  return graphs;
}

} // namespace pagoda
