#include "Runner.h"

#include <algorithm>

namespace pagoda::cli {

namespace {

/// Tokens of a step where nobody asks for another number: enough to use the
/// cores, few enough that logits of all of them fit.
constexpr int32_t kDefaultChunk = 512;

} // namespace

StatusOr<LoadedModel> loadModel(const ModelOptions &modelOptions,
                                const RunnerOptions &options) {
  LoadedModel loaded;
  PAGODA_ASSIGN_OR_RETURN(loaded.model, openModel(modelOptions));
  rt::CpuOptions cpu;
  cpu.threads = options.threads;
  cpu.maxTokens = options.chunk ? options.chunk : kDefaultChunk;
  cpu.maxSequences = options.maxSequences;
  cpu.maxRows = options.allRows ? std::max(cpu.maxTokens, cpu.maxSequences)
                                : cpu.maxSequences;
  cpu.target = options.target;
  PAGODA_ASSIGN_OR_RETURN(loaded.runner,
                          rt::CpuRunner::create(*loaded.model.artifact, cpu));
  rt::EngineOptions engine;
  engine.tokenBudget = options.chunk;
  PAGODA_ASSIGN_OR_RETURN(loaded.engine,
                          rt::Engine::create(*loaded.runner, engine));
  return loaded;
}

} // namespace pagoda::cli
