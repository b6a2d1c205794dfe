#include "pagoda/Tools/Cli.h"

#include "Commands.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>

namespace pagoda {

namespace cli {

void addModelOptions(CLI::App &command, ModelOptions &options) {
  command
      .add_option("MODEL", options.path,
                  "an artifact (.pgd), or what one is compiled from: a Hugging "
                  "Face folder, a .gguf or an .mlir file")
      ->required();
  command
      .add_option("--precision", options.precision,
                  "fast (default): 8-bit activations before quantised weights; "
                  "exact: float32 throughout")
      ->check(CLI::IsMember({"fast", "exact"}));
  command
      .add_option("--context", options.contextLength,
                  "longest sequence, in tokens (default: the model's own)")
      ->check(CLI::PositiveNumber);
}

StatusOr<std::vector<int32_t>> parseIds(const std::string &text,
                                        const char *option) {
  std::vector<int32_t> ids;
  const char *next = text.data(), *end = next + text.size();
  while (next != end) {
    int32_t id = 0;
    auto [stop, error] = std::from_chars(next, end, id);
    if (error != std::errc() || id < 0 || (stop != end && *stop != ',') ||
        (stop != end && stop + 1 == end))
      return invalidArgument(option, " takes token ids such as 5,17,3, found '",
                             text, "'");
    ids.push_back(id);
    next = stop == end ? stop : stop + 1;
  }
  if (ids.empty())
    return invalidArgument(option, " needs at least one token id");
  return ids;
}

} // namespace cli

int pagodaMain(int argc, char **argv) {
  // Writing to a closed pipe (`| head`) is an error of one write, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Pagoda compiles language models ahead of time and runs them.\n"
               "\n"
               "  pagoda run model.gguf \"Once upon a time\"\n"
               "  pagoda compile models/llama -o llama.pgd\n"
               "  pagoda inspect llama.pgd\n",
               "pagoda");
  app.set_version_flag("--version", "pagoda " PAGODA_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  cli::Action action;
  cli::Choose choose = [&](cli::Action chosen) { action = std::move(chosen); };
  cli::addCompile(app, choose);
  cli::addRun(app, choose);
  cli::addInspect(app, choose);
  cli::addTokenize(app, choose);
  cli::addLogits(app, choose);
  cli::addEval(app, choose);
  cli::addBench(app, choose);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // Help and version come this way too, with exit code 0.
    return app.exit(error) == 0 ? 0 : 2;
  }
  Status status = action();
  if (!status.ok()) {
    std::fprintf(stderr, "pagoda: error: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}

} // namespace pagoda
