#include "Commands.h"
#include "Options.h"
#include "pagoda/Runtime/Generation/ChatPrompt.h"
#include "pagoda/Runtime/Generation/Generate.h"
#include "pagoda/Runtime/Tokenizer/StreamDecoder.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace pagoda::cli {

namespace {

struct RunArguments {
  ModelOptions model;
  RunnerOptions runner;
  std::string prompt, ids, system;
  std::vector<std::string> stop;
  int32_t maxTokens = 256;
  rt::SamplingParams sampling;
  bool chat = false, ignoreEos = false, json = false;
};

/// The tokenizer's decoder as Generation wants it.
class TokenText final : public rt::TextDecoder {
public:
  explicit TokenText(rt::Tokenizer tokenizer)
      : stream(std::move(tokenizer), /*skipSpecialTokens=*/true) {}
  std::string push(int32_t id) override { return stream.push(id); }
  std::string flush() override { return stream.flush(); }

private:
  rt::StreamDecoder stream;
};

/// For models without a tokenizer: no text, only ids.
class NoText final : public rt::TextDecoder {
public:
  std::string push(int32_t) override { return {}; }
  std::string flush() override { return {}; }
};

rt::ModelText modelText(const Model &model) {
  rt::ModelText text;
  if (model.tokenizer) {
    text.makeDecoder = [tokenizer = *model.tokenizer] {
      return std::make_unique<TokenText>(tokenizer);
    };
  } else {
    text.makeDecoder = [] { return std::make_unique<NoText>(); };
  }
  const artifact::Model *info = model.artifact->program().model();
  if (info->stop_tokens())
    text.eosIds.assign(info->stop_tokens()->begin(),
                       info->stop_tokens()->end());
  return text;
}

StatusOr<std::vector<int32_t>> promptIds(const RunArguments &arguments,
                                         const Model &model) {
  if (!arguments.ids.empty())
    return parseIds(arguments.ids, "--ids");
  if (!model.tokenizer)
    return invalidArgument("'", arguments.model.path,
                           "' has no tokenizer; give the prompt as --ids");
  std::string prompt = arguments.prompt;
  if (prompt.empty() && ::isatty(STDIN_FILENO) != 1)
    prompt.assign(std::istreambuf_iterator<char>(std::cin), {});
  if (arguments.chat) {
    nlohmann::ordered_json messages = nlohmann::ordered_json::array();
    if (!arguments.system.empty())
      messages.push_back({{"role", "system"}, {"content", arguments.system}});
    messages.push_back({{"role", "user"}, {"content", prompt}});
    JsonDocument document =
        JsonDocument::fromValue(std::move(messages), "the conversation");
    return rt::chatPrompt(*model.tokenizer, document.root());
  }
  PAGODA_ASSIGN_OR_RETURN(std::vector<int32_t> ids,
                          model.tokenizer->encode(prompt));
  if (ids.empty())
    return invalidArgument("the prompt is empty; give one as an argument, on "
                           "standard input, or as --ids");
  return ids;
}

void printJson(const rt::GenerationResult &result, double seconds) {
  const rt::GeneratedChoice &choice = result.choices.front();
  std::vector<int32_t> ids;
  for (const rt::GeneratedToken &token : choice.tokens)
    ids.push_back(token.id);
  nlohmann::ordered_json json = {
      {"text", choice.text},
      {"token_ids", ids},
      {"finish_reason", finishReasonName(choice.finish)},
      {"prompt_tokens", result.promptTokens},
      {"generated_tokens", result.generatedTokens},
      {"seconds", seconds}};
  std::cout << json.dump(-1, ' ', false,
                         nlohmann::json::error_handler_t::replace)
            << '\n';
}

Status run(RunArguments &arguments) {
  PAGODA_ASSIGN_OR_RETURN(LoadedModel loaded,
                          loadModel(arguments.model, arguments.runner));
  rt::GenerationRequest request;
  PAGODA_ASSIGN_OR_RETURN(request.prompt, promptIds(arguments, loaded.model));
  request.sampling = arguments.sampling;
  request.maxTokens = arguments.maxTokens;
  request.stop = arguments.stop;
  request.ignoreEos = arguments.ignoreEos;

  bool stream = !arguments.json;
  auto start = std::chrono::steady_clock::now();
  PAGODA_ASSIGN_OR_RETURN(
      rt::GenerationResult result,
      rt::generate(*loaded.engine, modelText(loaded.model), std::move(request),
                   [&](const rt::TextEvent &event) {
                     if (stream)
                       std::cout << event.text << std::flush;
                     return static_cast<bool>(std::cout);
                   }));
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  if (arguments.json) {
    printJson(result, seconds.count());
  } else if (!loaded.model.tokenizer) {
    std::vector<int32_t> ids;
    for (const rt::GeneratedToken &token : result.choices.front().tokens)
      ids.push_back(token.id);
    std::cout << join(ids, ",") << '\n';
  } else {
    std::cout << '\n';
  }
  return {};
}

} // namespace

void addRun(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App *command = app.add_subcommand(
      "run", "Continue a text; compiles the model first if need be");
  addModelOptions(*command, arguments->model);
  command->add_option("PROMPT", arguments->prompt,
                      "the text (default: standard input)");

  constexpr const char *kPrompt = "Prompt";
  auto *ids = command
                  ->add_option("--ids", arguments->ids,
                               "token ids such as 5,17,3 instead of text")
                  ->group(kPrompt);
  auto *chat = command
                   ->add_flag("--chat", arguments->chat,
                              "the text is a message: answer it, by the "
                              "model's own chat template")
                   ->excludes(ids)
                   ->group(kPrompt);
  command
      ->add_option("--system", arguments->system,
                   "with --chat: what the model is told first")
      ->needs(chat)
      ->group(kPrompt);

  constexpr const char *kAnswer = "Answer";
  command
      ->add_option("-n,--max-tokens", arguments->maxTokens,
                   "most tokens to generate")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(kAnswer);
  command
      ->add_option("--stop", arguments->stop,
                   "end before this text; may be repeated")
      ->group(kAnswer);
  command
      ->add_flag("--ignore-eos", arguments->ignoreEos,
                 "go on after the model's end token")
      ->group(kAnswer);
  command
      ->add_flag("--json", arguments->json,
                 "print one JSON object at the end instead of text")
      ->group(kAnswer);

  rt::SamplingParams &sampling = arguments->sampling;
  sampling.temperature = 0; // the same answer every time, unless asked
  auto sample = [&](const char *name, auto &value, const char *help) {
    command->add_option(name, value, help)->group("Sampling");
  };
  sample("--temperature", sampling.temperature,
         "0 takes the most likely token (default), 1 samples as the model "
         "says");
  sample("--top-k", sampling.topK, "only the k most likely");
  sample("--top-p", sampling.topP,
         "only the most likely that make up this probability");
  sample("--min-p", sampling.minP,
         "only those with this share of the top probability");
  sample("--seed", sampling.seed, "makes sampling repeatable");

  addRunnerOptions(*command, arguments->runner, /*chunk=*/true);
  addExamples(*command,
              {"pagoda run model.gguf \"Once upon a time\" -n 64",
               "pagoda run model.gguf --chat \"What is a pagoda?\"",
               "pagoda run model.pgd --temperature 0.8 --seed 1 < prompt.txt",
               "pagoda run examples/tiny-llama.mlir --ids 5,17,3"});
  command->callback([=] { choose([=] { return run(*arguments); }); });
}

} // namespace pagoda::cli
