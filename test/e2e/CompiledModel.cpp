#include "CompiledModel.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace pagoda::test {

namespace {

class RunSink final : public rt::RequestSink {
public:
  rt::SinkReply onToken(const rt::TokenEvent &event) override {
    run.tokens.push_back(event.id);
    return rt::SinkReply::Continue;
  }
  void onPromptLogits(int32_t, std::span<const float> logits) override {
    run.logits.insert(run.logits.end(), logits.begin(), logits.end());
  }
  void onFinish(const rt::FinishEvent &event) override {
    status = event.status;
  }

  RunResult run;
  Status status;
};

} // namespace

StatusOr<CompiledModel> CompiledModel::compile(CompileOptions options) {
  static std::atomic<int> number{0};
  CompiledModel model;
  model.file = (std::filesystem::temp_directory_path() /
                concat("pagoda-test-", ::getpid(), "-", number++, ".pgd"))
                   .string();
  options.output = model.file;
  if (options.kernelCache.empty())
    options.kernelCache =
        (std::filesystem::temp_directory_path() / "pagoda-test-kernels")
            .string();
  PAGODA_RETURN_IF_ERROR(compileModel(options));
  PAGODA_ASSIGN_OR_RETURN(Artifact artifact, Artifact::open(model.file));
  model.opened = std::make_shared<Artifact>(std::move(artifact));
  return model;
}

CompiledModel::~CompiledModel() {
  if (opened)
    std::remove(file.c_str());
}

StatusOr<std::vector<RunResult>>
CompiledModel::run(const std::vector<std::vector<int32_t>> &prompts,
                   const RunOptions &options) const {
  rt::CpuOptions cpu;
  cpu.threads = options.threads;
  cpu.maxTokens = cpu.maxRows = 4096;
  cpu.maxSequences = static_cast<int32_t>(prompts.size());
  cpu.target = options.target;
  cpu.matrixUnit = options.matrixUnit;
  cpu.cacheTokens = options.cacheTokens;
  PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<rt::CpuRunner> runner,
                          rt::CpuRunner::create(*opened, cpu));
  PAGODA_ASSIGN_OR_RETURN(rt::CpuPlan plan, rt::planCpu(*opened, cpu));
  if (plan.memory != runner->memory())
    return internalError("planned ", plan.memory.allocatedBytes(),
                         " bytes, allocated ",
                         runner->memory().allocatedBytes());
  rt::EngineOptions engineOptions;
  engineOptions.tokenBudget = options.chunk;
  PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<rt::Engine> engine,
                          rt::Engine::create(*runner, engineOptions));
  std::vector<std::shared_ptr<RunSink>> sinks;
  for (const std::vector<int32_t> &prompt : prompts) {
    rt::Request request;
    request.prompt = prompt;
    request.promptLogits = true;
    request.sampling.temperature = 0;
    request.maxTokens = options.newTokens;
    sinks.push_back(std::make_shared<RunSink>());
    request.sink = sinks.back();
    PAGODA_ASSIGN_OR_RETURN([[maybe_unused]] rt::RequestId id,
                            engine->add(std::move(request)));
  }
  while (engine->step()) {
  }
  std::vector<RunResult> runs;
  for (const auto &sink : sinks) {
    PAGODA_RETURN_IF_ERROR(Status(sink->status));
    runs.push_back(std::move(sink->run));
  }
  return runs;
}

} // namespace pagoda::test
