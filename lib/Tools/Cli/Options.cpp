#include "Options.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace pagoda::cli {

void addModelOptions(CLI::App &command, ModelOptions &options) {
  command.add_option("MODEL", options.path, kModelHelp)->required();
  command
      .add_option("--precision", options.precision,
                  "fast (default): 8-bit activations before quantised weights; "
                  "exact: float32 throughout")
      ->check(CLI::IsMember({"fast", "exact"}))
      ->group("Model");
  command
      .add_option("--context", options.contextLength,
                  "longest sequence, in tokens (default: the model's own)")
      ->check(CLI::Range(int64_t{1}, int64_t{INT32_MAX}))
      ->group("Model");
}

void addRunnerOptions(CLI::App &command, RunnerOptions &options, bool chunk) {
  constexpr const char *kGroup = "Running";
  command
      .add_option("--threads", options.threads, "threads (default: all cores)")
      ->check(CLI::Range(1, 4096))
      ->group(kGroup);
  command
      .add_option("--target", options.target,
                  "kernels to use (default: the best that run here)")
      ->group(kGroup);
  if (chunk)
    command
        .add_option("--chunk", options.chunk,
                    "tokens of one step; changes no bit of the result")
        ->check(CLI::Range(1, 1 << 20))
        ->group(kGroup);
  command
      .add_flag("--rebuild-kernels", options.rebuildKernels,
                "compile the kernels from the sources in the artifact instead "
                "of trusting its machine code (docs/security.md)")
      ->group(kGroup);
}

void addExamples(CLI::App &command, const std::vector<std::string> &lines) {
  std::string footer = "Examples:\n";
  for (const std::string &line : lines)
    footer += "  " + line + "\n";
  command.footer(footer);
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

} // namespace pagoda::cli
