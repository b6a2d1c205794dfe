//===- SelectKernels.cpp - A template for every group ---------------------===//
//
// Checks that each group has the form its family's template computes, and
// writes template and parameters on it (before and after: Passes.td). What a
// template cannot take is split into single ops, which are tried again.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/LLM/Groups.h"
#include "pagoda/Dialect/LLM/NamedDims.h"
#include "pagoda/Kernels/KernelFamily.h"
#include "pagoda/Kernels/Pointwise.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace pagoda {
#define GEN_PASS_DEF_SELECTKERNELSPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-select-kernels"

namespace pagoda {

namespace {

/// Keys of one chunk of attention. It sets the order of sums, so it belongs to
/// the artifact and not to the machine.
constexpr int64_t kChunk = 64;

/// What kernels round activations to (core/quantized_row.h).
constexpr QuantFormat kActivationFormat{8, 32, ScaleKind::F32,
                                        ZeroKind::Signed};

/// Nothing for elements that kernels do not know.
std::optional<ElementType> elementType(Value tensor) {
  return llm::getElementType(
      cast<RankedTensorType>(tensor.getType()).getElementType());
}

/// Which op of a group is its anchor: the one of the highest rank, since some
/// anchors take others along. -1: none.
int anchorRank(Operation *op) {
  if (isa<llm::KVAppendOp>(op))
    return 4; // takes norms and rotations along
  if (isa<llm::QuantizeOp>(op))
    return 0; // belongs to whatever stands in front
  if (llm::isPointwise(op))
    return 1;
  if (isa<llm::GatherRowsOp>(op))
    return 2; // belongs to a norm behind
  StringRef name = op->getName().getStringRef();
  return findFamilyByAnchor({name.data(), name.size()}) ? 3 : -1;
}

/// Whether core/formats.h decodes such elements.
bool hasDecoder(const ElementType &type) {
  if (type.isQuantised())
    return quantFormatByName(type.name()).has_value();
  return type.dtype() == DType::F32 || type.dtype() == DType::F16 ||
         type.dtype() == DType::BF16;
}

/// The matrix that an op reads tile by tile; null for other ops.
Value streamedMatrix(Operation *op) {
  if (auto linear = dyn_cast<llm::LinearOp>(op))
    return linear.getWeight();
  if (auto embedding = dyn_cast<llm::EmbeddingOp>(op))
    return embedding.getTable();
  return {};
}

const KernelFamily *familyOfAnchor(Operation *op) {
  if (llm::isPointwise(op))
    return findFamily("pointwise");
  if (auto linear = dyn_cast<llm::LinearOp>(op)) {
    auto input = cast<RankedTensorType>(linear.getInput().getType());
    if (isa<llm::QuantType>(input.getElementType()))
      return findFamily("linear_i8");
  }
  StringRef name = op->getName().getStringRef();
  return findFamilyByAnchor({name.data(), name.size()});
}

const KernelFamily *familyOf(llm::FusedOp group) {
  const KernelFamily *family = nullptr;
  int best = -1;
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (int rank = anchorRank(&op); rank > best) {
      best = rank;
      family = familyOfAnchor(&op);
    }
  }
  return family;
}

class Selector {
public:
  explicit Selector(llm::KVPolicyAttr policy) : policy(policy) {}

  /// The parameters of the family's template for this group; nothing, and the
  /// reason in `why`, if it does not take it.
  std::optional<NamedAttrList> match(const KernelFamily &family,
                                     llm::FusedOp group, std::string &why) {
    Block &body = group.getBody().front();
    for (Value result : group.getResults())
      if (isa<TensorType>(result.getType()) && !llm::getRowDim(result)) {
        why = "the number of rows has no name in the batch";
        return std::nullopt;
      }
    for (Operation &op : body) {
      if (llm::isPointwise(&op) && !findPointwise(llm::pointwiseKey(&op))) {
        why = concat("there is no code for '", llm::pointwiseKey(&op), "'");
        return std::nullopt;
      }
      if (Value matrix = streamedMatrix(&op)) {
        auto type = llm::getElementType(
            cast<RankedTensorType>(matrix.getType()).getElementType());
        if (!type || !hasDecoder(*type)) {
          why = concat("there is no code for weights of '",
                       type ? type->name() : "unknown elements", "'");
          return std::nullopt;
        }
      }
      if (auto quantize = dyn_cast<llm::QuantizeOp>(op)) {
        auto type = elementType(quantize.getResult());
        if (!type || !type->isQuantised() ||
            type->format() != kActivationFormat) {
          why = concat("activations are rounded in groups of 32, found ",
                       type ? type->name() : "unknown elements");
          return std::nullopt;
        }
      }
    }
    NamedAttrList parameters;
    Builder builder(group.getContext());
    if (family.name == "linear_f32" || family.name == "linear_i8")
      return matchLinear(family, body, why) ? std::optional(parameters)
                                            : std::nullopt;
    if (family.name == "embedding" || family.name == "rms_norm" ||
        family.name == "gather_rows")
      return llm::matchRows(body, toRef(family.anchor), why)
                 ? std::optional(parameters)
                 : std::nullopt;
    if (family.name == "pointwise" || family.name == "quantize")
      return llm::matchPointwise(body, why) ? std::optional(parameters)
                                            : std::nullopt;
    if (family.name == "rope" || family.name == "argmax")
      return llm::matchSingle(body, toRef(family.anchor), why)
                 ? std::optional(parameters)
                 : std::nullopt;
    if (!policy) {
      why = "the entry has no llm.kv_policy; run pagoda-paged-attention first";
      return std::nullopt;
    }
    parameters.set("block", builder.getI64IntegerAttr(policy.getBlock()));
    if (family.name == "kv_append")
      return matchAppend(body, why) ? std::optional(parameters) : std::nullopt;
    if (!llm::matchPagedAttention(body, why))
      return std::nullopt;
    parameters.set("chunk", builder.getI64IntegerAttr(kChunk));
    parameters.set("dtype", TypeAttr::get(policy.getDtype()));
    return parameters;
  }

private:
  static StringRef toRef(std::string_view text) {
    return {text.data(), text.size()};
  }

  static bool matchLinear(const KernelFamily &family, Block &body,
                          std::string &why) {
    auto group = llm::matchLinear(body, why);
    if (!group)
      return false;
    auto input = elementType(group->input);
    bool isInteger = family.name == "linear_i8";
    for (const llm::LinearSegment &segment : group->segments)
      for (llm::LinearOp linear : segment.linears) {
        auto weight = elementType(linear.getWeight());
        if (!weight || (isInteger && !weight->isQuantised())) {
          why = "activations in 8 bits meet weights of " +
                (weight ? weight->name() : "unknown elements");
          return false;
        }
      }
    bool fits = input && (isInteger ? input->isQuantised() &&
                                          input->format() == kActivationFormat
                                    : *input == ElementType(DType::F32));
    if (!fits) {
      why = "the input is of " + (input ? input->name() : "unknown elements");
      return false;
    }
    return true;
  }

  bool matchAppend(Block &body, std::string &why) {
    auto group = llm::matchKVAppend(body, why);
    if (!group)
      return false;
    auto stored = cast<RankedTensorType>(group->append.getKey().getType());
    if (stored.getElementType() != policy.getDtype()) {
      why = "keys do not have the cache's type";
      return false;
    }
    return true;
  }

  llm::KVPolicyAttr policy;
};

/// Puts each op of a group into a group of its own.
void splitGroup(llm::FusedOp group, SmallVectorImpl<llm::FusedOp> &pieces) {
  OpBuilder builder(group);
  IRMapping mapping;
  Block &body = group.getBody().front();
  mapping.map(body.getArguments(), group.getInputs());
  for (Operation &op : body.without_terminator()) {
    SmallVector<Value> inputs;
    for (Value operand : op.getOperands())
      if (Value input = mapping.lookup(operand);
          !llvm::is_contained(inputs, input))
        inputs.push_back(input);
    auto piece = llm::FusedOp::create(builder, op.getLoc(), op.getResultTypes(),
                                      inputs, llm::KernelAttr());
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locs(inputs.size(), op.getLoc());
    Block *block = builder.createBlock(&piece.getBody(), {},
                                       TypeRange(ValueRange(inputs)), locs);
    IRMapping inner;
    for (Value operand : op.getOperands())
      inner.map(operand,
                block->getArgument(llvm::find(inputs, mapping.lookup(operand)) -
                                   inputs.begin()));
    Operation *copy = builder.clone(op, inner);
    llm::YieldOp::create(builder, op.getLoc(), copy->getResults());
    mapping.map(op.getResults(), piece.getResults());
    pieces.push_back(piece);
  }
  for (auto [result, yielded] :
       llvm::zip(group.getResults(), group.getYield()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(yielded));
  group.erase();
}

struct SelectKernelsPass : impl::SelectKernelsPassBase<SelectKernelsPass> {
  void runOnOperation() override {
    func::FuncOp entry = getOperation();
    if (!entry->hasAttr(llm::LLMDialect::kEntryAttr))
      return;
    Selector selector(entry->getAttrOfType<llm::KVPolicyAttr>(
        llm::LLMDialect::kKVPolicyAttr));
    SmallVector<llm::FusedOp> work(entry.getOps<llm::FusedOp>());
    for (unsigned index = 0; index < work.size(); ++index)
      if (failed(select(selector, work[index], work)))
        return signalPassFailure();
  }

  static LogicalResult select(Selector &selector, llm::FusedOp group,
                              SmallVectorImpl<llm::FusedOp> &work) {
    std::string why = "no kernel family has such an anchor";
    if (const KernelFamily *family = familyOf(group))
      if (auto parameters = selector.match(*family, group, why)) {
        MLIRContext *context = group.getContext();
        group.setKernelAttr(llm::KernelAttr::get(
            context,
            StringAttr::get(
                context, StringRef(family->name.data(), family->name.size())),
            parameters->getDictionary(context)));
        return success();
      }
    Block &body = group.getBody().front();
    if (body.getOperations().size() <= 2)
      return group.emitError("no kernel computes '")
             << body.front().getName() << "' here: " << why;
    group.emitRemark("no kernel computes this group, which is split: ") << why;
    splitGroup(group, work);
    return success();
  }
};

} // namespace
} // namespace pagoda
