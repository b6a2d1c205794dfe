#include "Operators.h"

#include "Printing.h"

#include <algorithm>
#include <cmath>

namespace pagoda::rt::chat {

namespace {

std::string_view symbolOf(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
    return "+";
  case ExprKind::Subtract:
    return "-";
  case ExprKind::Multiply:
    return "*";
  case ExprKind::Divide:
    return "/";
  case ExprKind::FloorDivide:
    return "//";
  case ExprKind::Modulo:
    return "%";
  default:
    return "**";
  }
}

Status undefinedOperand(const Value &value) {
  if (value.undefinedName())
    return invalidArgument("'", *value.undefinedName(), "' is undefined");
  return invalidArgument("a value is undefined");
}

Status tooLarge() {
  return invalidArgument("an integer does not fit in 64 bits");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

StatusOr<Value> integerPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
      return tooLarge();
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
      return tooLarge();
  }
  return Value::integer(result);
}

StatusOr<Value> integers(ExprKind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool divides = kind == ExprKind::FloorDivide || kind == ExprKind::Modulo;
  if (divides && b == 0)
    return invalidArgument("division by zero");
  if (divides && b == -1) // the one quotient that overflows
    return kind == ExprKind::Modulo ? StatusOr(Value::integer(0))
           : __builtin_sub_overflow(0, a, &result)
               ? tooLarge()
               : StatusOr(Value::integer(result));
  switch (kind) {
  case ExprKind::Add:
    if (__builtin_add_overflow(a, b, &result))
      return tooLarge();
    return Value::integer(result);
  case ExprKind::Subtract:
    if (__builtin_sub_overflow(a, b, &result))
      return tooLarge();
    return Value::integer(result);
  case ExprKind::Multiply:
    if (__builtin_mul_overflow(a, b, &result))
      return tooLarge();
    return Value::integer(result);
  case ExprKind::FloorDivide:
    return Value::integer(floorDivide(a, b));
  case ExprKind::Modulo:
    return Value::integer(a - floorDivide(a, b) * b);
  default:
    return integerPower(a, b);
  }
}

StatusOr<Value> reals(ExprKind kind, double a, double b) {
  switch (kind) {
  case ExprKind::Add:
    return Value::real(a + b);
  case ExprKind::Subtract:
    return Value::real(a - b);
  case ExprKind::Multiply:
    return Value::real(a * b);
  case ExprKind::Power:
    if (a == 0 && b < 0)
      return invalidArgument("division by zero");
    return Value::real(std::pow(a, b));
  default:
    break;
  }
  if (b == 0)
    return invalidArgument("division by zero");
  if (kind == ExprKind::Divide)
    return Value::real(a / b);
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0))
    remainder += b;
  if (kind == ExprKind::Modulo)
    return Value::real(remainder);
  return Value::real(std::floor((a - remainder) / b + 0.5));
}

//===----------------------------------------------------------------------===//
// Texts and lists
//===----------------------------------------------------------------------===//

/// Joining anything to a text that is marked as safe escapes it.
StatusOr<Value> joined(RenderContext &context, const Value &left,
                       const Value &right) {
  bool markup = left.asText().markup || right.asText().markup;
  TextBuilder out = context.builder();
  for (const Value *value : {&left, &right}) {
    if (markup && !value->asText().markup) {
      PAGODA_ASSIGN_OR_RETURN(Value safe, escaped(context, *value));
      out.append(safe.asText());
    } else {
      out.append(value->asText());
    }
  }
  if (out.overflowed())
    return overBudget();
  Text text = std::move(out).take();
  text.markup = markup;
  return context.string(std::move(text));
}

StatusOr<Value> repeated(RenderContext &context, const Value &value,
                         int64_t times) {
  auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (value.isString()) {
    const Text &text = value.asText();
    TextBuilder out = context.builder();
    if (!text.bytes.empty())
      for (size_t i = 0; i < count && !out.overflowed(); ++i)
        out.append(text);
    return context.string(std::move(out));
  }
  std::vector<Value> items;
  const auto &original = value.asList().items;
  for (size_t i = 0; i < count && !original.empty(); ++i) {
    if (!context.budget.spend(original.size() + 1) ||
        !context.budget.spendBytes(original.size() * sizeof(Value)))
      return overBudget();
    items.insert(items.end(), original.begin(), original.end());
  }
  return context.arena.list(std::move(items), value.kind());
}

StatusOr<Value> concatenated(RenderContext &context, const Value &left,
                             const Value &right) {
  std::vector<Value> items = left.asList().items;
  const auto &more = right.asList().items;
  if (!context.budget.spendBytes((items.size() + more.size()) * sizeof(Value)))
    return overBudget();
  items.insert(items.end(), more.begin(), more.end());
  return context.arena.list(std::move(items), left.kind());
}

} // namespace

StatusOr<Value> arithmetic(RenderContext &context, ExprKind kind,
                           const Value &left, const Value &right) {
  if (left.isUndefined())
    return undefinedOperand(left);
  if (right.isUndefined())
    return undefinedOperand(right);
  if (left.isNumber() && right.isNumber()) {
    bool negativePower =
        kind == ExprKind::Power && right.isInteger() && right.asInteger() < 0;
    if (left.isInteger() && right.isInteger() && kind != ExprKind::Divide &&
        !negativePower)
      return integers(kind, left.asInteger(), right.asInteger());
    return reals(kind, left.asReal(), right.asReal());
  }
  if (kind == ExprKind::Add) {
    if (left.isString() && right.isString())
      return joined(context, left, right);
    if (left.isSequence() && left.kind() == right.kind())
      return concatenated(context, left, right);
  }
  if (kind == ExprKind::Multiply) {
    if ((left.isString() || left.isSequence()) && right.isInteger())
      return repeated(context, left, right.asInteger());
    if (left.isInteger() && (right.isString() || right.isSequence()))
      return repeated(context, right, left.asInteger());
  }
  if (kind == ExprKind::Modulo && left.isString())
    return unsupported("formatting a text with '%' is not supported");
  return invalidArgument("'", symbolOf(kind), "' does not go with ",
                         typeName(left), " and ", typeName(right));
}

StatusOr<Value> negated(const Value &value) {
  if (value.is(Kind::Float))
    return Value::real(-value.asReal());
  if (value.isUndefined())
    return undefinedOperand(value);
  if (!value.isInteger())
    return invalidArgument("a value of type ", typeName(value),
                           " has no negative");
  if (value.asInteger() == INT64_MIN)
    return tooLarge();
  return Value::integer(-value.asInteger());
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

StatusOr<int> order(RenderContext &context, const Value &a, const Value &b) {
  if (!context.budget.spend())
    return overBudget();
  auto sign = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (a.isInteger() && b.isInteger())
    return sign(a.asInteger(), b.asInteger());
  if (a.isNumber() && b.isNumber())
    return sign(a.asReal(), b.asReal());
  if (a.isString() && b.isString())
    return sign(a.asBytes().compare(b.asBytes()), 0);
  if (a.isSequence() && a.kind() == b.kind()) {
    const auto &left = a.asList().items, &right = b.asList().items;
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i)
      if (!equal(left[i], right[i], context.budget))
        return order(context, left[i], right[i]);
    return sign(left.size(), right.size());
  }
  if (a.isUndefined())
    return undefinedOperand(a);
  if (b.isUndefined())
    return undefinedOperand(b);
  return invalidArgument("a value of type ", typeName(a),
                         " has no order with one of type ", typeName(b));
}

StatusOr<bool> contains(RenderContext &context, const Value &container,
                        const Value &item) {
  if (container.isString()) {
    if (!item.isString())
      return invalidArgument("'in' a text looks for a text, not for a value of "
                             "type ",
                             typeName(item));
    context.budget.spend(container.asBytes().size() / 64);
    return container.asBytes().find(item.asBytes()) != std::string::npos;
  }
  if (container.is(Kind::Dict))
    return find(container.asDict(), item, context.budget) != nullptr;
  if (container.isSequence()) {
    for (const Value &element : container.asList().items)
      if (equal(element, item, context.budget))
        return true;
    return false;
  }
  if (container.isUndefined())
    return false;
  return invalidArgument("'in' does not go with a value of type ",
                         typeName(container));
}

StatusOr<bool> compare(RenderContext &context, Comparison comparison,
                       const Value &a, const Value &b) {
  switch (comparison) {
  case Comparison::Equal:
    return equal(a, b, context.budget);
  case Comparison::NotEqual:
    return !equal(a, b, context.budget);
  case Comparison::In:
    return contains(context, b, a);
  case Comparison::NotIn: {
    PAGODA_ASSIGN_OR_RETURN(bool inside, contains(context, b, a));
    return !inside;
  }
  default:
    break;
  }
  // Nothing compares with what is not a number.
  if (a.isNumber() && b.isNumber() &&
      (std::isnan(a.asReal()) || std::isnan(b.asReal())))
    return false;
  PAGODA_ASSIGN_OR_RETURN(int sign, order(context, a, b));
  switch (comparison) {
  case Comparison::Less:
    return sign < 0;
  case Comparison::LessEqual:
    return sign <= 0;
  case Comparison::Greater:
    return sign > 0;
  default:
    return sign >= 0;
  }
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static StatusOr<int64_t> boundOf(const Value &bound, int64_t fallback) {
  if (bound.isUndefined() || bound.is(Kind::None))
    return fallback;
  if (!bound.isInteger())
    return invalidArgument("the bounds of a slice must be integers, not ",
                           typeName(bound));
  return bound.asInteger();
}

StatusOr<Value> slice(RenderContext &context, const Value &value,
                      const Value &start, const Value &stop,
                      const Value &step) {
  if (value.isUndefined())
    return undefinedOperand(value);
  if (!value.isString() && !value.isSequence())
    return invalidArgument("a value of type ", typeName(value),
                           " cannot be sliced");
  PAGODA_ASSIGN_OR_RETURN(int64_t stride, boundOf(step, 1));
  if (stride == 0)
    return invalidArgument("the step of a slice is zero");
  // Where each character begins.
  std::vector<size_t> offsets;
  if (value.isString()) {
    const std::string &bytes = value.asBytes();
    if (!context.budget.spend(bytes.size() / 16))
      return overBudget();
    for (size_t at = 0; at < bytes.size(); at += characterBytes(bytes, at))
      offsets.push_back(at);
    offsets.push_back(bytes.size());
  }
  auto size = static_cast<int64_t>(
      value.isString() ? offsets.size() - 1 : value.asList().items.size());
  bool forward = stride > 0;
  int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  auto clamp = [&](int64_t bound) {
    if (bound < 0)
      bound = bound < -size ? low : bound + size;
    return std::clamp(bound, low, high);
  };
  PAGODA_ASSIGN_OR_RETURN(int64_t first,
                          boundOf(start, forward ? 0 : size - 1));
  PAGODA_ASSIGN_OR_RETURN(int64_t last, boundOf(stop, forward ? size : -1));
  bool openEnd = stop.isUndefined() || stop.is(Kind::None);
  first = start.isUndefined() || start.is(Kind::None)
              ? std::clamp(first, low, high)
              : clamp(first);
  last = openEnd ? last : clamp(last);

  TextBuilder text = context.builder();
  std::vector<Value> items;
  if (value.isString() && stride == 1) {
    if (first < last)
      text.append(value.asText(), offsets[static_cast<size_t>(first)],
                  offsets[static_cast<size_t>(last)]);
  } else {
    for (int64_t i = first; forward ? i < last : i > last;) {
      auto at = static_cast<size_t>(i);
      if (value.isString())
        text.append(value.asText(), offsets[at], offsets[at + 1]);
      else
        items.push_back(value.asList().items[at]);
      if (!context.budget.spend())
        return overBudget();
      if (__builtin_add_overflow(i, stride, &i))
        break;
    }
  }
  if (!value.isString())
    return context.arena.list(std::move(items), value.kind());
  if (text.overflowed())
    return overBudget();
  Text result = std::move(text).take();
  result.markup = value.asText().markup;
  return context.string(std::move(result));
}

StatusOr<Value> escaped(RenderContext &context, const Value &value) {
  PAGODA_ASSIGN_OR_RETURN(Value string, stringOf(context, value));
  const Text &text = string.asText();
  if (text.markup)
    return string;
  static constexpr std::pair<char, std::string_view> entities[] = {
      {'&', "&amp;"},
      {'<', "&lt;"},
      {'>', "&gt;"},
      {'\'', "&#39;"},
      {'"', "&#34;"}};
  TextBuilder out = context.builder();
  size_t copied = 0;
  for (size_t at = 0; at < text.bytes.size(); ++at)
    for (auto &[character, entity] : entities)
      if (text.bytes[at] == character) {
        out.append(text, copied, at);
        out.append(entity, text.isTrusted(at, at + 1));
        copied = at + 1;
      }
  out.append(text, copied, text.bytes.size());
  if (out.overflowed())
    return overBudget();
  Text result = std::move(out).take();
  result.markup = true;
  return context.string(std::move(result));
}

} // namespace pagoda::rt::chat
