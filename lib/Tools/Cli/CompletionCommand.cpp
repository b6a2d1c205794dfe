#include "Commands.h"
#include "CompletionScripts.h"
#include "Options.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace pagoda::cli {

void addCompletion(CLI::App &app, const Choose &choose) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand(
      "completion", "Print a script that completes pagoda's command line");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  addExamples(*command, {"source <(pagoda completion bash)",
                         "pagoda completion zsh > ~/.zfunc/_pagoda",
                         "pagoda completion fish > "
                         "~/.config/fish/completions/pagoda.fish"});
  // The application outlives the action.
  command->callback([=, &app] {
    choose([=, &app] {
      std::cout << (*shell == "bash"  ? bashCompletion(app)
                    : *shell == "zsh" ? zshCompletion(app)
                                      : fishCompletion(app));
      return Status();
    });
  });
}

} // namespace pagoda::cli
