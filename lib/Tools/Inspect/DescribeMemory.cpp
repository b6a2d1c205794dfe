#include "Describe.h"

#include "pagoda/Base/Parallel.h"

#include <algorithm>
#include <set>

namespace pagoda {

namespace {

/// Why no longer context is possible.
enum class Limit { Compiled, CacheShare, Memory };

const char *limitName(Limit limit) {
  switch (limit) {
  case Limit::Compiled:
    return "the context that the model was compiled for";
  case Limit::CacheShare:
    return "a quarter of the memory for keys and values";
  case Limit::Memory:
    return "the memory as a whole";
  }
  return "";
}

uint64_t machineBytes(const MemoryQuestion &question) {
  return question.ram ? question.ram : rt::machineMemory();
}

/// Planning for a machine that this one cannot stand in for takes the kernels
/// of the last, most able target.
StatusOr<rt::CpuPlan> plan(const Artifact &artifact,
                           const MemoryQuestion &question) {
  rt::CpuOptions options = memoryOptions(question);
  StatusOr<rt::CpuPlan> planned = rt::planCpu(artifact, options);
  const auto *images = artifact.program().images();
  if (planned.ok() || !question.target.empty() || images->size() == 0)
    return planned;
  options.target = images->Get(images->size() - 1)->target()->str();
  StatusOr<rt::CpuPlan> other = rt::planCpu(artifact, options);
  return other.ok() ? std::move(other) : std::move(planned);
}

bool holdsAll(const rt::RunnerLimits &limits) {
  int64_t perSequence =
      (int64_t{limits.maxContext} + limits.blockSize - 1) / limits.blockSize;
  return perSequence * limits.maxSequences <= limits.blockCount;
}

/// The largest context for which every sequence fits at its full length.
StatusOr<Json> largestContext(const Artifact &artifact,
                              MemoryQuestion question) {
  int64_t compiled = artifact.program().model()->context_length();
  int64_t low = 0, high = compiled;
  Limit limit = Limit::Compiled;
  while (low < high) {
    question.context = static_cast<int32_t>((low + high + 1) / 2);
    PAGODA_ASSIGN_OR_RETURN(rt::CpuPlan planned, plan(artifact, question));
    bool fits = planned.memory.totalBytes() <= machineBytes(question);
    if (fits && holdsAll(planned.limits)) {
      low = question.context;
    } else {
      high = question.context - 1;
      limit = fits ? Limit::CacheShare : Limit::Memory;
    }
  }
  return Json{
      {"tokens", low},
      {"limited_by", limitName(low == compiled ? Limit::Compiled : limit)}};
}

Json describePlan(const rt::CpuPlan &planned) {
  const rt::MemoryPlan &memory = planned.memory;
  return {{"weights", memory.weightBytes},
          {"kernel_code", memory.codeBytes},
          {"keys_and_values", memory.cacheBytes},
          {"activations", memory.activationBytes},
          {"scratch", memory.scratchBytes},
          {"allocated", memory.allocatedBytes()},
          {"total", memory.totalBytes()}};
}

} // namespace

rt::CpuOptions memoryOptions(const MemoryQuestion &question) {
  rt::CpuOptions options;
  options.threads = question.threads;
  if (question.chunk)
    options.maxTokens = question.chunk;
  options.maxSequences = question.sequences;
  options.maxContext = question.context;
  options.machineBytes = question.ram;
  options.target = question.target;
  return options;
}

StatusOr<Json> describeMemory(const Artifact &artifact,
                              const MemoryQuestion &question) {
  PAGODA_ASSIGN_OR_RETURN(rt::CpuPlan planned, plan(artifact, question));
  PAGODA_ASSIGN_OR_RETURN(Json largest, largestContext(artifact, question));
  const rt::RunnerLimits &limits = planned.limits;
  return Json{{"context", limits.maxContext},
              {"sequences", limits.maxSequences},
              {"chunk", limits.maxTokens},
              {"threads", planned.threads},
              {"target", planned.target},
              {"machine_bytes", machineBytes(question)},
              {"bytes", describePlan(planned)},
              {"cache_tokens", int64_t{limits.blockCount} * limits.blockSize},
              {"cache_holds_all", holdsAll(limits)},
              {"fits", planned.memory.totalBytes() <= machineBytes(question)},
              {"largest_context", std::move(largest)}};
}

StatusOr<Json> describeMemoryGrid(const Artifact &artifact,
                                  const MemoryQuestion &question) {
  auto compiled = static_cast<int32_t>(std::min<uint64_t>(
      artifact.program().model()->context_length(), 1u << 30));
  std::set<int32_t> contexts = {compiled};
  if (question.context > 0)
    contexts.insert(question.context);
  for (int32_t context = compiled / 2; context >= 256 && contexts.size() < 8;
       context /= 2)
    contexts.insert(context);
  std::set<int32_t> sequences = {1, 4, 16, 64, question.sequences};
  Json grid = Json::array();
  for (int32_t count : sequences)
    for (int32_t context : contexts) {
      MemoryQuestion asked = question;
      asked.sequences = count;
      asked.context = context;
      PAGODA_ASSIGN_OR_RETURN(rt::CpuPlan planned, plan(artifact, asked));
      grid.push_back({{"sequences", count},
                      {"context", context},
                      {"cache_holds_all", holdsAll(planned.limits)},
                      {"bytes", describePlan(planned)}});
    }
  return grid;
}

} // namespace pagoda
