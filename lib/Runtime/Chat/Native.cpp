#include "Native.h"

#include <algorithm>

namespace pagoda::rt::chat {

Status overBudget() {
  return resourceExhausted("the template takes too many steps, or makes texts "
                           "that are too long");
}

StatusOr<Value> RenderContext::string(Text text) {
  if (!budget.spendBytes(text.bytes.size() +
                         text.untrusted.size() * sizeof(Text::Span)))
    return overBudget();
  return arena.string(std::move(text));
}

StatusOr<Value> RenderContext::string(TextBuilder builder) {
  if (builder.overflowed())
    return overBudget();
  return string(std::move(builder).take());
}

StatusOr<int64_t> Call::integerOr(size_t parameter, int64_t fallback) const {
  if (!bound[parameter])
    return fallback;
  if (!bound[parameter]->isInteger())
    return invalidArgument("an integer is expected, not a ",
                           typeName(*bound[parameter]));
  return bound[parameter]->asInteger();
}

const NativeFunction *findIn(std::span<const NativeFunction> table,
                             std::string_view name) {
  auto row = std::find_if(table.begin(), table.end(),
                          [&](auto &row) { return row.name == name; });
  return row == table.end() ? nullptr : &*row;
}

StatusOr<Value> callNative(const NativeFunction &function, Call &call) {
  if (!call.context.budget.spend())
    return overBudget();
  if (function.parameters == "*")
    return function.run(call);
  size_t count = 0, given = call.positional.size();
  std::string_view rest = function.parameters;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (count < given)
      call.bound[count] = &call.positional[count];
    for (auto &[keyword, value] : call.named)
      if (keyword == name) {
        if (call.bound[count])
          return invalidArgument("'", function.name, "' got '", name,
                                 "' twice");
        call.bound[count] = &value;
        keyword = {};
      }
    if (count < function.required && !call.bound[count])
      return invalidArgument("'", function.name, "' needs '", name, "'");
    ++count;
  }
  if (given > count)
    return invalidArgument("'", function.name, "' takes at most ", count,
                           " arguments, not ", given);
  for (auto &[keyword, value] : call.named)
    if (!keyword.empty())
      return invalidArgument("'", function.name, "' has no parameter '",
                             keyword, "'");
  return function.run(call);
}

//===----------------------------------------------------------------------===//
// Looking into values
//===----------------------------------------------------------------------===//

StatusOr<std::vector<Value>> elementsOf(RenderContext &context,
                                        const Value &value) {
  std::vector<Value> elements;
  switch (value.kind()) {
  case Kind::Undefined:
    return elements;
  case Kind::List:
  case Kind::Tuple:
    context.budget.spend(value.asList().items.size() / 16);
    return value.asList().items;
  case Kind::Dict:
    for (auto &[key, member] : value.asDict().members)
      elements.push_back(key);
    return elements;
  case Kind::String: {
    const Text &text = value.asText();
    for (size_t at = 0; at < text.bytes.size();) {
      size_t end = at + characterBytes(text.bytes, at);
      // A character costs more as a value than as a byte.
      if (!context.budget.spendBytes(64))
        return overBudget();
      PAGODA_ASSIGN_OR_RETURN(Value c, context.string(text.slice(at, end)));
      elements.push_back(c);
      at = end;
    }
    return elements;
  }
  default:
    return invalidArgument("a value of type ", typeName(value),
                           " has no elements");
  }
}

static Status undefinedError(const Value &value) {
  if (value.undefinedName())
    return invalidArgument("'", *value.undefinedName(), "' is undefined");
  return invalidArgument("a value is undefined");
}

static Status loopMember(Loop &loop, std::string_view name,
                         std::optional<Value> &found) {
  auto number = [](size_t value) {
    return Value::integer(static_cast<int64_t>(value));
  };
  size_t at = loop.index;
  if (name == "index") {
    found = number(at + 1);
  } else if (name == "index0") {
    found = number(at);
  } else if (name == "first") {
    found = Value::boolean(at == 0);
  } else if (name == "depth") {
    found = number(1); // only recursive loops, which there are not, go deeper
  } else if (name == "depth0") {
    found = number(0);
  } else if (name == "previtem") {
    found = at > 0 ? loop.element(at - 1) : Value::undefined();
  } else if (name == "last") {
    PAGODA_ASSIGN_OR_RETURN(bool more, loop.has(at + 1));
    found = Value::boolean(!more);
  } else if (name == "nextitem") {
    PAGODA_ASSIGN_OR_RETURN(bool more, loop.has(at + 1));
    found = more ? loop.element(at + 1) : Value::undefined();
  } else if (name == "length") {
    PAGODA_ASSIGN_OR_RETURN(size_t length, loop.length());
    found = number(length);
  } else if (name == "revindex" || name == "revindex0") {
    PAGODA_ASSIGN_OR_RETURN(size_t length, loop.length());
    found = number(length - at - (name == "revindex0"));
  }
  return Status();
}

/// What kinds of values have beside their methods.
static Status findMember(const Value &object, const Value &name,
                         std::optional<Value> &found) {
  if (object.is(Kind::Loop))
    return loopMember(object.asLoop(), name.asBytes(), found);
  if (object.is(Kind::Namespace))
    if (const Value *value = find(object.asDict(), name.asBytes()))
      found = *value;
  return Status();
}

StatusOr<Value> getAttribute(RenderContext &context, const Value &object,
                             const Value &name) {
  if (object.isUndefined())
    return undefinedError(object);
  std::optional<Value> found;
  PAGODA_RETURN_IF_ERROR(findMember(object, name, found));
  if (found)
    return *found;
  if (const NativeFunction *method = findMethod(object, name.asBytes()))
    return context.arena.method(object, method);
  if (object.is(Kind::Dict))
    if (const Value *item = find(object.asDict(), name.asBytes()))
      return *item;
  return Value::undefined(&name.asBytes());
}

StatusOr<Value> getItem(RenderContext &context, const Value &object,
                        const Value &key) {
  if (object.isUndefined())
    return undefinedError(object);
  if (object.is(Kind::Dict))
    if (const Value *item = find(object.asDict(), key, context.budget))
      return *item;
  if (key.isInteger() && object.isSequence()) {
    const auto &items = object.asList().items;
    int64_t index = key.asInteger();
    if (index < 0)
      index += static_cast<int64_t>(items.size());
    if (index < 0 || index >= static_cast<int64_t>(items.size()))
      return Value::undefined();
    return items[static_cast<size_t>(index)];
  }
  if (key.isInteger() && object.isString()) {
    const Text &text = object.asText();
    int64_t index = key.asInteger();
    context.budget.spend(text.bytes.size() / 64);
    if (index < 0)
      index += static_cast<int64_t>(characterCount(text.bytes));
    size_t at = index < 0
                    ? text.bytes.size()
                    : characterOffset(text.bytes, static_cast<size_t>(index));
    if (at == text.bytes.size())
      return Value::undefined();
    return context.string(text.slice(at, at + characterBytes(text.bytes, at)));
  }
  if (!key.isString())
    return Value::undefined();
  std::optional<Value> found;
  PAGODA_RETURN_IF_ERROR(findMember(object, key, found));
  if (found)
    return *found;
  if (const NativeFunction *method = findMethod(object, key.asBytes()))
    return context.arena.method(object, method);
  return Value::undefined(&key.asBytes());
}

} // namespace pagoda::rt::chat
