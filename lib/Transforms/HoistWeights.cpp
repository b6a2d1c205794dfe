//===- HoistWeights.cpp - Weight expressions under names ------------------===//
//
// Outlines the cone of weight-only ops behind each value that the program
// reads (before and after: Passes.td). Definitions under a cone are inlined
// into it first, so that after a second run each definition again starts at
// sources. Equal text means equal content: cones are printed, without
// locations, to find duplicates.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace pagoda {
#define GEN_PASS_DEF_HOISTWEIGHTSPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-hoist-weights"

namespace pagoda {

namespace {

class Hoister {
public:
  explicit Hoister(ModuleOp module) : module(module), symbols(module) {}

  unsigned run() {
    for (auto define : module.getOps<llm::DefineOp>())
      known.try_emplace(contentOf(define), define);
    llvm::SetVector<Value> roots;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // A module inside has symbols of its own, and definitions are what this
      // makes.
      if ((isa<ModuleOp>(op) && op != module) || isa<llm::DefineOp>(op))
        return WalkResult::skip();
      if (isWeightOnly(op))
        return WalkResult::advance();
      for (Value operand : op->getOperands())
        if (isa<TensorType, llm::PackedType>(operand.getType()) &&
            isExpression(operand.getDefiningOp()))
          roots.insert(operand);
      return WalkResult::advance();
    });
    for (Value root : roots)
      outline(root);
    eraseUnused();
    return made;
  }

private:
  /// Ops that compute weights from nothing but sources, constants and other
  /// such ops. (Not the unpacking of a group's argument, for one.)
  /// Each op is asked once, though many may use it.
  bool isWeightOnly(Operation *op) {
    if (auto answer = weightOnly.find(op); answer != weightOnly.end())
      return answer->second;
    bool computes = isa<llm::DefinedOp>(op) ||
                    (llm::computesWeights(op) &&
                     llvm::all_of(op->getOperands(), [this](Value operand) {
                       Operation *def = operand.getDefiningOp();
                       return def && isWeightOnly(def);
                     }));
    return weightOnly[op] = computes;
  }

  /// A weight that is not just a definition's value or a plain constant.
  bool isExpression(Operation *op) {
    return op && !isa<llm::DefinedOp, arith::ConstantOp>(op) &&
           isWeightOnly(op);
  }

  void outline(Value root) {
    Operation *rootOp = root.getDefiningOp();
    SetVector<Operation *> cone;
    BackwardSliceOptions options;
    options.inclusive = true;
    (void)getBackwardSlice(rootOp, &cone, options);

    OpBuilder builder(module.getContext());
    auto define = llm::DefineOp::create(builder, rootOp->getLoc(), "pending",
                                        root.getType());
    builder.createBlock(&define.getBody());
    IRMapping mapping;
    for (Operation *op : cone) {
      if (auto defined = dyn_cast<llm::DefinedOp>(op))
        mapping.map(defined.getResult(), inlineDefinition(builder, defined));
      else
        builder.clone(*op, mapping);
    }
    llm::YieldOp::create(builder, rootOp->getLoc(), mapping.lookup(root));

    llm::DefineOp target = intern(define);
    builder.setInsertionPointAfter(rootOp);
    Value use = llm::DefinedOp::create(builder, rootOp->getLoc(),
                                       root.getType(), target.getSymName());
    root.replaceUsesWithIf(use, [&](OpOperand &operand) {
      return !cone.contains(operand.getOwner());
    });
    eraseDead(rootOp);
  }

  Value inlineDefinition(OpBuilder &builder, llm::DefinedOp defined) {
    auto define = symbols.lookup<llm::DefineOp>(defined.getName());
    IRMapping mapping;
    Block &body = define.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    return mapping.lookup(body.getTerminator()->getOperand(0));
  }

  /// The definition with the same content that exists, or this one, named and
  /// put into the module.
  llm::DefineOp intern(llm::DefineOp define) {
    std::string content = contentOf(define);
    if (llm::DefineOp same = known.lookup(content)) {
      define.erase();
      return same;
    }
    define.setSymName(nameFor(define));
    symbols.insert(define, insertionPoint());
    known[content] = define;
    ++made;
    return define;
  }

  /// After the sources and the definitions that exist.
  Block::iterator insertionPoint() {
    Block &block = *module.getBody();
    Block::iterator position = block.begin();
    while (position != block.end() &&
           isa<llm::SourceOp, llm::DefineOp>(*position))
      ++position;
    return position;
  }

  /// The name of the first tensor in the expression, and how its result
  /// differs from that tensor.
  static std::string nameFor(llm::DefineOp define) {
    std::string name;
    define.walk([&](Operation *op) {
      if (auto weight = dyn_cast<llm::NamedWeightOp>(op);
          weight && name.empty())
        name = weight.getName().str();
    });
    Operation *last =
        define.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
    if (name.empty())
      name = isa<llm::WeightRopeTableOp>(last) ? "rope_table" : "weight";
    if (auto pack = dyn_cast<llm::WeightPackOp>(last))
      name += ("." + stringifyPackLayout(pack.getType().getLayout())).str();
    return name;
  }

  static std::string contentOf(llm::DefineOp define) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << define.getType();
    // In the form that does not depend on whether the definition verifies: one
    // outside of a module does not.
    OpPrintingFlags flags;
    flags.useLocalScope();
    flags.printGenericOpForm();
    for (Operation &op : define.getBody().front()) {
      stream << '\n';
      op.print(stream, flags);
    }
    return text;
  }

  void eraseDead(Operation *op) {
    // A set: an op may be the last user of several others that all use one.
    SetVector<Operation *> work;
    work.insert(op);
    while (!work.empty()) {
      Operation *dead = work.pop_back_val();
      if (!dead->use_empty())
        continue;
      for (Value operand : dead->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && isWeightOnly(def))
          work.insert(def);
      weightOnly.erase(dead); // its address will be another op's
      dead->erase();
    }
  }

  void eraseUnused() {
    for (auto define :
         llvm::make_early_inc_range(module.getOps<llm::DefineOp>()))
      if (SymbolTable::symbolKnownUseEmpty(define, module))
        define.erase();
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<llm::DefineOp> known;
  llvm::DenseMap<Operation *, bool> weightOnly;
  unsigned made = 0;
};

struct HoistWeightsPass : impl::HoistWeightsPassBase<HoistWeightsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        if (failed(llm::verifyWeightReads(block)))
          return signalPassFailure();
    numDefinitions += hoistWeights(getOperation());
  }
};

} // namespace

unsigned hoistWeights(ModuleOp module) { return Hoister(module).run(); }

} // namespace pagoda
