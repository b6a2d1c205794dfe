#include "Commands.h"
#include "Options.h"
#include "RandomRequests.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace pagoda::cli {

namespace {

constexpr int kPrefillTokens = 512;
constexpr int kDecodePrompt = 16, kDecodeSteps = 128;
constexpr int kBatchPrompt = 128, kBatchTokens = 64;

struct BenchArguments {
  ModelOptions model;
  RunnerOptions runner;
  std::vector<int> sequences = {1, 16, 32};
  int repeats = 3;
  bool json = false;
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Figures {
  double load = 0, prefill = 0, decode = 0;
  std::vector<std::pair<int, double>> batch;
};

Status measure(rt::Engine &engine, const BenchArguments &arguments,
               Figures &figures) {
  int32_t context = engine.limits().maxContext;
  int prefillTokens = std::min(kPrefillTokens, context - 1);
  int decodeSteps = std::min(kDecodeSteps, context - kDecodePrompt - 1);
  // One more than is counted: the first one warms up.
  for (int repeat = 0; repeat <= arguments.repeats; ++repeat) {
    auto start = Clock::now();
    PAGODA_ASSIGN_OR_RETURN(auto prefill,
                            runRequests(engine, 1, prefillTokens, 1));
    double seconds =
        std::chrono::duration<double>(prefill[0]->first - start).count();
    PAGODA_ASSIGN_OR_RETURN(
        auto decode, runRequests(engine, 1, kDecodePrompt, decodeSteps + 1));
    double decodeSeconds =
        std::chrono::duration<double>(decode[0]->last - decode[0]->first)
            .count();
    if (repeat == 0)
      continue;
    figures.prefill = std::max(figures.prefill, prefillTokens / seconds);
    figures.decode = std::max(figures.decode, decodeSteps / decodeSeconds);
  }
  for (int count : arguments.sequences) {
    double best = 0;
    for (int repeat = 0; repeat < arguments.repeats; ++repeat) {
      auto start = Clock::now();
      PAGODA_ASSIGN_OR_RETURN(
          [[maybe_unused]] auto sinks,
          runRequests(engine, count, kBatchPrompt, kBatchTokens));
      best = std::max(best, count * kBatchTokens / secondsSince(start));
    }
    figures.batch.emplace_back(count, best);
  }
  return {};
}

void print(const Figures &figures, const LoadedModel &loaded, bool json) {
  const std::string model =
      loaded.model.artifact->program().model()->name()->str();
  if (json) {
    nlohmann::ordered_json batch;
    for (const auto &[count, rate] : figures.batch)
      batch[std::to_string(count)] = rate;
    nlohmann::ordered_json object = {
        {"model", model},
        {"cpu", rt::cpuName()},
        {"target", loaded.runner->target()},
        {"threads", loaded.runner->threads()},
        {"precision",
         loaded.model.artifact->program().model()->precision()->str()},
        {"load_s", figures.load},
        {"prefill_tok_s", figures.prefill},
        {"decode_tok_s", figures.decode},
        {"batch_out_tok_s", batch}};
    std::printf("%s\n", object.dump().c_str());
    return;
  }
  std::printf("%s on %s, kernels for %s, %u threads\n", model.c_str(),
              rt::cpuName().c_str(), loaded.runner->target().c_str(),
              loaded.runner->threads());
  std::printf("load     %9.1f ms\n", figures.load * 1e3);
  std::printf("prefill  %9.1f tokens/s  (a prompt of %d tokens)\n",
              figures.prefill, kPrefillTokens);
  std::printf("decode   %9.1f tokens/s  (%d steps after %d tokens)\n",
              figures.decode, kDecodeSteps, kDecodePrompt);
  for (const auto &[count, rate] : figures.batch)
    std::printf(
        "batch %-3d%8.1f tokens/s  (%d + %d tokens each, output only)\n", count,
        rate, kBatchPrompt, kBatchTokens);
}

Status bench(BenchArguments &arguments) {
  // A compile, if one is needed, is no part of loading.
  PAGODA_ASSIGN_OR_RETURN([[maybe_unused]] Model compiled,
                          openModel(arguments.model));
  for (int count : arguments.sequences)
    arguments.runner.maxSequences =
        std::max(arguments.runner.maxSequences, count);
  auto start = Clock::now();
  PAGODA_ASSIGN_OR_RETURN(LoadedModel loaded,
                          loadModel(arguments.model, arguments.runner));
  Figures figures;
  figures.load = secondsSince(start);
  PAGODA_RETURN_IF_ERROR(measure(*loaded.engine, arguments, figures));
  print(figures, loaded, arguments.json);
  return {};
}

} // namespace

void addBench(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App *command = app.add_subcommand(
      "bench", "Measure how fast a model loads and runs here");
  addModelOptions(*command, arguments->model);
  command
      ->add_option("--seqs", arguments->sequences,
                   "numbers of sequences to batch")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group("Measuring");
  command
      ->add_option("--repeats", arguments->repeats,
                   "runs of each, of which the best counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group("Measuring");
  command->add_flag("--json", arguments->json, "print one JSON object")
      ->group("Measuring");
  addRunnerOptions(*command, arguments->runner, /*chunk=*/false);
  addExamples(*command,
              {"pagoda bench model.gguf",
               "pagoda bench model.pgd --threads 8 --seqs 1,8,64 --json"});
  command->callback([=] { choose([=] { return bench(*arguments); }); });
}

} // namespace pagoda::cli
