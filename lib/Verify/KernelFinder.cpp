#include "KernelFinder.h"

#include "CompiledProgram.h"
#include "StepArguments.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/LLMDialect.h"

#include "mlir/IR/Builders.h"

#include <cmath>
#include <cstring>
#include <filesystem>

using namespace mlir;

namespace pagoda::verify {

namespace {

/// A launch by its place among the launches of the entry, and one of its
/// outputs.
struct Probe {
  size_t launch;
  unsigned output;
  std::string name;
};

exec::EntryOp entryOf(ModuleOp module) {
  return *module.getOps<exec::EntryOp>().begin();
}

std::vector<Probe> findProbes(ModuleOp module) {
  std::vector<Probe> probes;
  size_t index = 0;
  for (auto launch :
       entryOf(module).getBody().front().getOps<exec::LaunchOp>()) {
    for (unsigned output = 0; output < launch.getOutputs().size(); ++output)
      probes.push_back({index, output,
                        concat("kernel @", launch.getKernel().str(), " in ",
                               reference::describe(launch))});
    ++index;
  }
  return probes;
}

/// The program up to a launch, which returns one of its outputs.
OwningOpRef<ModuleOp> cutBehind(ModuleOp module, const Probe &probe) {
  OwningOpRef<ModuleOp> copy(module.clone());
  Block &body = entryOf(*copy).getBody().front();
  auto launches = body.getOps<exec::LaunchOp>();
  exec::LaunchOp launch = *std::next(launches.begin(), probe.launch);
  while (&body.back() != launch)
    body.back().erase();
  auto builder = OpBuilder::atBlockEnd(&body);
  exec::ReturnOp::create(builder, launch.getLoc(),
                         launch.getOutputs()[probe.output]);
  return copy;
}

exec::BufferType returnedType(ModuleOp module) {
  return cast<exec::BufferType>(entryOf(module)
                                    .getBody()
                                    .front()
                                    .getTerminator()
                                    ->getOperand(0)
                                    .getType());
}

/// What a kernel left in memory, as numbers.
class ReturnedBuffer {
public:
  explicit ReturnedBuffer(exec::BufferType type)
      : element(*llm::getElementType(type.getElementType())) {
    for (unsigned axis = 1; axis < type.getRank(); ++axis)
      width *= *type.getStaticExtent(axis);
    auto name = type.getRank() ? dyn_cast<StringAttr>(type.getExtents()[0])
                               : StringAttr();
    hasRows = name && name.getValue() == "rows";
  }

  int64_t rows(const reference::Batch &batch) const {
    return hasRows ? batch.rowCount() : batch.tokens();
  }

  std::vector<double> read(const float *start, int64_t rows) const {
    std::vector<double> numbers;
    if (!element.isQuantised()) {
      numbers.assign(start, start + rows * width);
      return numbers;
    }
    // Codes, then scales (docs/packing.md).
    const QuantFormat &format = element.format();
    auto *bytes = reinterpret_cast<const std::byte *>(start);
    uint64_t stride = activationRowBytes(format, static_cast<uint64_t>(width));
    for (int64_t row = 0; row < rows; ++row, bytes += stride)
      for (int64_t k = 0; k < width; ++k) {
        float scale;
        std::memcpy(&scale, bytes + width + k / format.group * 4, 4);
        numbers.push_back(double(scale) * std::to_integer<int8_t>(bytes[k]));
      }
    return numbers;
  }

  bool isReadable() const {
    return element.isQuantised() ? element.format().bits == 8
                                 : element == ElementType(DType::F32);
  }

private:
  ElementType element;
  int64_t width = 1;
  bool hasRows;
};

class Finder {
public:
  Finder(const KernelSearch &search, const SerializeOptions &options)
      : search(search), options(options) {}

  StatusOr<std::string> run() {
    std::vector<Probe> probes = findProbes(search.module);
    // Everything before `low` is right, `high` is wrong: the logits are.
    size_t low = 0, high = probes.size() - 1;
    while (low < high) {
      size_t middle = (low + high) / 2;
      PAGODA_ASSIGN_OR_RETURN(bool differs, differsAt(probes[middle]));
      if (differs)
        high = middle;
      else
        low = middle + 1;
    }
    return probes[high].name;
  }

private:
  StatusOr<bool> differsAt(const Probe &probe) {
    OwningOpRef<ModuleOp> module = cutBehind(search.module, probe);
    PAGODA_ASSIGN_OR_RETURN(Entry entry, findEntry(*module));
    PAGODA_RETURN_IF_ERROR(serialize(*module, options));
    PAGODA_ASSIGN_OR_RETURN(CompiledProgram program,
                            CompiledProgram::open(options.output, search.inputs,
                                                  entry.block,
                                                  options.targets.front()));
    reference::Interpreter interpreter(*module, search.files, {});
    reference::PagedCache cache(entry.block,
                                poolBlocks(search.inputs, entry.block));
    ReturnedBuffer buffer(returnedType(*module));
    if (!buffer.isReadable())
      return false;
    double largest = 0, difference = 0;
    PAGODA_RETURN_IF_ERROR(program.run(
        search.inputs.schedules[search.schedule],
        [&](const reference::Batch &batch, const float *start) -> Status {
          PAGODA_ASSIGN_OR_RETURN(reference::Tensor expected,
                                  interpreter.run(entry.op, batch, cache));
          std::vector<double> numbers = expected.values();
          std::vector<double> found = buffer.read(start, buffer.rows(batch));
          for (size_t i = 0; i < numbers.size(); ++i) {
            largest = std::max(largest, std::abs(numbers[i]));
            if (double one = std::abs(numbers[i] - found[i]);
                !(one <= difference))
              difference = one;
          }
          return {};
        }));
    return !(difference <= search.bound * largest);
  }

  const KernelSearch &search;
  const SerializeOptions &options;
};

} // namespace

StatusOr<std::string> findKernel(const KernelSearch &search,
                                 const SerializeOptions &options) {
  return Finder(search, options).run();
}

} // namespace pagoda::verify
