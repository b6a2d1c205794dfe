//===- Fuse.cpp - Groups of ops that one kernel computes ------------------===//
//
// Grows a group around each anchor by what the anchor's kernel family can
// absorb (before and after: Passes.td). An op joins only if the program stays
// acyclic when every group is one op; then groups are put in place of their
// ops and the block is sorted.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Dialect/LLM/NamedDims.h"
#include "pagoda/Kernels/KernelFamily.h"
#include "pagoda/Kernels/Pointwise.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace pagoda {
#define GEN_PASS_DEF_FUSEPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-fuse"

namespace pagoda {

namespace {

/// A group under construction.
struct Group {
  const KernelFamily *family;
  Operation *anchor;
  llvm::SetVector<Operation *> ops;
};

std::string_view view(StringRef text) { return {text.data(), text.size()}; }

class GroupBuilder {
public:
  explicit GroupBuilder(Block &block) : block(block) {
    for (auto [index, op] : llvm::enumerate(block))
      order[&op] = index;
  }

  /// Families with an anchor of their own first, then elementwise leftovers.
  void formGroups() {
    auto growAnchors = [&](auto isWanted) {
      for (Operation &op : block)
        if (const KernelFamily *family =
                findFamilyByAnchor(view(op.getName().getStringRef())))
          if (!groupOf.count(&op) && isWanted(&op))
            grow(*family, &op);
    };
    growAnchors([](Operation *op) { return takesEarlier(op) == nullptr; });
    for (Operation &op : block)
      if (!groupOf.count(&op) && llm::isPointwise(&op) &&
          llm::getRowDim(op.getResult(0)))
        grow(*findFamily("pointwise"), &op);
    // What was left for another group to absorb, and was not.
    growAnchors([](Operation *) { return true; });
  }

  unsigned outline() {
    for (Group &group : llvm::make_pointee_range(groups))
      outlineGroup(group);
    sortTopologically(&block);
    return groups.size();
  }

private:
  /// The anchor behind `op` that will take it along, if there is one: ops
  /// in front of another anchor must not start a group of their own first.
  static Operation *takesEarlier(Operation *op) {
    if (isa<llm::QuantizeOp>(op))
      return op->getOperand(0).getDefiningOp();
    if (isa<llm::GatherRowsOp>(op) && op->hasOneUse() &&
        isa<llm::RMSNormOp>(*op->user_begin()))
      return *op->user_begin();
    // Rotations and head norms wait for the append that they lead to.
    auto norm = dyn_cast<llm::RMSNormOp>(op);
    bool perHead =
        norm && cast<RankedTensorType>(norm.getType()).getRank() == 3;
    if ((perHead || isa<llm::RopeOp, llm::CastOp>(op)) && op->hasOneUse()) {
      Operation *user = *op->user_begin();
      if (isa<llm::RopeOp, llm::CastOp, llm::KVAppendOp, llm::PagedAttentionOp>(
              user))
        return user;
    }
    return nullptr;
  }

  void grow(const KernelFamily &family, Operation *anchor) {
    groups.push_back(std::make_unique<Group>());
    Group &group = *groups.back();
    group.family = &family;
    group.anchor = anchor;
    add(group, anchor);
    if (family.absorbs(Absorb::Siblings))
      addSiblings(group);
    if (family.absorbs(Absorb::GatherBefore))
      if (auto gather =
              getSingleUseProducer<llm::GatherRowsOp>(anchor->getOperand(0)))
        tryAdd(group, gather);
    if (family.absorbs(Absorb::RotationBefore))
      addHeadOps(group);
    if (family.absorbs(Absorb::PointwiseAfter))
      addPointwise(group);
    if (family.absorbs(Absorb::QuantizeAfter))
      addQuantize(group);
  }

  /// Anchors of the same kind over the same input.
  void addSiblings(Group &group) {
    Value input = group.anchor->getOperand(0);
    SmallVector<Operation *> siblings;
    for (Operation *user : input.getUsers())
      if (user->getName() == group.anchor->getName() &&
          user->getBlock() == &block && user->getOperand(0) == input)
        siblings.push_back(user);
    llvm::sort(siblings, [&](Operation *a, Operation *b) {
      return order.lookup(a) < order.lookup(b);
    });
    for (Operation *sibling : siblings)
      tryAdd(group, sibling);
  }

  /// Casts, rotations and head norms that lead to the appended keys and
  /// values, and to the queries that read them.
  void addHeadOps(Group &group) {
    auto append = cast<llm::KVAppendOp>(group.anchor);
    addChain(group, append.getKey());
    addChain(group, append.getValue());
    for (Operation *user : append.getResult().getUsers())
      if (auto attention = dyn_cast<llm::PagedAttentionOp>(user))
        addChain(group, attention.getQuery());
  }

  void addChain(Group &group, Value value) {
    for (;;) {
      Operation *op = value.getDefiningOp();
      bool wanted = op && ((group.family->absorbs(Absorb::CastBefore) &&
                            isa<llm::CastOp>(op)) ||
                           (group.family->absorbs(Absorb::RotationBefore) &&
                            isa<llm::RopeOp>(op)) ||
                           (group.family->absorbs(Absorb::HeadNormBefore) &&
                            isa<llm::RMSNormOp>(op)));
      if (!wanted || !op->hasOneUse() || !tryAdd(group, op))
        return;
      value = op->getOperand(0);
    }
  }

  /// Elementwise ops on values that nothing else reads, while all that they
  /// combine has the same rows.
  void addPointwise(Group &group) {
    for (unsigned index = 0; index < group.ops.size(); ++index)
      for (Value result : group.ops[index]->getResults()) {
        if (!result.hasOneUse())
          if (result.use_empty() ||
              !llvm::all_equal(llvm::map_range(
                  result.getUsers(), [](Operation *user) { return user; })))
            continue;
        Operation *user = *result.user_begin();
        if (llm::isPointwise(user) && user->getBlock() == &block &&
            findPointwise(llm::pointwiseKey(user)) &&
            user->getResult(0).getType() == result.getType() &&
            llm::getRowDim(user->getResult(0)) == llm::getRowDim(result))
          tryAdd(group, user);
      }
  }

  /// The rounding of a result that nothing else reads, with the joining of
  /// heads in between.
  void addQuantize(Group &group) {
    SmallVector<Operation *> members(group.ops.begin(), group.ops.end());
    for (Operation *member : members)
      for (Value result : member->getResults()) {
        if (!result.hasOneUse())
          continue;
        Operation *user = *result.user_begin();
        auto joined = dyn_cast<tensor::CollapseShapeOp>(user);
        if (joined && isa<llm::PagedAttentionOp>(member) && joined->hasOneUse())
          user = *joined->user_begin();
        else
          joined = nullptr;
        if (!isa<llm::QuantizeOp>(user) || user->getBlock() != &block ||
            !canQuantize(member) || groupOf.count(user))
          continue;
        if (!joined || tryAdd(group, joined))
          tryAdd(group, user);
        return;
      }
  }

  /// Groups of 32 codes must not span heads.
  static bool canQuantize(Operation *producer) {
    auto type = cast<RankedTensorType>(producer->getResult(0).getType());
    return type.getShape().back() % 32 == 0;
  }

  template <typename OpT>
  static OpT getSingleUseProducer(Value value) {
    auto op = value.getDefiningOp<OpT>();
    return op && op->hasOneUse() ? op : OpT();
  }

  void add(Group &group, Operation *op) {
    group.ops.insert(op);
    groupOf[op] = &group;
  }

  bool tryAdd(Group &group, Operation *op) {
    if (groupOf.count(op) || createsCycle(group, op))
      return false;
    add(group, op);
    return true;
  }

  /// True if, with `op` in the group, something outside both depends on it and
  /// feeds it. Other groups count as one op each.
  bool createsCycle(const Group &group, Operation *op) {
    auto inside = [&](Operation *other) {
      return other == op || group.ops.contains(other);
    };
    SmallVector<Operation *> work;
    llvm::SmallPtrSet<Operation *, 32> seen;
    auto push = [&](Operation *other) {
      if (other->getBlock() == &block && seen.insert(other).second)
        work.push_back(other);
    };
    auto pushOutside = [&](Operation *from) {
      for (Operation *user : from->getUsers())
        if (!inside(user))
          push(user);
    };
    for (Operation *member : group.ops)
      pushOutside(member);
    pushOutside(op);
    while (!work.empty()) {
      Operation *current = work.pop_back_val();
      auto reach = [&](Operation *from) {
        for (Operation *user : from->getUsers()) {
          if (inside(user))
            return true;
          push(user);
        }
        return false;
      };
      if (Group *other = groupOf.lookup(current)) {
        for (Operation *member : other->ops)
          if (reach(member))
            return true;
      } else if (reach(current)) {
        return true;
      }
    }
    return false;
  }

  void outlineGroup(Group &group) {
    SmallVector<Operation *> ops = group.ops.takeVector();
    llvm::sort(ops, [&](Operation *a, Operation *b) {
      return order.lookup(a) < order.lookup(b);
    });
    llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
    llvm::SetVector<Value> inputs;
    SmallVector<Value> results;
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!members.contains(operand.getDefiningOp()))
          inputs.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !members.contains(user);
            }))
          results.push_back(result);
    }

    OpBuilder builder(ops.front());
    auto fused = llm::FusedOp::create(builder, group.anchor->getLoc(),
                                      TypeRange(ValueRange(results)),
                                      inputs.getArrayRef(), llm::KernelAttr());
    SmallVector<Location> locs(inputs.size(), group.anchor->getLoc());
    Block *body =
        builder.createBlock(&fused.getBody(), {},
                            TypeRange(ValueRange(inputs.getArrayRef())), locs);
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body->getArguments());
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(mapping.lookup(result));
    llm::YieldOp::create(builder, group.anchor->getLoc(), yielded);
    for (auto [result, replacement] : llvm::zip(results, fused.getResults()))
      result.replaceAllUsesWith(replacement);
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  Block &block;
  llvm::DenseMap<Operation *, unsigned> order;
  SmallVector<std::unique_ptr<Group>> groups;
  llvm::DenseMap<Operation *, Group *> groupOf;
};

struct FusePass : impl::FusePassBase<FusePass> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(llm::LLMDialect::kEntryAttr))
      return;
    GroupBuilder builder(getOperation().getBody().front());
    builder.formGroups();
    numGroups += builder.outline();
  }
};

} // namespace
} // namespace pagoda
