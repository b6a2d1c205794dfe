#include "CompletionScripts.h"

#include "HelpFormatter.h"
#include "pagoda/Base/Concat.h"

#include <CLI/CLI.hpp>

namespace pagoda::cli {

namespace {

/// An option as shells see it.
struct ShellOption {
  /// "--output", "-o".
  std::vector<std::string> names;
  std::string help;
  bool takesValue = false;
  /// What the value may be; empty: anything, a file most likely.
  std::vector<std::string> choices;
};

struct ShellCommand {
  /// "eval perplexity"; empty: the program itself.
  std::string path;
  std::string help;
  std::vector<ShellOption> options;
  std::vector<std::string> subcommands;
};

std::vector<const CLI::App *> subcommandsOf(const CLI::App &app) {
  return app.get_subcommands([](const CLI::App *) { return true; });
}

void collect(const CLI::App &app, const std::string &path,
             std::vector<ShellCommand> &commands) {
  ShellCommand command{path, app.get_description(), {}, {}};
  for (const CLI::Option *option : app.get_options()) {
    ShellOption known;
    for (const std::string &name : option->get_lnames())
      known.names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      known.names.push_back("-" + name);
    if (known.names.empty())
      continue;
    known.help = option->get_description();
    known.takesValue = option->get_items_expected_max() > 0;
    if (known.takesValue)
      known.choices = choicesOf(*option);
    command.options.push_back(std::move(known));
  }
  // Words that a command takes in place of a subcommand: shells of
  // `completion`.
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional())
      for (const std::string &choice : choicesOf(*option))
        command.subcommands.push_back(choice);
  for (const CLI::App *sub : subcommandsOf(app))
    command.subcommands.push_back(sub->get_name());
  commands.push_back(std::move(command));
  for (const CLI::App *sub : subcommandsOf(app))
    collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(),
            commands);
}

std::vector<ShellCommand> collect(const CLI::App &app) {
  std::vector<ShellCommand> commands;
  collect(app, "", commands);
  return commands;
}

/// The first sentence of a help, without what shells would read as theirs.
std::string plainHelp(const std::string &help, std::string_view forbidden) {
  std::string text;
  for (char c : help.substr(0, help.find_first_of(";(")))
    text += forbidden.find(c) == std::string_view::npos ? c : ' ';
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

const ShellCommand *find(const std::vector<ShellCommand> &commands,
                         const std::string &path) {
  for (const ShellCommand &command : commands)
    if (command.path == path)
      return &command;
  return nullptr;
}

std::string optionWords(const ShellCommand &command) {
  std::string words;
  for (const ShellOption &option : command.options)
    words += (words.empty() ? "" : " ") + join(option.names, " ");
  return words;
}

} // namespace

std::string bashCompletion(const CLI::App &app) {
  std::vector<ShellCommand> commands = collect(app);
  std::string paths, words, values;
  for (const ShellCommand &command : commands) {
    for (const std::string &sub : command.subcommands) {
      std::string path = command.path.empty() ? sub : command.path + " " + sub;
      if (find(commands, path))
        paths += concat("      '", command.path, ":", sub, "') command='", path,
                        "' ;;\n");
    }
    words += concat("    '", command.path, "')\n      options='",
                    optionWords(command), "'\n      words='",
                    join(command.subcommands, " "), "' ;;\n");
    for (const ShellOption &option : command.options)
      if (option.takesValue)
        for (const std::string &name : option.names)
          values += concat("    '", command.path, ":", name, "')\n      ",
                           option.choices.empty()
                               ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                               : concat("COMPREPLY=($(compgen -W '",
                                        join(option.choices, " "),
                                        "' -- \"$word\"))"),
                           "\n      return ;;\n");
  }
  return concat(
      R"(# Completion of pagoda for bash. Try it: source <(pagoda completion bash)
# Keep it: pagoda completion bash > \
#   ~/.local/share/bash-completion/completions/pagoda
_pagoda() {
  local word="${COMP_WORDS[COMP_CWORD]}"
  local before="${COMP_WORDS[COMP_CWORD - 1]}"
  # --option=value comes as three words.
  if [[ $word == "=" ]]; then
    word=""
  elif [[ $before == "=" ]]; then
    before="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  local command="" options="" words="" i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command:${COMP_WORDS[i]}" in
)",
      paths, R"(    esac
  done
  case "$command:$before" in
)",
      values, R"(  esac
  case "$command" in
)",
      words, R"(  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -o bashdefault -F _pagoda pagoda
)");
}

std::string zshCompletion(const CLI::App &app) {
  std::vector<ShellCommand> commands = collect(app);
  std::string functions;
  for (const ShellCommand &command : commands) {
    std::string name = "_pagoda";
    for (char c : command.path.empty() ? "" : "_" + command.path)
      name += c == ' ' ? '_' : c;
    functions += concat(name, "() {\n  local -a names\n");
    std::string specs;
    for (const ShellOption &option : command.options) {
      std::string help = plainHelp(option.help, "[]:'\"\\`$");
      for (const std::string &word : option.names)
        specs +=
            concat(" \\\n    '", word, "[", help, "]",
                   !option.takesValue ? ""
                   : option.choices.empty()
                       ? ":value:_files"
                       : concat(":value:(", join(option.choices, " "), ")"),
                   "'");
    }
    bool hasCommands = false;
    std::string described;
    for (const std::string &sub : command.subcommands) {
      const ShellCommand *found =
          find(commands, command.path.empty() ? sub : command.path + " " + sub);
      hasCommands |= found != nullptr;
      described +=
          concat(" '", sub, ":",
                 found ? plainHelp(found->help, "[]:'\"\\`$") : sub, "'");
    }
    if (command.subcommands.empty()) {
      functions +=
          concat("  _arguments -s", specs, " \\\n    '*:file:_files'\n");
    } else {
      functions += concat(
          "  names=(", described, " )\n  local state\n  _arguments -C", specs,
          " \\\n    '1:command:->command' '*::argument:->argument'\n"
          "  case $state in\n"
          "    command) _describe command names ;;\n");
      if (hasCommands)
        functions += concat("    argument) (( $+functions[", name,
                            "_${words[1]}] )) && ", name, "_${words[1]} ;;\n");
      functions += "  esac\n";
    }
    functions += "}\n";
  }
  return concat(
      "#compdef pagoda\n"
      "# Completion of pagoda for zsh. Keep it as _pagoda in a folder "
      "of $fpath:\n"
      "#   pagoda completion zsh > ~/.zfunc/_pagoda\n",
      functions,
      "if [ \"$funcstack[1]\" = \"_pagoda\" ]; then\n"
      "  _pagoda \"$@\"\nelse\n  compdef _pagoda pagoda\nfi\n");
}

std::string fishCompletion(const CLI::App &app) {
  std::vector<ShellCommand> commands = collect(app);
  std::string lines;
  for (const ShellCommand &command : commands) {
    std::string last = command.path.substr(command.path.rfind(' ') + 1);
    std::string condition = command.path.empty()
                                ? "__fish_use_subcommand"
                                : "__fish_seen_subcommand_from " + last;
    for (const std::string &sub : command.subcommands) {
      const ShellCommand *found =
          find(commands, command.path.empty() ? sub : command.path + " " + sub);
      lines +=
          concat("complete -c pagoda -n '", condition, "' -f -a ", sub, " -d '",
                 found ? plainHelp(found->help, "'\\") : sub, "'\n");
    }
    for (const ShellOption &option : command.options) {
      lines += concat("complete -c pagoda -n '", condition, "'");
      for (const std::string &name : option.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2)
                                        : " -s " + name.substr(1);
      if (option.takesValue)
        lines += option.choices.empty()
                     ? " -r"
                     : concat(" -x -a '", join(option.choices, " "), "'");
      lines += concat(" -d '", plainHelp(option.help, "'\\"), "'\n");
    }
  }
  return "# Completion of pagoda for fish. Keep it:\n"
         "#   pagoda completion fish > "
         "~/.config/fish/completions/pagoda.fish\n" +
         lines;
}

} // namespace pagoda::cli
