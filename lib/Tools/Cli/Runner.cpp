#include "Runner.h"

#include "CompilerLibrary.h"

#include <algorithm>
#include <cstdio>

namespace pagoda::cli {

namespace {

/// Kernels compiled from the artifact's sources, and a line that says how they
/// compare to the machine code in it.
StatusOr<std::shared_ptr<const rt::KernelCode>>
rebuildKernels(const Artifact &artifact, const rt::CpuOptions &options) {
  PAGODA_ASSIGN_OR_RETURN(rt::CpuPlan plan, rt::planCpu(artifact, options));
  PAGODA_ASSIGN_OR_RETURN(CompilerLibrary compiler, CompilerLibrary::open());
  std::string cache = cacheFolder(), foreign;
  PAGODA_ASSIGN_OR_RETURN(
      rt::KernelCode code,
      compiler.rebuildKernels(artifact.path(), plan.target,
                              cache.empty() ? "" : cache + "/kernels",
                              foreign));
  std::span<const std::byte> image = artifact.image(plan.image);
  bool same = std::equal(image.begin(), image.end(), code.bytes.begin(),
                         code.bytes.end());
  std::fprintf(stderr, "rebuilt %zu kernels for %s: %s\n",
               code.entryPoints.size(), plan.target.c_str(),
               same ? "the same as in the file"
                    : "NOT the same as in the file, which another compiler "
                      "wrote or somebody changed");
  if (!foreign.empty())
    std::fprintf(stderr,
                 "templates in the file that are not this build's:\n%s\n",
                 foreign.c_str());
  return std::make_shared<const rt::KernelCode>(std::move(code));
}

} // namespace

StatusOr<LoadedModel> loadModel(const ModelOptions &modelOptions,
                                const RunnerOptions &options) {
  LoadedModel loaded;
  PAGODA_ASSIGN_OR_RETURN(loaded.model, openModel(modelOptions));
  rt::CpuOptions cpu;
  cpu.threads = options.threads;
  if (options.chunk)
    cpu.maxTokens = options.chunk;
  cpu.maxSequences = options.maxSequences;
  cpu.maxRows = options.allRows ? std::max(cpu.maxTokens, cpu.maxSequences)
                                : cpu.maxSequences;
  cpu.maxContext = static_cast<int32_t>(modelOptions.contextLength);
  cpu.target = options.target;
  if (options.rebuildKernels) {
    PAGODA_ASSIGN_OR_RETURN(cpu.code,
                            rebuildKernels(*loaded.model.artifact, cpu));
  }
  PAGODA_ASSIGN_OR_RETURN(loaded.runner,
                          rt::CpuRunner::create(*loaded.model.artifact, cpu));
  rt::EngineOptions engine;
  engine.tokenBudget = options.chunk;
  PAGODA_ASSIGN_OR_RETURN(loaded.engine,
                          rt::Engine::create(*loaded.runner, engine));
  return loaded;
}

} // namespace pagoda::cli
