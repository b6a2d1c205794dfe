#include "Commands.h"
#include "Options.h"
#include "Progress.h"
#include "pagoda/Base/MappedFile.h"
#include "pagoda/Eval/Perplexity.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace pagoda::cli {

namespace {

struct PerplexityArguments {
  ModelOptions model;
  RunnerOptions runner;
  std::string text;
  PerplexityOptions options;
  bool json = false;
};

Status evalPerplexity(PerplexityArguments &arguments) {
  PAGODA_ASSIGN_OR_RETURN(std::string text, readTextFile(arguments.text));
  arguments.runner.allRows = true;
  PAGODA_ASSIGN_OR_RETURN(LoadedModel loaded,
                          loadModel(arguments.model, arguments.runner));
  if (!loaded.model.tokenizer)
    return invalidArgument("'", arguments.model.path, "' has no tokenizer");
  PAGODA_ASSIGN_OR_RETURN(std::vector<rt::TokenId> ids,
                          loaded.model.tokenizer->encode(text));
  Progress progress("perplexity");
  arguments.options.progress = [&](int32_t done, int32_t all) {
    progress.show(concat(done, " of ", all, " windows"), double(done) / all);
  };
  PAGODA_ASSIGN_OR_RETURN(PerplexityResult result,
                          perplexity(*loaded.engine, ids, arguments.options));
  if (arguments.json) {
    nlohmann::ordered_json json = {{"perplexity", result.perplexity},
                                   {"loss", result.loss},
                                   {"standard_error", result.standardError},
                                   {"windows", result.windows},
                                   {"scored_tokens", result.scoredTokens}};
    std::printf("%s\n", json.dump().c_str());
    return {};
  }
  std::printf("perplexity %.4f  (loss %.5f +- %.5f nats, %d windows, %lld "
              "tokens)\n",
              result.perplexity, result.loss, result.standardError,
              result.windows, static_cast<long long>(result.scoredTokens));
  return {};
}

} // namespace

void addEval(CLI::App &app, const Choose &choose) {
  CLI::App *eval =
      app.add_subcommand("eval", "Measure how good a compiled model is");
  eval->require_subcommand(1);
  addExamples(*eval, {"pagoda eval perplexity model.gguf text.txt"});
  auto arguments = std::make_shared<PerplexityArguments>();
  CLI::App *command = eval->add_subcommand(
      "perplexity", "How well the model predicts a text: lower is better");
  addModelOptions(*command, arguments->model);
  command->add_option("TEXT", arguments->text, "a text file")->required();
  command
      ->add_option("--window", arguments->options.window,
                   "tokens of a window; the first one is not scored")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str()
      ->group("Measuring");
  command
      ->add_option("--windows", arguments->options.windows,
                   "windows to score (default: all)")
      ->group("Measuring");
  command->add_flag("--json", arguments->json, "print one JSON object")
      ->group("Measuring");
  addRunnerOptions(*command, arguments->runner, /*chunk=*/false);
  addExamples(*command,
              {"pagoda eval perplexity model.gguf text.txt",
               "pagoda eval perplexity model.gguf text.txt --precision exact "
               "--windows 16"});
  command->callback(
      [=] { choose([=] { return evalPerplexity(*arguments); }); });
}

} // namespace pagoda::cli
