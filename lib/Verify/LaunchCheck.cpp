#include "LaunchCheck.h"

#include "CompiledProgram.h"
#include "FloatError.h"
#include "StepArguments.h"
#include "pagoda/Base/LargerOf.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/IR/Builders.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace pagoda::verify {

namespace {

exec::EntryOp entryOf(ModuleOp module) {
  return *module.getOps<exec::EntryOp>().begin();
}

/// Gives each buffer a slot of its own, so that all are there after a step.
void spreadBuffers(exec::EntryOp entry) {
  Builder builder(entry.getContext());
  SmallVector<Attribute> sizes;
  for (auto buffer : entry.getBody().front().getOps<exec::BufferOp>()) {
    buffer.setSlotAttr(builder.getI64IntegerAttr(sizes.size()));
    sizes.push_back(exec::SizeAttr::get(
        entry.getContext(), buffer.getResult().getType().getSize()));
  }
  entry.setSlotsAttr(builder.getArrayAttr(sizes));
}

unsigned slotOf(Value value) {
  while (auto view = value.getDefiningOp<exec::ViewOp>())
    value = view.getSource();
  return *value.getDefiningOp<exec::BufferOp>().getSlot();
}

/// Memory of a kernel as a tensor like `expected`; nothing for types that
/// kernels have no buffers of.
std::optional<reference::Tensor> readMemory(const std::byte *memory,
                                            const reference::Tensor &expected) {
  reference::Tensor found =
      reference::Tensor::zeros(expected.type, expected.shape);
  if (expected.type == ElementType(DType::F32)) {
    for (double &number : found.numbers) {
      float value;
      std::memcpy(&value, memory, sizeof value);
      number = value;
      memory += sizeof value;
    }
    return found;
  }
  if (expected.type == ElementType(DType::I32)) {
    for (double &number : found.numbers) {
      int32_t value;
      std::memcpy(&value, memory, sizeof value);
      number = value;
      memory += sizeof value;
    }
    return found;
  }
  if (!expected.type.isQuantised() || expected.type.format().bits != 8)
    return std::nullopt;
  // Codes, then scales (docs/packing.md).
  const QuantFormat &format = expected.type.format();
  int64_t width = expected.rowElements(), groups = width / format.group;
  uint64_t stride = activationRowBytes(format, static_cast<uint64_t>(width));
  for (int64_t row = 0; row < expected.rows(); ++row, memory += stride) {
    for (int64_t k = 0; k < width; ++k)
      found.codes[row * width + k] = std::to_integer<int8_t>(memory[k]);
    for (int64_t g = 0; g < groups; ++g) {
      float scale;
      std::memcpy(&scale, memory + width + 4 * g, sizeof scale);
      found.scales[row * groups + g] = scale;
    }
  }
  return found;
}

/// The largest difference in units of what may be.
double compareOutputs(const reference::Tensor &expected,
                      const reference::Tensor &found, double bound) {
  std::vector<double> old = expected.values(), now = found.values();
  double largest = 0, worst = 0;
  for (double number : old)
    largest = largerOf(largest, std::abs(number));
  for (size_t i = 0; i < old.size(); ++i) {
    double allowed = bound * largest;
    if (expected.type == ElementType(DType::I32))
      allowed = 0;
    if (expected.type.isQuantised()) // a code more or less
      allowed += expected.scaleOf(
          static_cast<int64_t>(i / expected.type.format().group));
    if (expected.type == ElementType(DType::F16)) // the other neighbour
      allowed += kHalfUnit * std::abs(old[i]) + kSmallestHalf;
    double difference = std::abs(old[i] - now[i]);
    worst = largerOf(worst, difference == 0 ? 0 : difference / allowed);
  }
  return worst;
}

double relativeL2(const reference::Tensor &expected,
                  const reference::Tensor &found) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.numbers.size(); ++i) {
    double distance = expected.numbers[i] - found.numbers[i];
    difference += distance * distance;
    norm += expected.numbers[i] * expected.numbers[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

} // namespace

StatusOr<LaunchCheck>
LaunchCheck::create(ModuleOp module,
                    std::shared_ptr<reference::WeightFiles> files,
                    const SerializeOptions &options) {
  OwningOpRef<ModuleOp> copy(module.clone());
  spreadBuffers(entryOf(*copy));
  PAGODA_RETURN_IF_ERROR(serialize(*copy, options));
  return LaunchCheck(std::move(copy), std::move(files), options.output);
}

namespace {

/// Compares what kernels left behind with what their contracts say for the
/// same inputs, and goes on with what the kernels say.
class Comparison {
public:
  explicit Comparison(LaunchReport &report) : report(report) {}

  void take(exec::LaunchOp launch, reference::Tensor &result,
            reference::Tensor found) {
    double units = compareOutputs(result, found, kFloatBound);
    if (!report.isFault() && !(units <= report.worst)) {
      report.worst = units;
      report.kernel = concat("kernel @", launch.getKernel().str(), " in ",
                             reference::describe(launch));
    }
    if (result.type == ElementType(DType::F32))
      report.relativeL2 =
          largerOf(report.relativeL2, relativeL2(result, found));
    result = std::move(found);
  }

private:
  LaunchReport &report;
};

/// The interpreter's watch over a step that the program has run.
reference::LaunchWatch watchStep(const CompiledProgram &program,
                                 const reference::Batch &batch,
                                 const std::vector<const std::byte *> &slots,
                                 Comparison &comparison) {
  reference::LaunchWatch watch;
  watch.result = [&](Operation *op, unsigned output,
                     reference::Tensor &result) -> Status {
    auto launch = cast<exec::LaunchOp>(op);
    unsigned slot = slotOf(launch.getOutputs()[output]);
    if (auto found = readMemory(slots[slot], result))
      comparison.take(launch, result, *std::move(found));
    return {};
  };
  watch.appended = [&](Operation *op, int64_t layer, reference::Tensor &keys,
                       reference::Tensor &values) -> Status {
    for (reference::Tensor *stored : {&keys, &values}) {
      PAGODA_ASSIGN_OR_RETURN(reference::Tensor found,
                              program.appended(batch,
                                               static_cast<unsigned>(layer),
                                               stored == &keys, *stored));
      comparison.take(cast<exec::LaunchOp>(op), *stored, std::move(found));
    }
    return {};
  };
  return watch;
}

} // namespace

StatusOr<LaunchReport> LaunchCheck::run(const Inputs &inputs,
                                        const std::string &target) {
  PAGODA_ASSIGN_OR_RETURN(Entry entry, findEntry(*module));
  PAGODA_ASSIGN_OR_RETURN(
      CompiledProgram program,
      CompiledProgram::open(path, inputs, entry.block, target));
  reference::Interpreter interpreter(*module, files, {});
  LaunchReport report;
  Comparison comparison(report);
  for (const Schedule &schedule : inputs.schedules) {
    reference::PagedCache cache(entry.block, poolBlocks(inputs, entry.block));
    PAGODA_RETURN_IF_ERROR(program.run(
        schedule,
        [&](const reference::Batch &batch, const float *returned) -> Status {
          std::vector<const std::byte *> slots = program.slots(batch, returned);
          return interpreter
              .run(entry.op, batch, cache, nullptr,
                   watchStep(program, batch, slots, comparison))
              .status();
        }));
  }
  return report;
}

} // namespace pagoda::verify
