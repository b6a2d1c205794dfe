#include "WeightExpression.h"

#include <cctype>
#include <map>

namespace pagoda {

namespace {

/// An expression longer than this says no more to anybody. It also bounds the
/// work: a value may be used twice, and its users again.
constexpr size_t kLongest = 600;
/// A list of numbers longer than this is cut.
constexpr size_t kLongestList = 40;

bool isNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         c == '$' || c == '-';
}

/// Where the types begin: at the " : " outside of quotes.
size_t findTypes(std::string_view text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text.substr(i).starts_with(" : "))
      return i;
  }
  return text.size();
}

class Expressions {
public:
  /// "%name = OPERATION" of one line.
  void define(std::string_view name, std::string_view operation) {
    size_t end = operation.find(' ');
    std::string_view op = operation.substr(0, end);
    std::string_view rest = end == std::string_view::npos
                                ? std::string_view()
                                : operation.substr(end + 1);
    rest = rest.substr(0, findTypes(rest));
    std::string arguments = substitute(rest);
    std::string text;
    if (op == "llm.weight") {
      text = arguments.starts_with('@') ? arguments.substr(1) : arguments;
    } else {
      size_t dot = op.rfind('.');
      text =
          std::string(op.substr(dot == std::string_view::npos ? 0 : dot + 1));
      text += "(" + arguments + ")";
    }
    values[std::string(name)] = shorten(std::move(text));
  }

  std::string substitute(std::string_view text) const {
    std::string result;
    for (size_t i = 0; i < text.size() && result.size() <= kLongest;) {
      if (text[i] == '%') {
        size_t end = i + 1;
        while (end < text.size() && isNameCharacter(text[end]))
          ++end;
        auto value = values.find(std::string(text.substr(i, end - i)));
        result += value == values.end() ? std::string(text.substr(i, end - i))
                                        : value->second;
        i = end;
      } else if (text[i] == '[') {
        size_t end = text.find(']', i);
        end = end == std::string_view::npos ? text.size() : end + 1;
        std::string_view list = text.substr(i, end - i);
        result += list.size() > kLongestList && list.find('"') == list.npos
                      ? "[…]"
                      : std::string(list);
        i = end;
      } else {
        result += text[i++];
      }
    }
    return shorten(std::move(result));
  }

private:
  static std::string shorten(std::string text) {
    if (text.size() > kLongest) {
      text.resize(kLongest);
      text += "…";
    }
    return text;
  }

  std::map<std::string, std::string> values;
};

} // namespace

std::string weightExpression(std::string_view history) {
  Expressions expressions;
  while (!history.empty()) {
    size_t end = history.find('\n');
    std::string_view line = history.substr(0, end);
    history.remove_prefix(end == std::string_view::npos ? history.size()
                                                        : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    constexpr std::string_view kYield = "llm.yield ";
    if (line.starts_with(kYield)) {
      line.remove_prefix(kYield.size());
      return expressions.substitute(line.substr(0, findTypes(line)));
    }
    size_t equals = line.find(" = ");
    if (line.starts_with('%') && equals != std::string_view::npos)
      expressions.define(line.substr(0, equals), line.substr(equals + 3));
  }
  return {};
}

} // namespace pagoda
