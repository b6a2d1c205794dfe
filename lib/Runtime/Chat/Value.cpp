#include "Value.h"

#include "Budget.h"

namespace pagoda::rt::chat {

bool Value::isSame(const Value &other) const {
  if (tag != other.tag)
    return false;
  switch (tag) {
  case Kind::Undefined:
  case Kind::None:
    return true;
  case Kind::Boolean:
  case Kind::Integer:
    return pointer.integer == other.pointer.integer;
  case Kind::Float:
    return pointer.real == other.pointer.real;
  case Kind::String:
    // Which strings are one object is the business of Python's compiler;
    // equal ones are taken for it.
    return asBytes() == other.asBytes();
  default:
    return pointer.list == other.pointer.list;
  }
}

std::string_view typeName(const Value &value) {
  switch (value.kind()) {
  case Kind::Undefined:
    return "Undefined";
  case Kind::None:
    return "NoneType";
  case Kind::Boolean:
    return "bool";
  case Kind::Integer:
    return "int";
  case Kind::Float:
    return "float";
  case Kind::String:
    return "str";
  case Kind::List:
    return "list";
  case Kind::Tuple:
    return "tuple";
  case Kind::Dict:
    return "dict";
  case Kind::Namespace:
    return "Namespace";
  case Kind::Loop:
    return "LoopContext";
  case Kind::Macro:
    return "Macro";
  case Kind::Function:
    return "function";
  case Kind::Method:
    return "method";
  }
  return "object";
}

bool truthOf(const Value &value) {
  switch (value.kind()) {
  case Kind::Undefined:
  case Kind::None:
    return false;
  case Kind::Boolean:
  case Kind::Integer:
    return value.asInteger() != 0;
  case Kind::Float:
    return value.asReal() != 0;
  case Kind::String:
    return !value.asBytes().empty();
  case Kind::List:
  case Kind::Tuple:
    return !value.asList().items.empty();
  case Kind::Dict:
    return !value.asDict().members.empty();
  default:
    return true;
  }
}

static bool equalNumbers(const Value &a, const Value &b) {
  if (a.isInteger() && b.isInteger())
    return a.asInteger() == b.asInteger();
  return a.asReal() == b.asReal();
}

static bool equalAt(const Value &a, const Value &b, Budget &budget,
                    unsigned depth) {
  if (!budget.spend())
    return false;
  if (depth > Budget::maxDepth) {
    budget.exhaust();
    return false;
  }
  if (a.isNumber() && b.isNumber())
    return equalNumbers(a, b);
  if (a.kind() != b.kind())
    return false;
  if (a.isString()) {
    budget.spend(a.asBytes().size() / 64);
    return a.asBytes() == b.asBytes();
  }
  if (a.isSequence()) {
    const auto &left = a.asList().items, &right = b.asList().items;
    if (left.size() != right.size())
      return false;
    for (size_t i = 0; i < left.size(); ++i)
      if (!equalAt(left[i], right[i], budget, depth + 1))
        return false;
    return true;
  }
  if (a.is(Kind::Dict)) {
    if (a.asDict().members.size() != b.asDict().members.size())
      return false;
    for (const auto &[key, value] : a.asDict().members) {
      const Value *other = find(b.asDict(), key, budget);
      if (!other || !equalAt(value, *other, budget, depth + 1))
        return false;
    }
    return true;
  }
  return a.isSame(b);
}

bool equal(const Value &a, const Value &b, Budget &budget) {
  return equalAt(a, b, budget, 0);
}

Value *find(Dict &dict, const Value &key, Budget &budget) {
  if (key.isString()) {
    budget.spend(dict.members.size() / 8);
    return find(dict, key.asBytes());
  }
  for (auto &[name, value] : dict.members)
    if (equal(name, key, budget))
      return &value;
  return nullptr;
}

Value *find(Dict &dict, std::string_view key) {
  for (auto &[name, value] : dict.members)
    if (name.isString() && name.asBytes() == key)
      return &value;
  return nullptr;
}

void set(Dict &dict, const Value &key, const Value &value, Budget &budget) {
  if (Value *old = find(dict, key, budget))
    *old = value;
  else
    dict.members.emplace_back(key, value);
}

} // namespace pagoda::rt::chat
