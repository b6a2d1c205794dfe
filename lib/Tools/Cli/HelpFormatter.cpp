#include "HelpFormatter.h"

#include "pagoda/Base/Concat.h"

namespace pagoda::cli {

namespace {

constexpr size_t kColumn = 28, kWidth = 80;

/// "N", "FILE", "fast|exact": what stands for an option's value.
std::string valueName(const CLI::Option &option) {
  if (std::vector<std::string> choices = choicesOf(option); !choices.empty())
    return join(choices, "|");
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  bool number = type.starts_with("INT") || type.starts_with("UINT") ||
                type.starts_with("FLOAT") || type.starts_with("SIZE");
  return number ? "N" : type;
}

/// A name, and beside it a text that is broken into lines.
std::string entry(const std::string &name, const std::string &text) {
  std::string line = "  " + name, result;
  if (line.size() + 2 > kColumn && !text.empty()) {
    result = line + "\n";
    line.clear();
  }
  line.resize(std::max(line.size(), kColumn), ' ');
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    bool first = line.size() == kColumn;
    if (!first && line.size() + 1 + word.size() > kWidth) {
      result += line + "\n";
      line.assign(kColumn, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
    begin = end + 1;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return result + line + "\n";
}

std::string optionEntry(const CLI::Option &option) {
  bool positional = option.get_positional();
  std::string name = option.get_name(positional, !positional);
  if (!positional && option.get_items_expected_max() > 0)
    name += " " + valueName(option);
  std::string text = option.get_description();
  if (!option.get_default_str().empty() &&
      text.find("default") == std::string::npos)
    text += concat(" (default: ", option.get_default_str(), ")");
  return entry(name, text);
}

std::string usage(const CLI::App &app, const std::string &name) {
  std::string line = "Usage: " + name;
  bool commands = app.get_require_subcommand_min() > 0;
  line += commands ? " COMMAND" : " [OPTIONS]";
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional()) {
      std::string argument = option->get_name(true, false);
      line += option->get_required() ? " " + argument : " [" + argument + "]";
    }
  return line + (commands ? " [OPTIONS]\n" : "\n");
}

} // namespace

std::vector<std::string> choicesOf(const CLI::Option &option) {
  // IsMember describes itself as "TEXT:{a,b}".
  std::vector<std::string> choices;
  std::string type = option.get_type_name();
  size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return choices;
  std::string list = type.substr(begin + 1, end - begin - 1) + ",";
  for (size_t at; (at = list.find(',')) != std::string::npos;) {
    choices.push_back(list.substr(0, at));
    list.erase(0, at + 1);
  }
  return choices;
}

std::string HelpFormatter::make_help(const CLI::App *app, std::string name,
                                     CLI::AppFormatMode) const {
  std::string text = app->get_description() + "\n\n" + usage(*app, name) + "\n";
  for (const CLI::Option *option : app->get_options())
    if (option->get_positional())
      text += optionEntry(*option);
  for (const CLI::App *command :
       app->get_subcommands([](const CLI::App *) { return true; }))
    text += entry(command->get_name(), command->get_description());
  for (const std::string &group : app->get_groups()) {
    std::string options;
    for (const CLI::Option *option : app->get_options())
      if (option->get_group() == group && option->nonpositional() &&
          option != app->get_help_ptr() && option != app->get_version_ptr())
        options += optionEntry(*option);
    if (!options.empty())
      text += "\n" + group + ":\n" + options;
  }
  text += "\n" + entry("-h,--help", "show this");
  if (app->get_version_ptr())
    text += entry("--version", "show the version");
  return text + "\n" + app->get_footer();
}

} // namespace pagoda::cli
