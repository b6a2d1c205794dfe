#include "Filters.h"

#include "Operators.h"
#include "Printing.h"
#include "TextTools.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace pagoda::rt::chat {

namespace {

/// The text that a filter works on; other values are printed first.
StatusOr<const Text *> inputText(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(Value string, stringOf(call.context, call.self));
  return &string.asText();
}

/// A text made from `from`, and marked as safe if that was.
StatusOr<Value> result(Call &call, TextBuilder out, const Text &from) {
  if (out.overflowed())
    return overBudget();
  Text text = std::move(out).take();
  text.markup = from.markup;
  return call.context.string(std::move(text));
}

template <Case To>
StatusOr<Value> caseFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *text, inputText(call));
  TextBuilder out = call.context.builder();
  changeCase(*text, To, out);
  return result(call, std::move(out), *text);
}

StatusOr<Value> trimFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *text, inputText(call));
  const std::string *characters = nullptr;
  if (call.has(0) && !call.bound[0]->is(Kind::None)) {
    if (!call.bound[0]->isString())
      return invalidArgument("'trim' takes a text");
    characters = &call.bound[0]->asBytes();
  }
  return call.context.string(strip(*text, characters, Side::Both));
}

StatusOr<Value> replaceFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *text, inputText(call));
  PAGODA_ASSIGN_OR_RETURN(Value old, stringOf(call.context, *call.bound[0]));
  PAGODA_ASSIGN_OR_RETURN(Value by, stringOf(call.context, *call.bound[1]));
  int64_t count = -1;
  if (call.has(2) && !call.bound[2]->is(Kind::None)) {
    PAGODA_ASSIGN_OR_RETURN(count, call.integerOr(2, -1));
  }
  TextBuilder out = call.context.builder();
  replace(*text, old.asText(), by.asText(), count, out);
  return call.context.string(std::move(out));
}

StatusOr<Value> indentFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *text, inputText(call));
  Text indentation;
  if (call.has(0) && call.bound[0]->isString()) {
    indentation = call.bound[0]->asText();
  } else {
    PAGODA_ASSIGN_OR_RETURN(int64_t width, call.integerOr(0, 4));
    if (width > 10000)
      return overBudget();
    indentation = Text::trusted(
        std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' '));
  }
  bool first = call.truthOr(1, false), blank = call.truthOr(2, false);
  // A line break at the end makes one more line, an empty one.
  TextBuilder ended = call.context.builder();
  ended.append(*text);
  ended.append("\n", true);
  std::vector<Text> lines = splitLines(ended.view(), false);
  TextBuilder out = call.context.builder();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0)
      out.append("\n", true);
    if (i > 0 ? blank || !lines[i].bytes.empty() : first)
      out.append(indentation);
    out.append(lines[i]);
  }
  return result(call, std::move(out), *text);
}

StatusOr<Value> stringFilter(Call &call) {
  return stringOf(call.context, call.self);
}

StatusOr<Value> safeFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *text, inputText(call));
  Text copy = *text;
  copy.markup = true;
  return call.context.string(std::move(copy));
}

StatusOr<Value> escapeFilter(Call &call) {
  return escaped(call.context, call.self);
}

StatusOr<Value> wordCountFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *text, inputText(call));
  return Value::integer(
      static_cast<int64_t>(split(*text, nullptr, -1, false).size()));
}

StatusOr<Value> jsonFilter(Call &call) {
  JsonStyle style;
  style.asciiOnly = call.truthOr(0, false);
  if (call.has(1) && !call.bound[1]->is(Kind::None)) {
    if (call.bound[1]->isString()) {
      style.indent = call.bound[1]->asBytes();
    } else {
      PAGODA_ASSIGN_OR_RETURN(int64_t width, call.integerOr(1, 0));
      style.indent = std::string(
          static_cast<size_t>(std::clamp<int64_t>(width, 0, 100)), ' ');
    }
    style.itemSeparator.assign(1, ',');
  }
  if (call.has(2) && !call.bound[2]->is(Kind::None)) {
    const Value &separators = *call.bound[2];
    if (!separators.isSequence() || separators.asList().items.size() != 2 ||
        !separators.asList().items[0].isString() ||
        !separators.asList().items[1].isString())
      return invalidArgument("the separators of 'tojson' must be two texts");
    style.itemSeparator = separators.asList().items[0].asBytes();
    style.keySeparator = separators.asList().items[1].asBytes();
  }
  style.sortKeys = call.truthOr(3, false);
  TextBuilder out = call.context.builder();
  PAGODA_RETURN_IF_ERROR(printJson(call.self, style, out, call.context.budget));
  return call.context.string(std::move(out));
}

StatusOr<Value> fromJsonFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *text, inputText(call));
  PAGODA_ASSIGN_OR_RETURN(JsonDocument document,
                          JsonDocument::parse(text->bytes, "from_json"));
  // Where a string of the document came from is lost in its escapes.
  return valueOf(call.context, document.root(), text->untrusted.empty());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A text as Python's int() and float() take it: without the space around it
/// and the underscores between digits.
std::string numberText(const std::string &bytes) {
  Text text = strip(Text::trusted(bytes), nullptr, Side::Both);
  std::string digits = text.bytes;
  for (size_t i = 1; i + 1 < digits.size(); ++i)
    if (digits[i] == '_' &&
        std::isxdigit(static_cast<uint8_t>(digits[i - 1])) &&
        std::isxdigit(static_cast<uint8_t>(digits[i + 1])))
      digits.erase(i, 1);
  if (!digits.empty() && digits[0] == '+' && digits.substr(1, 1) != "-")
    digits.erase(0, 1);
  return digits;
}

std::optional<double> parseReal(const std::string &bytes) {
  std::string digits = numberText(bytes);
  double number = 0;
  auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size())
    return std::nullopt;
  return number;
}

StatusOr<Value> truncated(double number, Value fallback) {
  if (!std::isfinite(number))
    return fallback;
  if (std::abs(number) >= 9.2e18)
    return invalidArgument("an integer does not fit in 64 bits");
  return Value::integer(static_cast<int64_t>(number));
}

StatusOr<Value> intFilter(Call &call) {
  Value fallback = call.valueOr(0, Value::integer(0));
  PAGODA_ASSIGN_OR_RETURN(int64_t base, call.integerOr(1, 10));
  if (base < 2 || base > 36)
    return invalidArgument("there are no numbers to the base ", base);
  const Value &value = call.self;
  if (value.isInteger())
    return Value::integer(value.asInteger());
  if (value.is(Kind::Float))
    return truncated(value.asReal(), fallback);
  if (!value.isString())
    return fallback;
  std::string digits = numberText(value.asBytes());
  std::string prefix = base == 16  ? "0x"
                       : base == 8 ? "0o"
                       : base == 2 ? "0b"
                                   : "";
  size_t sign = !digits.empty() && digits[0] == '-';
  if (!prefix.empty() && digits.size() > sign + 2 && digits[sign] == '0' &&
      (digits[sign + 1] | 0x20) == prefix[1])
    digits.erase(sign, 2);
  int64_t number = 0;
  auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number,
                      static_cast<int>(base));
  if (error == std::errc() && stop == digits.data() + digits.size() &&
      !digits.empty())
    return Value::integer(number);
  if (std::optional<double> real = parseReal(value.asBytes()))
    return truncated(*real, fallback);
  return fallback;
}

StatusOr<Value> floatFilter(Call &call) {
  if (call.self.isNumber())
    return Value::real(call.self.asReal());
  if (call.self.isString())
    if (std::optional<double> number = parseReal(call.self.asBytes()))
      return Value::real(*number);
  return call.valueOr(0, Value::real(0));
}

StatusOr<Value> absFilter(Call &call) {
  if (!call.self.isNumber())
    return invalidArgument("'abs' takes a number, not a ", typeName(call.self));
  if (call.self.is(Kind::Float))
    return Value::real(std::abs(call.self.asReal()));
  return call.self.asInteger() < 0
             ? negated(call.self)
             : StatusOr(Value::integer(call.self.asInteger()));
}

StatusOr<Value> roundFilter(Call &call) {
  if (!call.self.isNumber())
    return invalidArgument("'round' takes a number, not a ",
                           typeName(call.self));
  PAGODA_ASSIGN_OR_RETURN(int64_t precision, call.integerOr(0, 0));
  std::string method = call.has(1) && call.bound[1]->isString()
                           ? call.bound[1]->asBytes()
                           : "common";
  if (precision < 0 || precision > 15)
    return invalidArgument("'round' takes 0 to 15 digits");
  if (method == "common") {
    if (call.self.isInteger())
      return Value::integer(call.self.asInteger());
    char buffer[400];
    // The library rounds the exact value, as Python does.
    int size = std::snprintf(buffer, sizeof buffer, "%.*f",
                             static_cast<int>(precision), call.self.asReal());
    return Value::real(
        parseReal(std::string(buffer, static_cast<size_t>(size))).value_or(0));
  }
  double scale = std::pow(10.0, static_cast<double>(precision));
  double scaled = call.self.asReal() * scale;
  if (method == "ceil")
    return Value::real(std::ceil(scaled) / scale);
  if (method == "floor")
    return Value::real(std::floor(scaled) / scale);
  return invalidArgument("'round' knows common, ceil and floor, not '", method,
                         "'");
}

constexpr NativeFunction filters[] = {
    {"abs", "", 0, absFilter},
    {"capitalize", "", 0, caseFilter<Case::Capital>},
    {"e", "", 0, escapeFilter},
    {"escape", "", 0, escapeFilter},
    {"float", "default", 0, floatFilter},
    {"from_json", "", 0, fromJsonFilter},
    {"indent", "width first blank", 0, indentFilter},
    {"int", "default base", 0, intFilter},
    {"lower", "", 0, caseFilter<Case::Lower>},
    {"replace", "old new count", 2, replaceFilter},
    {"round", "precision method", 0, roundFilter},
    {"safe", "", 0, safeFilter},
    {"string", "", 0, stringFilter},
    {"title", "", 0, caseFilter<Case::FilterTitle>},
    {"tojson", "ensure_ascii indent separators sort_keys", 0, jsonFilter},
    {"trim", "chars", 0, trimFilter},
    {"upper", "", 0, caseFilter<Case::Upper>},
    {"wordcount", "", 0, wordCountFilter},
};

} // namespace

std::span<const NativeFunction> textFilters() { return filters; }

} // namespace pagoda::rt::chat
