#include "Native.h"

namespace pagoda::rt::chat {

namespace {

/// As Jinja's sandbox has it.
constexpr int64_t maxRange = 100'000;

/// namespace() and dict(): mappings to copy, and members by name.
template <Kind To>
StatusOr<Value> mappingFunction(Call &call) {
  Value result = call.context.arena.dict(To);
  for (const Value &other : call.positional) {
    if (!other.is(Kind::Dict))
      return invalidArgument("a mapping is expected, not a ", typeName(other));
    for (auto &[key, value] : other.asDict().members)
      set(result.asDict(), key, value, call.context.budget);
  }
  for (auto &[name, value] : call.named) {
    PAGODA_ASSIGN_OR_RETURN(Value key,
                            call.context.trustedString(std::string(name)));
    set(result.asDict(), key, value, call.context.budget);
  }
  return result;
}

StatusOr<Value> rangeFunction(Call &call) {
  if (call.positional.empty() || call.positional.size() > 3 ||
      !call.named.empty())
    return invalidArgument("'range' takes one to three integers");
  int64_t bounds[3] = {0, 0, 1};
  for (size_t i = 0; i < call.positional.size(); ++i) {
    if (!call.positional[i].isInteger())
      return invalidArgument("'range' takes integers, not a ",
                             typeName(call.positional[i]));
    bounds[i] = call.positional[i].asInteger();
  }
  if (call.positional.size() == 1)
    std::swap(bounds[0], bounds[1]);
  auto [first, last, step] = bounds;
  if (step == 0)
    return invalidArgument("the step of 'range' is zero");
  std::vector<Value> items;
  for (int64_t i = first; step > 0 ? i < last : i > last;) {
    if (static_cast<int64_t>(items.size()) == maxRange ||
        !call.context.budget.spend())
      return invalidArgument("'range' gives more than ", maxRange, " numbers");
    items.push_back(Value::integer(i));
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  if (!call.context.budget.spendBytes(items.size() * sizeof(Value)))
    return overBudget();
  return call.context.arena.list(std::move(items));
}

StatusOr<Value> raiseFunction(Call &call) {
  if (!call.bound[0]->isString())
    return invalidArgument("the template refuses the conversation");
  return invalidArgument("the template refuses the conversation: ",
                         call.bound[0]->asBytes());
}

StatusOr<Value> timeFunction(Call &call) {
  if (!call.bound[0]->isString())
    return invalidArgument("'strftime_now' takes a text");
  std::string format = call.bound[0]->asBytes();
  if (format.empty())
    return call.context.trustedString("");
  // A character more tells an empty result from one that did not fit.
  format += ' ';
  char buffer[1024];
  size_t size =
      std::strftime(buffer, sizeof buffer, format.c_str(), &call.context.now);
  if (size == 0)
    return invalidArgument("the format of 'strftime_now' gives a text that is "
                           "too long");
  std::string text(buffer, size - 1);
  return call.context.string(call.bound[0]->asText().untrusted.empty()
                                 ? Text::trusted(std::move(text))
                                 : Text::fromOutside(std::move(text)));
}

constexpr NativeFunction functions[] = {
    {"dict", "*", 0, mappingFunction<Kind::Dict>},
    {"namespace", "*", 0, mappingFunction<Kind::Namespace>},
    {"raise_exception", "message", 1, raiseFunction},
    {"range", "*", 0, rangeFunction},
    {"strftime_now", "format", 1, timeFunction},
};

} // namespace

const NativeFunction *findFunction(std::string_view name) {
  return findIn(functions, name);
}

} // namespace pagoda::rt::chat
