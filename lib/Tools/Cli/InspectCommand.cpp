#include "Commands.h"
#include "pagoda/Runtime/Device/CpuRunner.h"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace pagoda::cli {

namespace {

struct InspectArguments {
  std::string path;
  bool verify = false, kernels = false, weights = false;
};

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

void printSummary(const Artifact &artifact) {
  const artifact::Program &program = artifact.program();
  const artifact::Model *model = program.model();
  std::printf("%s (%s, %.1f MB), written by %s\n", model->name()->c_str(),
              model->architecture()->c_str(), megabytes(artifact.fileBytes()),
              program.producer()->c_str());
  std::printf("precision %s, vocabulary %u, context %u\n",
              model->precision()->c_str(), model->vocabulary(),
              model->context_length());
  if (const artifact::Cache *cache = program.cache()) {
    uint64_t perToken = 0;
    for (unsigned layer = 0; layer < cache->layers()->size(); ++layer)
      for (bool keys : {true, false})
        perToken +=
            rt::poolBytes(*cache, layer, keys, 64) / cache->block() / 64;
    std::printf("cache: %s, %u layers, blocks of %u tokens, %llu bytes a "
                "token\n",
                artifact::EnumNameCacheType(cache->type()),
                cache->layers()->size(), cache->block(),
                static_cast<unsigned long long>(perToken));
  }
  for (const artifact::Image *image : *program.images())
    std::printf("kernels for %s: %u, %.1f kB\n", image->target()->c_str(),
                image->entry_points()->size(),
                static_cast<double>(image->bytes()) / 1e3);
  for (const artifact::Entry *entry : *program.entries())
    std::printf("entry %s: %u launches, %u slots\n", entry->name()->c_str(),
                entry->launches()->size(), entry->slots()->size());
  uint64_t bytes = 0;
  for (const artifact::Weight *weight : *program.weights())
    bytes += weight->bytes();
  std::printf("weights: %u, %.1f MB\n", program.weights()->size(),
              megabytes(bytes));
}

Status inspect(const InspectArguments &arguments) {
  PAGODA_ASSIGN_OR_RETURN(Artifact artifact, Artifact::open(arguments.path));
  printSummary(artifact);
  if (arguments.weights)
    for (const artifact::Weight *weight : *artifact.program().weights())
      std::printf("\n%s\n  %llu bytes at %llu\n%s\n", weight->name()->c_str(),
                  static_cast<unsigned long long>(weight->bytes()),
                  static_cast<unsigned long long>(weight->offset()),
                  weight->history()->c_str());
  if (arguments.kernels)
    for (const artifact::Kernel *kernel : *artifact.program().kernels())
      std::printf("\n%s\n%s\n", kernel->name()->c_str(),
                  kernel->source()->c_str());
  if (arguments.verify) {
    PAGODA_RETURN_IF_ERROR(artifact.verifyWeights());
    std::printf("all checksums agree\n");
  }
  return {};
}

} // namespace

void addInspect(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App *command = app.add_subcommand(
      "inspect", "Show what is in an artifact, without running it");
  command->add_option("ARTIFACT", arguments->path, "a .pgd file")->required();
  command->add_flag("--kernels", arguments->kernels,
                    "the source of every kernel");
  command->add_flag("--weights", arguments->weights,
                    "every weight and the expression that it came from");
  command->add_flag("--verify", arguments->verify,
                    "compare the checksums of all weights");
  command->callback([=] { choose([=] { return inspect(*arguments); }); });
}

} // namespace pagoda::cli
