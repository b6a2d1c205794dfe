#include "Plants.h"

#include "pagoda/Dialect/Exec/ExecOps.h"

using namespace mlir;

namespace pagoda::plants {

namespace {

exec::BufferOp bufferOf(Value value) {
  while (auto view = value.getDefiningOp<exec::ViewOp>())
    value = view.getSource();
  return value.getDefiningOp<exec::BufferOp>();
}

exec::EntryOp entryOf(ModuleOp module) {
  auto entries = module.getOps<exec::EntryOp>();
  return entries.empty() ? exec::EntryOp() : *entries.begin();
}

SmallVector<exec::LaunchOp> launchesOf(ModuleOp module) {
  exec::EntryOp entry = entryOf(module);
  return entry ? SmallVector<exec::LaunchOp>(
                     entry.getBody().front().getOps<exec::LaunchOp>())
               : SmallVector<exec::LaunchOp>();
}

/// The launch `number` writes where a buffer lies that was filled before it and
/// is read after it.
bool sharedSlot(ModuleOp module) {
  SmallVector<exec::LaunchOp> launches = launchesOf(module);
  for (size_t i = 1; i + 1 < launches.size(); ++i) {
    if (launches[i].getOutputs().empty())
      continue;
    auto output = bufferOf(launches[i].getOutputs()[0]);
    for (size_t before = 0; before < i; ++before)
      for (Value value : launches[before].getOutputs()) {
        auto live = bufferOf(value);
        bool isOwn = llvm::any_of(launches[i].getInputs(), [&](Value input) {
          return bufferOf(input) == live;
        });
        bool isReadLater = false;
        for (size_t after = i + 1; after < launches.size(); ++after)
          for (Value input : launches[after].getInputs())
            isReadLater |= bufferOf(input) == live;
        if (isOwn || !isReadLater ||
            live.getResult().getType().getSize() !=
                output.getResult().getType().getSize())
          continue;
        output.setSlotAttr(live.getSlotAttr());
        return true;
      }
  }
  return false;
}

/// A launch writes over its own input.
bool outputInInput(ModuleOp module) {
  for (exec::LaunchOp launch : launchesOf(module))
    for (Value input : launch.getInputs())
      for (Value output : launch.getOutputs())
        if (auto source = bufferOf(input))
          if (source.getResult().getType().getSize() ==
              bufferOf(output).getResult().getType().getSize()) {
            bufferOf(output).setSlotAttr(source.getSlotAttr());
            return true;
          }
  return false;
}

/// The second slot has half the bytes that its buffers need.
bool slotTooSmall(ModuleOp module) {
  exec::EntryOp entry = entryOf(module);
  if (!entry || !entry.getSlots() || entry.getSlots()->size() < 3)
    return false;
  SmallVector<Attribute> slots(entry.getSlots()->getValue());
  exec::AffineSize size = cast<exec::SizeAttr>(slots[1]).getValue();
  for (auto &[dim, factor] : size.factors)
    factor /= 2;
  slots[1] = exec::SizeAttr::get(module.getContext(), size);
  entry.setSlotsAttr(Builder(module.getContext()).getArrayAttr(slots));
  return true;
}

/// Attention runs before the append that feeds it.
bool launchesExchanged(ModuleOp module) {
  SmallVector<exec::LaunchOp> launches = launchesOf(module);
  for (size_t i = 0; i + 1 < launches.size(); ++i) {
    bool appends = launches[i].getKernel().contains("kv_append") &&
                   launches[i + 1].getKernel().contains("paged_attention");
    if (!appends)
      continue;
    launches[i]->moveAfter(launches[i + 1]);
    return true;
  }
  return false;
}

bool otherWeight(ModuleOp module) {
  auto first = findOp<exec::WeightOp>(module, 2);
  auto other = findOp<exec::WeightOp>(module, 0, [&](exec::WeightOp op) {
    return first && op.getName() != first.getName() &&
           op.getResult().getType() == first.getResult().getType();
  });
  if (!other)
    return false;
  first.setName(other.getName());
  return true;
}

bool otherCacheLayer(ModuleOp module) {
  auto layer = findOp<exec::LayerOp>(
      module, 0, [](exec::LayerOp op) { return op.getIndex() == 1; });
  if (!layer)
    return false;
  layer.setIndex(0);
  return true;
}

/// Gives a kernel another parameter than its contract has. No IR is wrong, only
/// the kernel is.
bool setKernelParameter(ModuleOp module, StringRef family, StringRef name,
                        Attribute value) {
  auto kernel = findOp<exec::KernelOp>(
      module, 0, [&](exec::KernelOp op) { return op.getFamily() == family; });
  if (!kernel)
    return false;
  NamedAttrList parameters(kernel.getParameters());
  parameters.set(name, value);
  kernel.setParametersAttr(parameters.getDictionary(module.getContext()));
  return true;
}

/// Attention takes blocks of 32 tokens for what append filled in blocks of 16.
bool kernelBlock(ModuleOp module) {
  return setKernelParameter(module, "paged_attention", "block",
                            Builder(module.getContext()).getI64IntegerAttr(32));
}

/// Append fills blocks of 8 tokens where the cache has blocks of 16.
bool appendBlock(ModuleOp module) {
  return setKernelParameter(module, "kv_append", "block",
                            Builder(module.getContext()).getI64IntegerAttr(8));
}

} // namespace

ArrayRef<Plant> execPlants() {
  static const Plant plants[] = {
      {"plant-shared-slot", "a buffer lies where another is still alive",
       sharedSlot},
      {"plant-output-in-input", "a launch writes over its own input",
       outputInInput},
      {"plant-slot-too-small", "a slot is too small for its buffers",
       slotTooSmall},
      {"plant-launches-exchanged", "attention runs before its append",
       launchesExchanged},
      {"plant-other-weight", "a launch has another weight", otherWeight},
      {"plant-other-cache-layer", "a launch has another layer of the cache",
       otherCacheLayer},
      {"plant-kernel-block", "the attention kernel has other blocks",
       kernelBlock},
      {"plant-append-block", "the append kernel has other blocks",
       appendBlock}};
  return plants;
}

} // namespace pagoda::plants
