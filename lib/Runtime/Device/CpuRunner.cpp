#include "pagoda/Runtime/Device/CpuRunner.h"

#include "ExecutableImage.h"
#include "Memory.h"
#include "core/abi.h"
#include "pagoda/Base/Parallel.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"
#include "pagoda/Runtime/Device/ThreadTeam.h"

#include <algorithm>
#include <limits>

namespace pagoda::rt {

namespace {

/// A launch with everything resolved that no step changes.
struct Command {
  PagodaTiles *tiles;
  PagodaRun *run;
  unsigned rowsDim;
  /// Range in the runner's array of arguments.
  unsigned firstArgument;
};

/// An argument whose address a step brings.
struct Patch {
  unsigned argument;
  bool isSlot; // else an input
  unsigned index;
};

/// The arrays of a batch by the names that programs use.
struct InputName {
  std::string_view name;
  std::vector<int32_t> StepBatch::*array;
};
constexpr InputName kInputs[] = {
    {"ids", &StepBatch::ids},
    {"position", &StepBatch::position},
    {"rows", &StepBatch::rows},
    {"q_start", &StepBatch::qStart},
    {"kv_length", &StepBatch::kvLength},
    {"block_table", &StepBatch::blockTable},
    {"slot", &StepBatch::slot},
};

constexpr std::string_view kDimNames[] = {"tokens", "sequences", "rows",
                                          "table_width", "blocks"};

bool hasStepDims(const artifact::Entry &entry) {
  return std::equal(
      entry.dims()->begin(), entry.dims()->end(), std::begin(kDimNames),
      std::end(kDimNames),
      [](const flatbuffers::String *name, std::string_view other) {
        return name->string_view() == other;
      });
}

const artifact::Entry *findStep(const Artifact &artifact) {
  for (const artifact::Entry *entry : *artifact.program().entries())
    if (entry->kind()->string_view() == "step")
      return entry;
  return nullptr;
}

class Runner final : public CpuRunner {
public:
  Runner(const Artifact &artifact, const artifact::Entry &entry,
         RunnerLimits limits, MemoryPlan plan, std::string target,
         ExecutableImage code, unsigned threads)
      : artifact(artifact), entry(entry), stepLimits(limits), plan(plan),
        targetName(std::move(target)), code(std::move(code)), team(threads) {}

  const RunnerLimits &limits() const override { return stepLimits; }
  const std::string &target() const override { return targetName; }
  unsigned threads() const override { return team.size(); }
  const MemoryPlan &memory() const override { return plan; }

  Status prepare(unsigned image) {
    PAGODA_ASSIGN_OR_RETURN(
        cache, Memory::allocate(plan.cacheBytes, "keys and values"));
    PAGODA_ASSIGN_OR_RETURN(
        arena, Memory::allocate(plan.activationBytes, "activations"));
    PAGODA_ASSIGN_OR_RETURN(
        scratch, Memory::allocate(plan.scratchBytes * team.size(), "scratch"));
    resolvePools();
    for (const flatbuffers::String *name : *entry.inputs()) {
      auto known = std::find_if(std::begin(kInputs), std::end(kInputs),
                                [&](const InputName &input) {
                                  return input.name == name->string_view();
                                });
      if (known == std::end(kInputs))
        return unsupported("the program asks for an input '",
                           name->string_view(),
                           "', which this runtime does not bring");
      inputs.push_back(known->array);
    }
    for (const artifact::Launch *launch : *entry.launches())
      resolveLaunch(*launch, image);
    return {};
  }

  Status submit(const StepBatch &batch) override {
    StepDims dims = {batch.tokens(), batch.sequences(), batch.rowCount(),
                     batch.tableWidth, stepLimits.blockCount};
    std::vector<uint64_t> offsets = slotOffsets(entry, dims);
    if (offsets.back() > arena.size())
      return invalidArgument("a step of ", batch.tokens(), " tokens and ",
                             batch.rowCount(),
                             " rows is larger than the runner's limits");
    for (const Patch &patch : patches)
      arguments[patch.argument] =
          patch.isSlot
              ? static_cast<void *>(arena.data() + offsets[patch.index])
              : const_cast<int32_t *>((batch.*inputs[patch.index]).data());
    team.run([&](unsigned thread) { walk(thread, dims); });

    const artifact::Output *output = entry.outputs()->Get(0);
    logits = {
        reinterpret_cast<const float *>(arena.data() + offsets[output->slot()]),
        batch.rowCount(), stepLimits.vocabulary};
    return {};
  }

  StatusOr<LogitsView> collect() override { return logits; }

private:
  void resolvePools() {
    const artifact::Cache *shape = artifact.program().cache();
    if (!shape)
      return;
    std::byte *next = cache.data();
    for (unsigned layer = 0; layer < shape->layers()->size(); ++layer)
      for (bool keys : {true, false}) {
        (keys ? keyPools : valuePools).push_back(next);
        next += poolBytes(*shape, layer, keys,
                          static_cast<uint64_t>(stepLimits.blockCount));
      }
  }

  void resolveLaunch(const artifact::Launch &launch, unsigned image) {
    const artifact::EntryPoint *point =
        artifact.program().images()->Get(image)->entry_points()->Get(
            launch.kernel());
    commands.push_back(
        {reinterpret_cast<PagodaTiles *>(
             const_cast<std::byte *>(code.address(point->tiles()))),
         reinterpret_cast<PagodaRun *>(
             const_cast<std::byte *>(code.address(point->run()))),
         launch.rows_dim(), static_cast<unsigned>(arguments.size())});
    if (!launch.arguments())
      return;
    for (const artifact::Argument *argument : *launch.arguments()) {
      unsigned index = argument->index();
      void *address = nullptr;
      switch (argument->kind()) {
      case artifact::ArgumentKind::Slot:
      case artifact::ArgumentKind::Input:
        patches.push_back({static_cast<unsigned>(arguments.size()),
                           argument->kind() == artifact::ArgumentKind::Slot,
                           index});
        break;
      case artifact::ArgumentKind::Weight:
        address = const_cast<std::byte *>(artifact.weight(index).data());
        break;
      case artifact::ArgumentKind::KeyPool:
        address = keyPools[index];
        break;
      case artifact::ArgumentKind::ValuePool:
        address = valuePools[index];
        break;
      }
      arguments.push_back(address);
    }
  }

  /// One thread's share of a step: its part of every launch's tiles.
  void walk(unsigned thread, const StepDims &dims) {
    long long threads = team.size();
    PagodaLaunch launch{nullptr, dims.data(), 0,
                        scratch.data() + thread * plan.scratchBytes};
    for (const Command &command : commands) {
      launch.arguments = arguments.data() + command.firstArgument;
      launch.rows = dims[command.rowsDim];
      long long tiles = command.tiles(&launch);
      command.run(&launch, tiles * thread / threads,
                  tiles * (thread + 1) / threads);
      team.barrier();
    }
  }

  const Artifact &artifact;
  const artifact::Entry &entry;
  RunnerLimits stepLimits;
  MemoryPlan plan;
  std::string targetName;
  ExecutableImage code;
  ThreadTeam team;
  Memory cache, arena, scratch;
  std::vector<std::byte *> keyPools, valuePools;
  std::vector<std::vector<int32_t> StepBatch::*> inputs;
  std::vector<Command> commands;
  std::vector<void *> arguments;
  std::vector<Patch> patches;
  LogitsView logits;
};

} // namespace

StatusOr<RunnerLimits> cpuLimits(const Artifact &artifact,
                                 const CpuOptions &options) {
  const artifact::Model *model = artifact.program().model();
  const artifact::Cache *cache = artifact.program().cache();
  if (!cache || cache->layers()->size() == 0)
    return unsupported("'", artifact.path(), "' has no cache to step over");
  RunnerLimits limits;
  limits.vocabulary = static_cast<int32_t>(model->vocabulary());
  limits.maxContext = static_cast<int32_t>(model->context_length());
  if (options.maxContext > limits.maxContext)
    return invalidArgument("a context of ", options.maxContext,
                           " tokens is more than the ", limits.maxContext,
                           " that the model was compiled for");
  if (options.maxContext > 0)
    limits.maxContext = options.maxContext;
  limits.blockSize = static_cast<int32_t>(cache->block());
  limits.maxTokens = options.maxTokens;
  limits.maxSequences = options.maxSequences;
  limits.maxRows = options.maxRows ? options.maxRows : options.maxSequences;

  uint64_t blockBytes = 0;
  // Blocks may be given away once no layer sees them: the largest window
  // counts, and a layer without one sees everything.
  uint32_t window = 0;
  bool allHaveWindows = true;
  for (unsigned layer = 0; layer < cache->layers()->size(); ++layer) {
    blockBytes += poolBytes(*cache, layer, true, 1) +
                  poolBytes(*cache, layer, false, 1);
    uint32_t own = cache->layers()->Get(layer)->window();
    allHaveWindows &= own != 0;
    window = std::max(window, own);
  }
  uint64_t perSequence = static_cast<uint64_t>(
      (limits.maxContext + limits.blockSize - 1) / limits.blockSize);
  uint64_t blocks = perSequence * static_cast<uint64_t>(limits.maxSequences);
  if (options.cacheTokens > 0)
    blocks = static_cast<uint64_t>(
        (options.cacheTokens + limits.blockSize - 1) / limits.blockSize);
  else
    blocks = std::clamp<uint64_t>(machineMemory() / 4 / blockBytes, 1, blocks);
  limits.blockCount = static_cast<int32_t>(std::min<uint64_t>(
      blocks, static_cast<uint64_t>(std::numeric_limits<int32_t>::max() /
                                    limits.blockSize)));
  limits.slidingWindow = allHaveWindows ? static_cast<int32_t>(window) : 0;
  PAGODA_RETURN_IF_ERROR(checkRunnerLimits(limits));
  return limits;
}

StatusOr<unsigned> cpuImage(const Artifact &artifact,
                            const std::string &target) {
  const auto *images = artifact.program().images();
  std::vector<std::string> present;
  for (unsigned index = images->size(); index-- > 0;) {
    std::string name = images->Get(index)->target()->str();
    present.push_back(name);
    if (target.empty() ? cpuRuns(name) : name == target) {
      if (!cpuRuns(name))
        return unsupported("this CPU (", cpuName(),
                           ") does not run kernels for ", name);
      return index;
    }
  }
  return unsupported(
      "'", artifact.path(), "' has kernels for ", join(present),
      target.empty() ? concat(", none of which this CPU (", cpuName(), ") runs")
                     : concat(", not for ", target));
}

StatusOr<std::unique_ptr<CpuRunner>>
CpuRunner::create(const Artifact &artifact, const CpuOptions &options) {
  const artifact::Entry *entry = findStep(artifact);
  if (!entry || entry->outputs()->size() != 1 || !hasStepDims(*entry))
    return unsupported("'", artifact.path(), "' has no step to run");
  if (artifact.program().kernel_abi() != PAGODA_KERNEL_ABI)
    return unsupported("'", artifact.path(),
                       "' has kernels for another runtime; compile the model "
                       "again with `pagoda compile`");
  PAGODA_ASSIGN_OR_RETURN(RunnerLimits limits, cpuLimits(artifact, options));
  PAGODA_ASSIGN_OR_RETURN(unsigned image, cpuImage(artifact, options.target));
  MemoryPlan plan = planMemory(artifact, *entry, limits, image);
  const artifact::Image *chosen = artifact.program().images()->Get(image);
  PAGODA_ASSIGN_OR_RETURN(
      ExecutableImage code,
      ExecutableImage::map(artifact.path(), chosen->offset(), chosen->bytes()));
  auto runner = std::make_unique<Runner>(
      artifact, *entry, limits, plan, chosen->target()->str(), std::move(code),
      options.threads ? options.threads : availableCores());
  PAGODA_RETURN_IF_ERROR(runner->prepare(image));
  return std::unique_ptr<CpuRunner>(std::move(runner));
}

} // namespace pagoda::rt
