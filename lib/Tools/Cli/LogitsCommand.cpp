#include "Commands.h"
#include "NumpyFile.h"
#include "Options.h"

#include <CLI/CLI.hpp>

namespace pagoda::cli {

namespace {

struct LogitsArguments {
  ModelOptions model;
  RunnerOptions runner;
  std::string ids, prompt, output;
};

/// Writes the logits of each position as they come.
class LogitsSink : public rt::RequestSink {
public:
  explicit LogitsSink(NumpyFile file) : file(std::move(file)) {}

  rt::SinkReply onToken(const rt::TokenEvent &) override {
    return rt::SinkReply::Stop;
  }
  void onPromptLogits(int32_t, std::span<const float> logits) override {
    if (status.ok())
      status = file.append(logits);
  }
  void onFinish(const rt::FinishEvent &event) override {
    if (status.ok())
      status = event.status;
    if (status.ok())
      status = file.finish();
  }

  Status status;

private:
  NumpyFile file;
};

Status logits(LogitsArguments &arguments) {
  arguments.runner.allRows = true;
  PAGODA_ASSIGN_OR_RETURN(LoadedModel loaded,
                          loadModel(arguments.model, arguments.runner));
  rt::Request request;
  if (!arguments.ids.empty()) {
    PAGODA_ASSIGN_OR_RETURN(request.prompt, parseIds(arguments.ids, "--ids"));
  } else if (loaded.model.tokenizer) {
    PAGODA_ASSIGN_OR_RETURN(request.prompt,
                            loaded.model.tokenizer->encode(arguments.prompt));
  } else {
    return invalidArgument("'", arguments.model.path,
                           "' has no tokenizer; give --ids");
  }
  request.promptLogits = true;
  request.maxTokens = 0;
  PAGODA_ASSIGN_OR_RETURN(
      NumpyFile file,
      NumpyFile::create(arguments.output,
                        static_cast<int64_t>(request.prompt.size()),
                        loaded.engine->limits().vocabulary));
  auto sink = std::make_shared<LogitsSink>(std::move(file));
  request.sink = sink;
  PAGODA_ASSIGN_OR_RETURN([[maybe_unused]] rt::RequestId id,
                          loaded.engine->add(std::move(request)));
  while (loaded.engine->step()) {
  }
  return sink->status;
}

} // namespace

void addLogits(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<LogitsArguments>();
  CLI::App *command = app.add_subcommand(
      "logits", "Write the logits after every token of a text, as .npy");
  addModelOptions(*command, arguments->model);
  auto *ids =
      command->add_option("--ids", arguments->ids, "token ids such as 5,17,3");
  command->add_option("--prompt", arguments->prompt, "text instead of ids")
      ->excludes(ids);
  command
      ->add_option("-o,--output", arguments->output,
                   "the .npy file: float32 [tokens, vocabulary]")
      ->required();
  addRunnerOptions(*command, arguments->runner, /*chunk=*/true);
  addExamples(*command,
              {"pagoda logits model.gguf --ids 5,17,3 -o logits.npy",
               "pagoda logits model.pgd --prompt \"Hello\" -o logits.npy"});
  command->callback([=] { choose([=] { return logits(*arguments); }); });
}

} // namespace pagoda::cli
