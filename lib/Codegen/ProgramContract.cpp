#include "ProgramContract.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Kernels/KernelFamily.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/ScopedPrinter.h"

#include <map>

using namespace mlir;

namespace pagoda {

namespace {

std::string describe(exec::KernelOp kernel) {
  return concat("kernel '", kernel.getSymName().str(), "'");
}

/// Parameters that the code generator reads.
struct Parameter {
  std::string_view family, name;
  bool isType;
};
constexpr Parameter kParameters[] = {
    {"kv_append", "block", false},
    {"paged_attention", "block", false},
    {"paged_attention", "chunk", false},
    {"paged_attention", "dtype", true},
};

Status checkParameters(exec::KernelOp kernel) {
  for (const Parameter &parameter : kParameters) {
    if (kernel.getFamily() != StringRef(parameter.family))
      continue;
    Attribute value = kernel.getParameters().get(parameter.name);
    auto number = dyn_cast_or_null<IntegerAttr>(value);
    bool fits = parameter.isType ? isa_and_nonnull<TypeAttr>(value)
                                 : number && number.getType().isInteger(64) &&
                                       number.getInt() > 0;
    if (!fits)
      return invalidArgument(describe(kernel), " of the family '",
                             parameter.family, "' needs a parameter '",
                             parameter.name, "', ",
                             parameter.isType ? "a type" : "a positive i64");
  }
  return {};
}

Status checkKernel(exec::KernelOp kernel) {
  StringRef family = kernel.getFamily();
  if (!findFamily({family.data(), family.size()})) {
    std::vector<std::string> known;
    for (const KernelFamily &one : kernelFamilies())
      known.emplace_back(one.name);
    return invalidArgument(describe(kernel), " is of the family '",
                           family.str(), "'; there are ", join(known));
  }
  llvm::SmallPtrSet<void *, 4> yielded;
  for (Value value :
       kernel.getContract().front().getTerminator()->getOperands())
    if (isa<BlockArgument>(value) ||
        !yielded.insert(value.getAsOpaquePointer()).second)
      return invalidArgument(describe(kernel),
                             " yields one of its arguments, or a value twice; "
                             "each result is an op's own");
  return checkParameters(kernel);
}

Status checkArguments(exec::EntryOp entry) {
  int ids = 0, batches = 0, caches = 0;
  for (BlockArgument argument : entry.getBody().getArguments()) {
    Type type = argument.getType();
    auto buffer = dyn_cast<exec::BufferType>(type);
    bool isIds = buffer && buffer.getRank() == 1 &&
                 buffer.getElementType().isInteger(32);
    bool fits = (isIds && ++ids == 1) ||
                (isa<llm::BatchType>(type) && ++batches == 1) ||
                (isa<llm::CacheType>(type) && ++caches == 1);
    if (!fits)
      return invalidArgument("argument ", argument.getArgNumber(),
                             " of the entry '", entry.getSymName().str(),
                             "' is ", llvm::to_string(type),
                             "; a step brings token ids, "
                             "!exec.buffer<[tokens], i32>, a batch and a "
                             "cache, each once");
  }
  return {};
}

/// The buffer that a value is, or is a view of; null for what no launch can
/// write.
exec::BufferOp bufferOf(Value value) {
  while (auto view = value.getDefiningOp<exec::ViewOp>())
    value = view.getSource();
  return value.getDefiningOp<exec::BufferOp>();
}

Status checkResults(exec::EntryOp entry) {
  OperandRange results = entry.getBody().front().getTerminator()->getOperands();
  for (auto [index, value] : llvm::enumerate(results)) {
    auto type = dyn_cast<exec::BufferType>(value.getType());
    // Logits, then the greedy tokens.
    bool fits = type && index < 2 && bufferOf(value) &&
                type.getRank() == (index == 0 ? 2u : 1u) &&
                (index == 0 ? type.getElementType().isF32()
                            : type.getElementType().isInteger(32)) &&
                (index == 1 || type.getStaticExtent(1).value_or(0) > 0);
    if (!fits)
      return invalidArgument(
          "result ", index, " of the entry '", entry.getSymName().str(),
          "' is ", llvm::to_string(value.getType()),
          bufferOf(value) ? "" : ", no buffer",
          "; a step returns buffers of logits, <[rows, V], f32>, and of greedy "
          "tokens, <[rows], i32>, that launches wrote");
  }
  if (results.empty())
    return invalidArgument("the entry '", entry.getSymName().str(),
                           "' returns nothing; a step returns its logits");
  return {};
}

/// What one layer of the cache holds.
struct LayerShape {
  int64_t heads, elements;
  bool operator==(const LayerShape &) const = default;
};

Status checkLayers(exec::EntryOp entry, SymbolTable &symbols) {
  std::map<uint64_t, LayerShape> layers;
  for (auto launch : entry.getBody().front().getOps<exec::LaunchOp>()) {
    auto kernel = symbols.lookup<exec::KernelOp>(launch.getKernel());
    std::optional<uint64_t> layer;
    for (Value input : launch.getInputs()) {
      if (!isa<llm::CacheType>(input.getType()))
        continue;
      auto op = input.getDefiningOp<exec::LayerOp>();
      if (!op)
        return invalidArgument("a launch of ", describe(kernel),
                               " takes the whole cache; take a layer of it "
                               "with exec.layer");
      layer = op.getIndex();
    }
    if (!layer)
      continue;
    Status status;
    kernel.walk([&](llm::KVAppendOp append) {
      ArrayRef<int64_t> key =
          cast<RankedTensorType>(append.getKey().getType()).getShape();
      LayerShape shape{key[1], key[2]};
      auto [known, isNew] = layers.try_emplace(*layer, shape);
      if (!isNew && !(known->second == shape))
        status = invalidArgument(
            "layer ", *layer, " of the cache has ", known->second.heads,
            " heads of ", known->second.elements, " and, in ", describe(kernel),
            ", ", shape.heads, " heads of ", shape.elements);
    });
    PAGODA_RETURN_IF_ERROR(std::move(status));
    layers.try_emplace(*layer, LayerShape{0, 0});
  }
  uint64_t next = 0;
  for (const auto &[layer, shape] : layers) {
    if (layer != next)
      return invalidArgument("the cache has a layer ", layer, " and none ",
                             next, "; layers count from 0 without gaps");
    ++next;
    if (shape.heads == 0)
      return invalidArgument("nothing is appended to layer ", layer,
                             " of the cache");
  }
  return {};
}

} // namespace

Status checkProgramContract(ModuleOp module) {
  for (auto kernel : module.getOps<exec::KernelOp>())
    PAGODA_RETURN_IF_ERROR(checkKernel(kernel));
  SymbolTable symbols(module);
  for (auto entry : module.getOps<exec::EntryOp>()) {
    PAGODA_RETURN_IF_ERROR(checkArguments(entry));
    PAGODA_RETURN_IF_ERROR(checkResults(entry));
    PAGODA_RETURN_IF_ERROR(checkLayers(entry, symbols));
  }
  return {};
}

} // namespace pagoda
