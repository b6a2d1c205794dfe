#include "Printing.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utf8proc.h>

namespace pagoda::rt::chat {

std::string floatText(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  // The shortest digits that give the number back, "d.ddde±xx".
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number,
                           std::chars_format::scientific)
                 .ptr;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  size_t e = text.find('e');
  std::string digits;
  for (char c : text.substr(0, e))
    if (c >= '0' && c <= '9')
      digits += c;
  int exponent = 0;
  size_t from = e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + from, end, exponent);
  std::string result(std::signbit(number), '-');
  // Python writes an exponent below 1e-4 and from 1e16 on.
  if (exponent < -4 || exponent >= 16) {
    result += digits[0];
    if (digits.size() > 1) {
      result += '.';
      result.append(digits, 1);
    }
    int size = std::abs(exponent);
    return result + "e" + (exponent < 0 ? "-" : "+") + (size < 10 ? "0" : "") +
           std::to_string(size);
  }
  if (exponent < 0)
    return result + "0." +
           std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  auto point = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= point)
    return result + digits + std::string(point - digits.size(), '0') + ".0";
  return result + digits.substr(0, point) + "." + digits.substr(point);
}

namespace {

uint32_t codePointAt(std::string_view text, size_t at, size_t bytes) {
  auto byte = [&](size_t i) -> uint32_t {
    return static_cast<uint8_t>(text[at + i]);
  };
  switch (bytes) {
  case 1:
    return byte(0);
  case 2:
    return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
  case 3:
    return (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  default:
    return (byte(0) & 7) << 18 | (byte(1) & 0x3f) << 12 |
           (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
  }
}

std::string hexDigits(uint32_t value, size_t width) {
  char buffer[8];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
  std::string text(buffer, end);
  return std::string(width > text.size() ? width - text.size() : 0, '0') + text;
}

/// str.isprintable() of one character.
bool isPrintable(uint32_t c) {
  if (c == ' ')
    return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
  case UTF8PROC_CATEGORY_ZS:
    return false;
  default:
    return true;
  }
}

/// Copies `text` with some characters replaced, each by what `escape` says of
/// it, or left alone where that is empty.
template <typename Escape>
void appendEscaped(const Text &text, TextBuilder &out, Escape escape) {
  size_t copied = 0;
  for (size_t at = 0; at < text.bytes.size();) {
    size_t bytes = characterBytes(text.bytes, at);
    std::string replacement =
        escape(codePointAt(text.bytes, at, bytes), text.bytes[at]);
    if (!replacement.empty()) {
      out.append(text, copied, at);
      out.append(replacement, text.isTrusted(at, at + bytes));
      copied = at + bytes;
    }
    at += bytes;
  }
  out.append(text, copied, text.bytes.size());
}

void printRepr(const Text &text, TextBuilder &out) {
  bool single = text.bytes.find('\'') != text.bytes.npos;
  bool both = single && text.bytes.find('"') != text.bytes.npos;
  char quote = single && !both ? '"' : '\'';
  out.append({&quote, 1}, true);
  appendEscaped(text, out, [&](uint32_t c, char byte) -> std::string {
    if (c == '\\' || c == static_cast<uint32_t>(quote))
      return std::string("\\") + byte;
    if (c >= 0x20 && c < 0x7f)
      return {};
    if (c == '\n')
      return "\\n";
    if (c == '\r')
      return "\\r";
    if (c == '\t')
      return "\\t";
    if (isPrintable(c))
      return {};
    return c < 0x100     ? "\\x" + hexDigits(c, 2)
           : c < 0x10000 ? "\\u" + hexDigits(c, 4)
                         : "\\U" + hexDigits(c, 8);
  });
  out.append({&quote, 1}, true);
}

Status printAt(const Value &value, TextBuilder &out, Budget &budget,
               unsigned depth) {
  if (!budget.spend() || out.overflowed())
    return overBudget();
  if (depth > Budget::maxDepth)
    return invalidArgument("a value that is nested too deeply is printed");
  switch (value.kind()) {
  case Kind::Undefined:
    // In a container Python would say "Undefined".
    if (depth > 0)
      out.append("Undefined", true);
    return Status();
  case Kind::None:
    out.append("None", true);
    return Status();
  case Kind::Boolean:
    out.append(value.asBoolean() ? "True" : "False", true);
    return Status();
  case Kind::Integer:
    out.append(std::to_string(value.asInteger()), true);
    return Status();
  case Kind::Float:
    out.append(floatText(value.asReal()), true);
    return Status();
  case Kind::String:
    if (depth == 0)
      out.append(value.asText());
    else
      printRepr(value.asText(), out);
    return Status();
  case Kind::List:
  case Kind::Tuple: {
    bool tuple = value.is(Kind::Tuple);
    const auto &items = value.asList().items;
    out.append(tuple ? "(" : "[", true);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0)
        out.append(", ", true);
      PAGODA_RETURN_IF_ERROR(printAt(items[i], out, budget, depth + 1));
    }
    out.append(tuple ? (items.size() == 1 ? ",)" : ")") : "]", true);
    return Status();
  }
  case Kind::Dict: {
    out.append("{", true);
    bool first = true;
    for (const auto &[key, member] : value.asDict().members) {
      if (!first)
        out.append(", ", true);
      first = false;
      PAGODA_RETURN_IF_ERROR(printAt(key, out, budget, depth + 1));
      out.append(": ", true);
      PAGODA_RETURN_IF_ERROR(printAt(member, out, budget, depth + 1));
    }
    out.append("}", true);
    return Status();
  }
  default:
    return invalidArgument("a ", typeName(value), " cannot be printed");
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

class JsonPrinter {
public:
  JsonPrinter(const JsonStyle &style, TextBuilder &out, Budget &budget)
      : style(style), out(out), budget(budget) {}

  Status print(const Value &value, unsigned depth) {
    if (!budget.spend() || out.overflowed())
      return overBudget();
    if (depth > Budget::maxDepth)
      return invalidArgument("a value that is nested too deeply goes to JSON");
    switch (value.kind()) {
    case Kind::None:
      out.append("null", true);
      return Status();
    case Kind::Boolean:
      out.append(value.asBoolean() ? "true" : "false", true);
      return Status();
    case Kind::Integer:
      out.append(std::to_string(value.asInteger()), true);
      return Status();
    case Kind::Float:
      number(value.asReal());
      return Status();
    case Kind::String:
      string(value.asText());
      return Status();
    case Kind::List:
    case Kind::Tuple:
      return list(value.asList().items, depth);
    case Kind::Dict:
      return dict(value.asDict(), depth);
    case Kind::Undefined:
      if (value.undefinedName())
        return invalidArgument("'", *value.undefinedName(),
                               "' is undefined and cannot be written as JSON");
      [[fallthrough]];
    default:
      return invalidArgument("a value of type ", typeName(value),
                             " cannot be written as JSON");
    }
  }

private:
  void number(double value) {
    out.append(std::isnan(value)   ? "NaN"
               : std::isinf(value) ? (value < 0 ? "-Infinity" : "Infinity")
                                   : floatText(value),
               true);
  }

  void string(const Text &text) {
    out.append("\"", true);
    appendEscaped(text, out, [&](uint32_t c, char) -> std::string {
      switch (c) {
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case '\n':
        return "\\n";
      case '\r':
        return "\\r";
      case '\t':
        return "\\t";
      case '\f':
        return "\\f";
      case '\b':
        return "\\b";
      default:
        break;
      }
      if (c < 0x20 || (style.asciiOnly && c > 0x7e && c < 0x10000))
        return "\\u" + hexDigits(c, 4);
      if (style.asciiOnly && c >= 0x10000)
        return "\\u" + hexDigits(0xd800 + ((c - 0x10000) >> 10), 4) + "\\u" +
               hexDigits(0xdc00 + ((c - 0x10000) & 0x3ff), 4);
      return {};
    });
    out.append("\"", true);
  }

  void newLine(unsigned depth) {
    if (!style.indent)
      return;
    out.append("\n", true);
    for (unsigned i = 0; i < depth; ++i)
      out.append(*style.indent, true);
  }

  void separator(unsigned depth) {
    out.append(style.itemSeparator, true);
    newLine(depth);
  }

  Status list(const std::vector<Value> &items, unsigned depth) {
    if (items.empty()) {
      out.append("[]", true);
      return Status();
    }
    out.append("[", true);
    newLine(depth + 1);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0)
        separator(depth + 1);
      PAGODA_RETURN_IF_ERROR(print(items[i], depth + 1));
    }
    newLine(depth);
    out.append("]", true);
    return Status();
  }

  Status key(const Value &key) {
    if (key.isString()) {
      string(key.asText());
      return Status();
    }
    if (!key.isNumber() && !key.is(Kind::None))
      return invalidArgument("a key of type ", typeName(key),
                             " cannot be written as JSON");
    out.append("\"", true);
    PAGODA_RETURN_IF_ERROR(print(key, 0));
    out.append("\"", true);
    return Status();
  }

  Status dict(const Dict &dict, unsigned depth) {
    if (dict.members.empty()) {
      out.append("{}", true);
      return Status();
    }
    std::vector<const std::pair<Value, Value> *> members;
    for (const auto &member : dict.members)
      members.push_back(&member);
    if (style.sortKeys) {
      for (const auto *member : members)
        if (!member->first.isString())
          return invalidArgument("only keys that are strings can be sorted");
      std::sort(members.begin(), members.end(), [](auto *a, auto *b) {
        return a->first.asBytes() < b->first.asBytes();
      });
    }
    out.append("{", true);
    newLine(depth + 1);
    bool first = true;
    for (const auto *member : members) {
      if (!first)
        separator(depth + 1);
      first = false;
      PAGODA_RETURN_IF_ERROR(key(member->first));
      out.append(style.keySeparator, true);
      PAGODA_RETURN_IF_ERROR(print(member->second, depth + 1));
    }
    newLine(depth);
    out.append("}", true);
    return Status();
  }

  const JsonStyle &style;
  TextBuilder &out;
  Budget &budget;
};

} // namespace

Status print(const Value &value, TextBuilder &out, Budget &budget) {
  return printAt(value, out, budget, 0);
}

StatusOr<Value> stringOf(RenderContext &context, const Value &value) {
  if (value.isString())
    return value;
  TextBuilder out = context.builder();
  PAGODA_RETURN_IF_ERROR(print(value, out, context.budget));
  return context.string(std::move(out));
}

Status printJson(const Value &value, const JsonStyle &style, TextBuilder &out,
                 Budget &budget) {
  return JsonPrinter(style, out, budget).print(value, 0);
}

StatusOr<Value> valueOf(RenderContext &context, JsonValue json, bool trusted) {
  if (!context.budget.spend())
    return overBudget();
  auto text = [&](std::string_view bytes) {
    return context.string(trusted ? Text::trusted(std::string(bytes))
                                  : Text::fromOutside(std::string(bytes)));
  };
  switch (json.kind()) {
  case JsonKind::Null:
    return Value::none();
  case JsonKind::Boolean:
    return Value::boolean(*json.asBool());
  case JsonKind::Integer:
    if (auto number = json.asInt(); number.ok())
      return Value::integer(*number);
    return Value::real(*json.asNumber());
  case JsonKind::Float:
    return Value::real(*json.asNumber());
  case JsonKind::String:
    return text(*json.asString());
  case JsonKind::Array: {
    std::vector<Value> items;
    items.reserve(json.size());
    for (size_t i = 0; i < json.size(); ++i) {
      PAGODA_ASSIGN_OR_RETURN(Value item, valueOf(context, json[i], trusted));
      items.push_back(item);
    }
    return context.arena.list(std::move(items));
  }
  case JsonKind::Object: {
    Value dict = context.arena.dict();
    for (size_t i = 0; i < json.size(); ++i) {
      PAGODA_ASSIGN_OR_RETURN(Value key, text(json.keyAt(i)));
      PAGODA_ASSIGN_OR_RETURN(Value member, valueOf(context, json[i], trusted));
      // A document has each key once.
      dict.asDict().members.emplace_back(key, member);
    }
    return dict;
  }
  }
  return Value::none();
}

} // namespace pagoda::rt::chat
