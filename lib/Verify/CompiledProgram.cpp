#include "CompiledProgram.h"

#include "StepArguments.h"
#include "pagoda/Reference/Ops/Storage.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"

namespace pagoda::verify {

namespace {

rt::StepBatch toStepBatch(const reference::Batch &batch) {
  rt::StepBatch step;
  step.ids = batch.ids;
  step.qStart = batch.qStart;
  step.kvLength = batch.kvLength;
  step.position = batch.position;
  step.rows = batch.rows;
  step.slot = batch.slot;
  step.blockTable = batch.blockTable;
  step.tableWidth = batch.tableWidth;
  return step;
}

} // namespace

StatusOr<std::vector<std::string>>
CompiledProgram::targets(const std::string &path) {
  PAGODA_ASSIGN_OR_RETURN(Artifact artifact, Artifact::open(path));
  std::vector<std::string> targets;
  for (const artifact::Image *image : *artifact.program().images())
    if (std::string target = image->target()->str(); rt::cpuRuns(target))
      targets.push_back(target);
  if (targets.empty())
    return rt::planCpu(artifact, {}).status();
  return targets;
}

StatusOr<CompiledProgram> CompiledProgram::open(const std::string &path,
                                                const Inputs &inputs,
                                                int64_t block,
                                                const std::string &target) {
  PAGODA_ASSIGN_OR_RETURN(Artifact opened, Artifact::open(path));
  auto artifact = std::make_unique<Artifact>(std::move(opened));
  size_t longest = 1, all = 0;
  for (const std::vector<int32_t> &sequence : inputs.sequences) {
    longest = std::max(longest, sequence.size());
    all += sequence.size();
  }
  rt::CpuOptions options;
  options.target = target;
  options.maxTokens = static_cast<int32_t>(all);
  options.maxSequences = static_cast<int32_t>(inputs.sequences.size());
  options.maxRows = static_cast<int32_t>(all);
  options.maxContext = static_cast<int32_t>(longest);
  options.cacheTokens = poolBlocks(inputs, block) * block;
  PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<rt::CpuRunner> runner,
                          rt::CpuRunner::create(*artifact, options));
  return CompiledProgram(std::move(artifact), std::move(runner), inputs, block);
}

/// What is greedy must be what a sampler that looks at the logits would take.
static Status checkGreedy(const rt::LogitsView &logits) {
  for (int32_t r = 0; logits.greedy && r < logits.rows; ++r) {
    std::span<const float> row = logits.row(r);
    bool finite = std::all_of(row.begin(), row.end(),
                              [](float x) { return std::isfinite(x); });
    int32_t largest = static_cast<int32_t>(
        std::max_element(row.begin(), row.end()) - row.begin());
    if (finite && logits.greedy[r] != largest)
      return internalError("the compiled program returns token ",
                           logits.greedy[r], " as the greedy one of row ", r,
                           ", whose logits are largest at ", largest);
  }
  return {};
}

/// The cache is not cleared in between: what lies in unused slots is what
/// other schedules left there.
Status CompiledProgram::run(const Schedule &schedule, const Use &use) {
  StepArguments steps(inputs, schedule, block);
  while (std::optional<reference::Batch> batch = steps.next()) {
    PAGODA_RETURN_IF_ERROR(runner->submit(toStepBatch(*batch)));
    PAGODA_ASSIGN_OR_RETURN(rt::LogitsView logits, runner->collect());
    PAGODA_RETURN_IF_ERROR(checkGreedy(logits));
    PAGODA_RETURN_IF_ERROR(use(*batch, logits.data));
  }
  return {};
}

std::vector<const std::byte *>
CompiledProgram::slots(const reference::Batch &batch,
                       const float *returned) const {
  const artifact::Entry &entry = *artifact->program().entries()->Get(0);
  std::vector<uint64_t> offsets = rt::slotOffsets(
      entry, {batch.tokens(), batch.sequences(), batch.rowCount(),
              batch.tableWidth, runner->limits().blockCount});
  const std::byte *start = reinterpret_cast<const std::byte *>(returned) -
                           offsets[rt::findOutput(entry, "logits")->slot()];
  std::vector<const std::byte *> slots;
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    slots.push_back(start + offsets[i]);
  return slots;
}

StatusOr<reference::Tensor>
CompiledProgram::appended(const reference::Batch &batch, unsigned layer,
                          bool keys, reference::Tensor fallback) const {
  int64_t heads = fallback.shape[1], width = fallback.shape[2];
  DType type = artifact->program().cache()->type() == artifact::CacheType::F16
                   ? DType::F16
                   : DType::F32;
  int64_t numbers = runner->limits().blockCount * heads * width * block;
  PAGODA_ASSIGN_OR_RETURN(
      reference::Tensor pool,
      reference::loadRows(
          type, {numbers},
          runner->pool(layer, keys)
              .first(static_cast<size_t>(numbers) * dtypeBytes(type))));
  reference::Tensor found = std::move(fallback);
  for (int64_t t = 0; t < batch.tokens(); ++t) {
    int64_t slot = batch.slot[t];
    if (slot < 0)
      continue;
    for (int64_t head = 0; head < heads; ++head) {
      int64_t base = (slot / block * heads + head) * width * block,
              place = slot % block;
      for (int64_t i = 0; i < width; ++i)
        found.numbers[(t * heads + head) * width + i] =
            pool.numbers[base + (keys ? i * block + place : place * width + i)];
    }
  }
  return found;
}

StatusOr<Observation> CompiledProgram::observe() {
  int64_t vocabulary = runner->limits().vocabulary;
  Observation observation;
  for (const Schedule &schedule : inputs.schedules) {
    std::vector<Row> &rows = observation.schedules.emplace_back();
    PAGODA_RETURN_IF_ERROR(
        run(schedule,
            [&](const reference::Batch &batch, const float *logits) -> Status {
              for (int64_t r = 0; r < batch.rowCount(); ++r)
                rows.push_back(
                    {batch.token(batch.rows[r]),
                     {logits + r * vocabulary, logits + (r + 1) * vocabulary}});
              return {};
            }));
  }
  return observation;
}

} // namespace pagoda::verify
