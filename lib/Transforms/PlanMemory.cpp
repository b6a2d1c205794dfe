//===- PlanMemory.cpp - Which buffers share memory ------------------------===//
//
// Linear scan over the commands of an entry (before and after: Passes.td): a
// buffer lives from its first launch to its last; it takes the free slot that
// needs the least growth, or a new one. Slots of different dims are not mixed,
// because their sum would exceed both.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace pagoda {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-plan-memory"

namespace pagoda {

namespace {

/// The commands between which a buffer holds something that is read later.
struct Life {
  exec::BufferOp buffer;
  unsigned first;
  unsigned last;
  unsigned order;
};

struct Slot {
  exec::AffineSize size;
  /// The last command that uses the slot so far.
  unsigned busyUntil;
};

std::vector<std::string> dimsOf(const exec::AffineSize &size) {
  std::vector<std::string> dims;
  for (const auto &[dim, factor] : size.factors)
    dims.push_back(dim);
  return dims;
}

/// How much `slot` would have to grow to hold `size`.
int64_t growth(const exec::AffineSize &slot, const exec::AffineSize &size) {
  exec::AffineSize grown = slot;
  grown.growTo(size);
  int64_t more = grown.constant - slot.constant;
  for (const auto &[dim, factor] : grown.factors)
    more += factor - (slot.factors.count(dim) ? slot.factors.at(dim) : 0);
  return more;
}

struct PlanMemoryPass : impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    exec::EntryOp entry = getOperation();
    SmallVector<Life> lives = findLives(entry);
    std::vector<Slot> slots;
    Builder builder(&getContext());
    for (Life &life : lives) {
      exec::AffineSize size = life.buffer.getResult().getType().getSize();
      unsigned index = chooseSlot(slots, size, life.first);
      if (index == slots.size())
        slots.push_back({size, life.last});
      slots[index].size.growTo(size);
      slots[index].busyUntil = life.last;
      life.buffer.setSlotAttr(builder.getI64IntegerAttr(index));
    }
    SmallVector<Attribute> sizes;
    for (const Slot &slot : slots)
      sizes.push_back(exec::SizeAttr::get(&getContext(), slot.size));
    entry.setSlotsAttr(builder.getArrayAttr(sizes));
  }

  static SmallVector<Life> findLives(exec::EntryOp entry) {
    SmallVector<Life> lives;
    llvm::DenseMap<Value, unsigned> lifeOf;
    unsigned command = 0;
    for (Operation &op : entry.getBody().front()) {
      if (auto view = dyn_cast<exec::ViewOp>(op)) {
        if (auto found = lifeOf.find(view.getSource()); found != lifeOf.end())
          lifeOf[view.getResult()] = found->second;
        continue;
      }
      if (auto buffer = dyn_cast<exec::BufferOp>(op)) {
        lifeOf[buffer.getResult()] = lives.size();
        lives.push_back({buffer, ~0u, 0, 0});
        continue;
      }
      ++command;
      for (Value operand : op.getOperands())
        if (auto found = lifeOf.find(operand); found != lifeOf.end()) {
          Life &life = lives[found->second];
          life.first = std::min(life.first, command);
          life.last = std::max(life.last, command);
        }
    }
    llvm::erase_if(lives, [](const Life &life) { return life.first == ~0u; });
    // Stable: buffers of one launch keep the order of the program.
    for (unsigned index = 0; index < lives.size(); ++index)
      lives[index].order = index;
    llvm::sort(lives, [](const Life &a, const Life &b) {
      return std::tie(a.first, a.order) < std::tie(b.first, b.order);
    });
    return lives;
  }

  static unsigned chooseSlot(const std::vector<Slot> &slots,
                             const exec::AffineSize &size, unsigned first) {
    unsigned best = slots.size();
    int64_t least = 0;
    for (unsigned index = 0; index < slots.size(); ++index) {
      if (slots[index].busyUntil >= first ||
          dimsOf(slots[index].size) != dimsOf(size))
        continue;
      int64_t more = growth(slots[index].size, size);
      if (best == slots.size() || more < least) {
        best = index;
        least = more;
      }
    }
    return best;
  }
};

} // namespace
} // namespace pagoda
