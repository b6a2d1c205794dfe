#include "pagoda/Runtime/Device/CpuPlan.h"

#include "core/abi.h"
#include "pagoda/Base/Parallel.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"

#include <algorithm>
#include <limits>
#include <unistd.h>

namespace pagoda::rt {

namespace {

bool hasStepDims(const artifact::Entry &entry) {
  return std::equal(
      entry.dims()->begin(), entry.dims()->end(), std::begin(kStepDimNames),
      std::end(kStepDimNames),
      [](const flatbuffers::String *name, std::string_view other) {
        return name->string_view() == other;
      });
}

StatusOr<const artifact::Entry *> findStep(const Artifact &artifact) {
  const artifact::Entry *found = nullptr;
  for (const artifact::Entry *entry : *artifact.program().entries())
    if (!found && entry->kind()->string_view() == "step")
      found = entry;
  const artifact::Cache *cache = artifact.program().cache();
  if (!found || !findOutput(*found, "logits") || !hasStepDims(*found) ||
      !cache || cache->layers()->size() == 0)
    return unsupported("'", artifact.path(), "' has no step to run");
  return found;
}

/// Keys after which blocks may be given away, since no layer sees them: the
/// largest window, and none where a layer sees everything.
uint32_t slidingWindow(const artifact::Cache &cache) {
  uint32_t window = 0;
  for (const artifact::CacheLayer *layer : *cache.layers()) {
    if (layer->window() == 0)
      return 0;
    window = std::max(window, layer->window());
  }
  return window;
}

/// A number of a file as the limits have it; what does not fit is none.
int32_t toLimit(uint64_t value) {
  return value > std::numeric_limits<int32_t>::max()
             ? 0
             : static_cast<int32_t>(value);
}

StatusOr<RunnerLimits> planLimits(const Artifact &artifact,
                                  const CpuOptions &options) {
  const artifact::Model *model = artifact.program().model();
  const artifact::Cache &cache = *artifact.program().cache();
  RunnerLimits limits;
  limits.vocabulary = toLimit(model->vocabulary());
  limits.maxContext = toLimit(model->context_length());
  if (options.maxContext > limits.maxContext)
    return invalidArgument("a context of ", options.maxContext,
                           " tokens is more than the ", limits.maxContext,
                           " that the model was compiled for");
  if (options.maxContext > 0)
    limits.maxContext = options.maxContext;
  limits.blockSize = static_cast<int32_t>(cache.block());
  limits.maxTokens = options.maxTokens;
  limits.maxSequences = options.maxSequences;
  limits.maxRows = options.maxRows ? options.maxRows : options.maxSequences;
  limits.slidingWindow = toLimit(slidingWindow(cache));

  auto blocksFor = [&](int64_t tokens) {
    return static_cast<uint64_t>((tokens + limits.blockSize - 1) /
                                 limits.blockSize);
  };
  uint64_t blocks = options.cacheTokens > 0
                        ? blocksFor(options.cacheTokens)
                        : blocksFor(limits.maxContext) *
                              static_cast<uint64_t>(limits.maxSequences);
  if (options.cacheTokens <= 0) {
    uint64_t machine =
        options.machineBytes ? options.machineBytes : machineMemory();
    blocks = std::clamp<uint64_t>(machine / 4 / cacheBytes(cache, 1), 1,
                                  std::max<uint64_t>(blocks, 1));
  }
  limits.blockCount = static_cast<int32_t>(std::min<uint64_t>(
      blocks, static_cast<uint64_t>(std::numeric_limits<int32_t>::max() /
                                    limits.blockSize)));
  PAGODA_RETURN_IF_ERROR(checkRunnerLimits(limits));
  return limits;
}

StatusOr<unsigned> chooseImage(const Artifact &artifact,
                               const std::string &target) {
  const auto *images = artifact.program().images();
  std::vector<std::string> present;
  for (unsigned index = images->size(); index-- > 0;) {
    std::string name = images->Get(index)->target()->str();
    present.push_back(name);
    if (target.empty() ? cpuRuns(name) : name == target)
      return index;
  }
  return unsupported(
      "'", artifact.path(), "' has kernels for ", join(present),
      target.empty() ? concat(", none of which this CPU (", cpuName(), ") runs")
                     : concat(", not for ", target));
}

} // namespace

StatusOr<CpuPlan> planCpu(const Artifact &artifact, const CpuOptions &options) {
  CpuPlan plan;
  PAGODA_ASSIGN_OR_RETURN(plan.entry, findStep(artifact));
  const artifact::Program &program = artifact.program();
  if (program.kernel_abi() != PAGODA_KERNEL_ABI)
    return unsupported("'", artifact.path(),
                       "' has kernels for another runtime; compile the model "
                       "again with `pagoda compile`");
  PAGODA_ASSIGN_OR_RETURN(plan.limits, planLimits(artifact, options));
  plan.threads = options.threads ? options.threads : availableCores();

  uint64_t scratch = 0;
  if (options.code) {
    plan.target = options.code->target;
    plan.memory.codeBytes = options.code->bytes.size();
    for (const KernelCode::EntryPoint &point : options.code->entryPoints)
      scratch = std::max<uint64_t>(scratch, point.scratchBytes);
  } else {
    PAGODA_ASSIGN_OR_RETURN(plan.image, chooseImage(artifact, options.target));
    const artifact::Image *image = program.images()->Get(plan.image);
    plan.target = image->target()->str();
    plan.memory.codeBytes = image->bytes();
    for (const artifact::EntryPoint *point : *image->entry_points())
      scratch = std::max<uint64_t>(scratch, point->scratch_bytes());
  }
  for (const artifact::Weight *weight : *program.weights())
    plan.memory.weightBytes += weight->bytes();
  plan.memory.cacheBytes = cacheBytes(
      *program.cache(), static_cast<uint64_t>(plan.limits.blockCount));
  plan.memory.activationBytes =
      slotOffsets(*plan.entry, largestStep(plan.limits)).back();
  plan.memory.scratchBytes = threadScratch(scratch) * plan.threads;
  return plan;
}

uint64_t machineMemory() {
  long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0
             ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(size)
             : uint64_t(1) << 32;
}

} // namespace pagoda::rt
