#include "Operators.h"

#include <cmath>

namespace pagoda::rt::chat {

namespace {

/// A test that only looks at the value.
template <bool (*Holds)(const Value &)>
StatusOr<Value> simple(Call &call) {
  return Value::boolean(Holds(call.self));
}

bool isDefined(const Value &value) { return !value.isUndefined(); }
bool isUndefined(const Value &value) { return value.isUndefined(); }
bool isNone(const Value &value) { return value.is(Kind::None); }
bool isBoolean(const Value &value) { return value.is(Kind::Boolean); }
bool isTrue(const Value &value) {
  return value.is(Kind::Boolean) && value.asBoolean();
}
bool isFalse(const Value &value) {
  return value.is(Kind::Boolean) && !value.asBoolean();
}
bool isInteger(const Value &value) { return value.is(Kind::Integer); }
bool isFloat(const Value &value) { return value.is(Kind::Float); }
bool isNumber(const Value &value) { return value.isNumber(); }
bool isString(const Value &value) { return value.isString(); }
bool isMapping(const Value &value) { return value.is(Kind::Dict); }
bool isCallable(const Value &value) { return value.isCallable(); }
/// What has a length and elements by index.
bool isSequence(const Value &value) {
  return value.isSequence() || value.isString() || value.is(Kind::Dict) ||
         value.isUndefined();
}
bool isIterable(const Value &value) {
  return isSequence(value) || value.is(Kind::Loop);
}
bool isEscaped(const Value &value) {
  return value.isString() && value.asText().markup;
}

template <Comparison How>
StatusOr<Value> comparisonTest(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(
      bool outcome, compare(call.context, How, call.self, *call.bound[0]));
  return Value::boolean(outcome);
}

StatusOr<Value> sameTest(Call &call) {
  return Value::boolean(call.self.isSame(*call.bound[0]));
}

StatusOr<Value> divisibleTest(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(Value rest, arithmetic(call.context, ExprKind::Modulo,
                                                 call.self, *call.bound[0]));
  return Value::boolean(!truthOf(rest));
}

template <int Rest>
StatusOr<Value> parityTest(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(Value rest, arithmetic(call.context, ExprKind::Modulo,
                                                 call.self, Value::integer(2)));
  return Value::boolean(truthOf(rest) == (Rest == 1));
}

/// Whether the text has letters, all of them in that case. Letters beyond
/// ASCII are left to the methods isupper() and islower().
template <bool Upper>
StatusOr<Value> caseTest(Call &call) {
  if (!call.self.isString())
    return Value::boolean(false);
  bool found = false;
  for (char c : call.self.asBytes()) {
    if (Upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z')
      return Value::boolean(false);
    found |= Upper ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z';
  }
  return Value::boolean(found);
}

constexpr NativeFunction tests[] = {
    {"!=", "other", 1, comparisonTest<Comparison::NotEqual>},
    {"<", "other", 1, comparisonTest<Comparison::Less>},
    {"<=", "other", 1, comparisonTest<Comparison::LessEqual>},
    {"==", "other", 1, comparisonTest<Comparison::Equal>},
    {">", "other", 1, comparisonTest<Comparison::Greater>},
    {">=", "other", 1, comparisonTest<Comparison::GreaterEqual>},
    {"boolean", "", 0, simple<isBoolean>},
    {"callable", "", 0, simple<isCallable>},
    {"defined", "", 0, simple<isDefined>},
    {"divisibleby", "num", 1, divisibleTest},
    {"eq", "other", 1, comparisonTest<Comparison::Equal>},
    {"equalto", "other", 1, comparisonTest<Comparison::Equal>},
    {"escaped", "", 0, simple<isEscaped>},
    {"even", "", 0, parityTest<0>},
    {"false", "", 0, simple<isFalse>},
    {"float", "", 0, simple<isFloat>},
    {"ge", "other", 1, comparisonTest<Comparison::GreaterEqual>},
    {"greaterthan", "other", 1, comparisonTest<Comparison::Greater>},
    {"gt", "other", 1, comparisonTest<Comparison::Greater>},
    {"in", "seq", 1, comparisonTest<Comparison::In>},
    {"integer", "", 0, simple<isInteger>},
    {"iterable", "", 0, simple<isIterable>},
    {"le", "other", 1, comparisonTest<Comparison::LessEqual>},
    {"lessthan", "other", 1, comparisonTest<Comparison::Less>},
    {"lower", "", 0, caseTest<false>},
    {"lt", "other", 1, comparisonTest<Comparison::Less>},
    {"mapping", "", 0, simple<isMapping>},
    {"ne", "other", 1, comparisonTest<Comparison::NotEqual>},
    {"none", "", 0, simple<isNone>},
    {"number", "", 0, simple<isNumber>},
    {"odd", "", 0, parityTest<1>},
    {"sameas", "other", 1, sameTest},
    {"sequence", "", 0, simple<isSequence>},
    {"string", "", 0, simple<isString>},
    {"true", "", 0, simple<isTrue>},
    {"undefined", "", 0, simple<isUndefined>},
    {"upper", "", 0, caseTest<true>},
};

} // namespace

const NativeFunction *findTest(std::string_view name) {
  return findIn(tests, name);
}

} // namespace pagoda::rt::chat
