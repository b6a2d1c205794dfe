#include "pagoda/Runtime/Device/CpuRunner.h"

#include "ExecutableImage.h"
#include "Memory.h"
#include "core/abi.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"
#include "pagoda/Runtime/Device/ThreadTeam.h"

#include <algorithm>
#include <span>

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

class Runner final : public CpuRunner {
public:
  Runner(const Artifact &artifact, CpuPlan plan, ExecutableImage code,
         long long features)
      : artifact(artifact), entry(*plan.entry),
        logitsOutput(findOutput(entry, "logits")),
        greedyOutput(findOutput(entry, "greedy")), stepLimits(plan.limits),
        features(features), targetName(std::move(plan.target)),
        code(std::move(code)), team(plan.threads) {}

  const RunnerLimits &limits() const override { return stepLimits; }
  const std::string &target() const override { return targetName; }
  unsigned threads() const override { return team.size(); }

  MemoryPlan memory() const override {
    MemoryPlan taken;
    for (const artifact::Weight *weight : *artifact.program().weights())
      taken.weightBytes += weight->bytes();
    taken.codeBytes = code.size();
    taken.cacheBytes = cache.size();
    taken.activationBytes = arena.size();
    taken.scratchBytes = scratch.size();
    return taken;
  }

  void setTrace(StepTrace *to) override {
    trace = to;
    if (trace)
      trace->entry = &entry;
  }

  std::span<const std::byte> pool(unsigned layer, bool keys) const override {
    return {(keys ? keyPools : valuePools)[layer],
            poolBytes(*artifact.program().cache(), layer, keys,
                      static_cast<uint64_t>(stepLimits.blockCount))};
  }

  Status prepare(const MemoryPlan &plan,
                 std::span<const KernelCode::EntryPoint> entryPoints) {
    // A short text touches the beginning of each layer's pools: huge pages
    // would take 120 MB for it in a model of 30 layers. Even reading 4000 keys
    // is no faster with them.
    PAGODA_ASSIGN_OR_RETURN(
        cache,
        Memory::allocate(plan.cacheBytes, Pages::Small, "keys and values"));
    PAGODA_ASSIGN_OR_RETURN(
        arena,
        Memory::allocate(plan.activationBytes, Pages::Huge, "activations"));
    PAGODA_ASSIGN_OR_RETURN(
        scratch, Memory::allocate(plan.scratchBytes, Pages::Huge, "scratch"));
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
      resolveLaunch(*launch, entryPoints[launch->kernel()]);
    tiles.resize(commands.size());
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
    TracedStep *traced = beginTrace(batch);
    compute(dims, traced);
    if (traced)
      traced->end = TraceClock::now();

    auto at = [&](const artifact::Output *output) {
      return arena.data() + offsets[output->slot()];
    };
    logits = {reinterpret_cast<const float *>(at(logitsOutput)),
              batch.rowCount(), stepLimits.vocabulary};
    if (greedyOutput)
      logits.greedy = reinterpret_cast<const int32_t *>(at(greedyOutput));
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

  void resolveLaunch(const artifact::Launch &launch,
                     const KernelCode::EntryPoint &point) {
    commands.push_back({reinterpret_cast<PagodaTiles *>(
                            const_cast<std::byte *>(code.address(point.tiles))),
                        reinterpret_cast<PagodaRun *>(
                            const_cast<std::byte *>(code.address(point.run))),
                        launch.rows_dim(),
                        static_cast<unsigned>(arguments.size())});
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

  /// All launches, one after the other.
  void compute(const StepDims &dims, TracedStep *traced) {
    auto launchOf = [&](const Command &command, unsigned thread) {
      return PagodaLaunch{arguments.data() + command.firstArgument,
                          dims.data(),
                          dims[command.rowsDim],
                          scratch.data() +
                              thread * (scratch.size() / team.size()),
                          prefetchBytes,
                          features};
    };
    for (size_t i = 0; i < commands.size(); ++i) {
      PagodaLaunch launch = launchOf(commands[i], 0);
      tiles[i] = commands[i].tiles(&launch);
    }
    team.run(tiles, [&](unsigned thread, size_t command, long long first,
                        long long last) {
      PagodaLaunch launch = launchOf(commands[command], thread);
      if (!traced) {
        commands[command].run(&launch, first, last);
        return;
      }
      TraceClock::time_point begin = TraceClock::now();
      commands[command].run(&launch, first, last);
      traced->pieces[thread].push_back(
          {command, first, last, begin, TraceClock::now()});
    });
  }

  TracedStep *beginTrace(const StepBatch &batch) {
    if (!trace)
      return nullptr;
    TracedStep &step = trace->steps.emplace_back();
    step.qStart = batch.qStart;
    step.kvLength = batch.kvLength;
    step.rows = batch.rowCount();
    step.pieces.resize(team.size());
    for (std::vector<TracedPiece> &pieces : step.pieces)
      pieces.reserve(8 * commands.size());
    step.begin = TraceClock::now();
    return &step;
  }

  const Artifact &artifact;
  const artifact::Entry &entry;
  const artifact::Output *logitsOutput;
  const artifact::Output *greedyOutput; // null where there is none
  RunnerLimits stepLimits;
  const int64_t prefetchBytes = cpuPrefetchBytes();
  const long long features;
  std::string targetName;
  ExecutableImage code;
  ThreadTeam team;
  Memory cache, arena, scratch;
  std::vector<std::byte *> keyPools, valuePools;
  std::vector<std::vector<int32_t> StepBatch::*> inputs;
  std::vector<Command> commands;
  std::vector<long long> tiles; // of each command, in this step
  std::vector<void *> arguments;
  std::vector<Patch> patches;
  LogitsView logits;
  StepTrace *trace = nullptr;
};

} // namespace

StatusOr<std::unique_ptr<CpuRunner>>
CpuRunner::create(const Artifact &artifact, const CpuOptions &options) {
  PAGODA_ASSIGN_OR_RETURN(CpuPlan plan, planCpu(artifact, options));
  if (!cpuRuns(plan.target))
    return unsupported("this CPU (", cpuName(), ") does not run kernels for ",
                       plan.target);
  if (options.code &&
      options.code->entryPoints.size() != artifact.program().kernels()->size())
    return invalidArgument("'", artifact.path(), "' has ",
                           artifact.program().kernels()->size(),
                           " kernels, the code that replaces them ",
                           options.code->entryPoints.size());
  const artifact::Image *image =
      options.code ? nullptr : artifact.program().images()->Get(plan.image);
  PAGODA_ASSIGN_OR_RETURN(
      ExecutableImage code,
      options.code ? ExecutableImage::copy(options.code->bytes)
                   : ExecutableImage::map(artifact.path(), image->offset(),
                                          image->bytes()));
  std::vector<KernelCode::EntryPoint> entryPoints;
  if (options.code)
    entryPoints = options.code->entryPoints;
  else
    for (const artifact::EntryPoint *point : *image->entry_points())
      entryPoints.push_back(
          {point->tiles(), point->run(), point->scratch_bytes()});
  MemoryPlan memory = plan.memory;
  long long features =
      options.matrixUnit && cpuHasMatrixUnit() ? PagodaMatrixUnit : 0;
  auto runner = std::make_unique<Runner>(artifact, std::move(plan),
                                         std::move(code), features);
  PAGODA_RETURN_IF_ERROR(runner->prepare(memory, entryPoints));
  return std::unique_ptr<CpuRunner>(std::move(runner));
}

} // namespace pagoda::rt
