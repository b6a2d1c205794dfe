#include "CommandLineErrors.h"

#include "pagoda/Base/Concat.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

namespace pagoda::cli {

namespace {

/// Letters that have to change, come or go, or swap places with their
/// neighbours, to make one word of the other.
size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> table(a.size() + 1,
                                         std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      size_t best = std::min(table[i - 1][j], table[i][j - 1]) + 1;
      best = std::min(best, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, table[i - 2][j - 2] + 1);
      table[i][j] = best;
    }
  return table[a.size()][b.size()];
}

/// The command that the words lead to, and the first word that is no command
/// where one has to stand.
struct Place {
  const CLI::App *command;
  std::string unknownCommand;
};

Place findPlace(const CLI::App &app, std::span<const char *const> words) {
  Place place{&app, ""};
  for (const std::string word : words) {
    const auto subcommands =
        place.command->get_subcommands([](const CLI::App *) { return true; });
    if (subcommands.empty())
      break;
    if (word.starts_with("-"))
      continue;
    auto found = std::find_if(
        subcommands.begin(), subcommands.end(),
        [&](const CLI::App *other) { return other->check_name(word); });
    if (found == subcommands.end()) {
      place.unknownCommand = word;
      break;
    }
    place.command = *found;
  }
  return place;
}

std::string fullName(const CLI::App &command) {
  const CLI::App *parent = command.get_parent();
  return parent ? fullName(*parent) + " " + command.get_name()
                : command.get_name();
}

std::vector<std::string> commandNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command :
       app.get_subcommands([](const CLI::App *) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> optionNames(const CLI::App &command) {
  std::vector<std::string> names;
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

/// The first word that looks like an option and is none of the command's.
std::string unknownOption(const CLI::App &command,
                          std::span<const char *const> words) {
  for (std::string word : words) {
    word = word.substr(0, word.find('='));
    if (word == "--")
      break;
    bool option = word.size() > 1 && word[0] == '-' &&
                  !std::isdigit(static_cast<unsigned char>(word[1]));
    // "-n5" is -n with a value.
    std::string name = word.starts_with("--") ? word : word.substr(0, 2);
    if (option && !command.get_option_no_throw(name))
      return word;
  }
  return {};
}

/// An argument that is missing, with what it is.
std::string describeMissing(const CLI::App &command,
                            const std::string &message) {
  for (const CLI::Option *option : command.get_options()) {
    std::string name = option->get_single_name();
    if (option->get_positional() && message.starts_with(name + " is required"))
      return concat(name, " is missing: ", option->get_description());
  }
  return {};
}

std::string firstExample(const CLI::App &command) {
  std::string footer = command.get_footer();
  size_t begin = footer.find("\n  ");
  if (begin == std::string::npos)
    return {};
  std::string line = footer.substr(begin + 3);
  return line.substr(0, line.find('\n'));
}

} // namespace

std::string nearest(const std::string &word,
                    const std::vector<std::string> &candidates) {
  std::string best;
  // A third of the letters may be wrong, beyond that it is a guess.
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    size_t apart = distance(word, candidate);
    // The beginning of a longer word counts as near.
    if (word.size() >= 4 && candidate.starts_with(word))
      apart = std::min<size_t>(apart, 1);
    if (apart < least) {
      least = apart;
      best = candidate;
    }
  }
  return best;
}

std::string explain(const CLI::App &app, std::span<const char *const> words,
                    const CLI::ParseError &error) {
  Place place = findPlace(app, words);
  const CLI::App &command = *place.command;
  std::string name = fullName(command);
  std::string help = concat("\nsee ", name, " --help");
  auto suggest = [](const std::string &other) {
    return other.empty() ? "" : concat("; did you mean ", other, "?");
  };
  bool extras = dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr;
  if (!place.unknownCommand.empty() && command.get_require_subcommand_min() > 0)
    return concat(name, ": there is no command '", place.unknownCommand, "'",
                  suggest(nearest(place.unknownCommand, commandNames(command))),
                  "\ncommands are ", join(commandNames(command)));
  if (command.get_require_subcommand_min() > 0 && !extras)
    return concat(name, ": a command is missing; commands are ",
                  join(commandNames(command)), help);
  if (extras)
    if (std::string option = unknownOption(command, words); !option.empty())
      return concat(name, ": unknown option ", option,
                    suggest(nearest(option, optionNames(command))), help);
  if (std::string missing = describeMissing(command, error.what());
      !missing.empty()) {
    std::string example = firstExample(command);
    return concat(name, ": ", missing,
                  example.empty() ? "" : "\nfor example: " + example, help);
  }
  return concat(name, ": ", error.what(), help);
}

} // namespace pagoda::cli
