#include "pagoda/Tools/Cli.h"

#include "CommandLineErrors.h"
#include "Commands.h"
#include "HelpFormatter.h"
#include "Options.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

namespace pagoda {

namespace {

void addCommands(CLI::App &app, const cli::Choose &choose) {
  cli::addRun(app, choose);
  cli::addCompile(app, choose);
  cli::addInspect(app, choose);
  cli::addBench(app, choose);
  cli::addProfile(app, choose);
  cli::addEval(app, choose);
  cli::addLogits(app, choose);
  cli::addTokenize(app, choose);
  cli::addDoctor(app, choose);
  cli::addCompletion(app, choose);
}

} // namespace

int pagodaMain(int argc, char **argv) {
  // Writing to a closed pipe (`| head`) is an error of one write, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Pagoda compiles language models ahead of time and runs them.",
               "pagoda");
  cli::addExamples(app, {"pagoda run model.gguf \"Once upon a time\"",
                         "pagoda compile models/llama -o llama.pgd",
                         "pagoda inspect llama.pgd", "pagoda run --help"});
  app.set_version_flag("--version", "pagoda " PAGODA_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<cli::HelpFormatter>());
  cli::Action action;
  addCommands(app, [&](cli::Action chosen) { action = std::move(chosen); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // Help and version come this way too, with exit code 0.
    if (error.get_exit_code() == 0)
      return app.exit(error);
    std::span<const char *const> words(argv + (argc > 0), argv + argc);
    std::fprintf(stderr, "%s\n", cli::explain(app, words, error).c_str());
    return 2;
  }
  Status status = action();
  if (!status.ok()) {
    std::fprintf(stderr, "pagoda: error: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}

} // namespace pagoda
