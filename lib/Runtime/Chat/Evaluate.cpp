#include "Interpreter.h"
#include "Lexer.h"
#include "Operators.h"
#include "Printing.h"

#include <algorithm>

namespace pagoda::rt::chat {

namespace {

/// Expressions in each other, through macros too. Fits on a stack of one
/// megabyte; templates that recurse over a schema need some ten a level.
constexpr unsigned maxFrames = 400;

/// Puts the place before an error that does not have one yet.
Status placed(Status status, unsigned line) {
  if (status.ok() || status.message().starts_with("chat template, line"))
    return status;
  return std::move(status).withContext(concat("chat template, line ", line));
}

StatusOr<Value> placed(StatusOr<Value> value, unsigned line) {
  if (value.ok())
    return value;
  return placed(std::move(value).status(), line);
}

} // namespace

StatusOr<Value> Interpreter::evaluate(const Expr &expr) {
  if (expr.kind == ExprKind::Constant)
    return expr.constant;
  if (!context.step())
    return overBudget();
  if (depth == maxFrames)
    return templateError(expr.line, "calls are nested too deeply");
  ++depth;
  StatusOr<Value> value = evaluateKind(expr);
  --depth;
  return placed(std::move(value), expr.line);
}

StatusOr<Value> Interpreter::evaluateOptional(const ExprPtr &expr) {
  return expr ? evaluate(*expr) : Value::undefined();
}

StatusOr<Value> Interpreter::evaluateKind(const Expr &expr) {
  auto operand = [&](size_t index) { return evaluate(*expr.operands[index]); };
  switch (expr.kind) {
  case ExprKind::Constant:
    return expr.constant;
  case ExprKind::Name:
    return lookUp(expr);
  case ExprKind::List:
  case ExprKind::Tuple:
  case ExprKind::Dict:
    return collect(expr);
  case ExprKind::Attribute: {
    PAGODA_ASSIGN_OR_RETURN(Value object, operand(0));
    return getAttribute(context, object, expr.name);
  }
  case ExprKind::Subscript: {
    PAGODA_ASSIGN_OR_RETURN(Value object, operand(0));
    PAGODA_ASSIGN_OR_RETURN(Value key, operand(1));
    return getItem(context, object, key);
  }
  case ExprKind::Slice: {
    PAGODA_ASSIGN_OR_RETURN(Value object, operand(0));
    Value bounds[3];
    for (size_t i = 0; i < 3; ++i) {
      PAGODA_ASSIGN_OR_RETURN(bounds[i],
                              evaluateOptional(expr.operands[i + 1]));
    }
    return slice(context, object, bounds[0], bounds[1], bounds[2]);
  }
  case ExprKind::Call:
    return callFunction(expr, nullptr);
  case ExprKind::Filter:
  case ExprKind::Test: {
    PAGODA_ASSIGN_OR_RETURN(Value input, operand(0));
    Call call{context, input};
    PAGODA_RETURN_IF_ERROR(evaluateArguments(expr, call));
    return callNative(*expr.function, call);
  }
  case ExprKind::Not: {
    PAGODA_ASSIGN_OR_RETURN(Value value, operand(0));
    return Value::boolean(!truthOf(value));
  }
  case ExprKind::And:
  case ExprKind::Or: {
    PAGODA_ASSIGN_OR_RETURN(Value left, operand(0));
    if (truthOf(left) == (expr.kind == ExprKind::Or))
      return left;
    return operand(1);
  }
  case ExprKind::Compare:
    return evaluateCompare(expr);
  case ExprKind::Add:
  case ExprKind::Subtract:
  case ExprKind::Multiply:
  case ExprKind::Divide:
  case ExprKind::FloorDivide:
  case ExprKind::Modulo:
  case ExprKind::Power: {
    PAGODA_ASSIGN_OR_RETURN(Value left, operand(0));
    PAGODA_ASSIGN_OR_RETURN(Value right, operand(1));
    return arithmetic(context, expr.kind, left, right);
  }
  case ExprKind::Concatenate:
    return evaluateConcatenation(expr);
  case ExprKind::Negate: {
    PAGODA_ASSIGN_OR_RETURN(Value value, operand(0));
    return negated(value);
  }
  case ExprKind::Plus: {
    PAGODA_ASSIGN_OR_RETURN(Value value, operand(0));
    if (!value.isNumber())
      return invalidArgument("'+' does not go with a value of type ",
                             typeName(value));
    return value.is(Kind::Boolean) ? Value::integer(value.asInteger()) : value;
  }
  case ExprKind::Conditional: {
    PAGODA_ASSIGN_OR_RETURN(Value condition, operand(0));
    if (truthOf(condition))
      return operand(1);
    return evaluateOptional(expr.operands[2]);
  }
  }
  return Value::undefined();
}

StatusOr<Value> Interpreter::lookUp(const Expr &expr) {
  if (const Value *value = scope->find(expr.symbol))
    return *value;
  const std::string &name = program.symbols[expr.symbol];
  if (const NativeFunction *function = findFunction(name))
    return Value::function(function);
  return Value::undefined(&name);
}

StatusOr<Value> Interpreter::collect(const Expr &expr) {
  if (!context.budget.spendBytes((expr.operands.size() + 2) * sizeof(Value)))
    return overBudget();
  std::vector<Value> items;
  for (auto &operand : expr.operands) {
    PAGODA_ASSIGN_OR_RETURN(Value item, evaluate(*operand));
    items.push_back(item);
  }
  if (expr.kind != ExprKind::Dict)
    return context.arena.list(std::move(items), expr.kind == ExprKind::Tuple
                                                    ? Kind::Tuple
                                                    : Kind::List);
  Value dict = context.arena.dict();
  for (size_t i = 0; i < items.size(); i += 2) {
    if (items[i].is(Kind::List) || items[i].is(Kind::Dict))
      return invalidArgument("a value of type ", typeName(items[i]),
                             " cannot be a key");
    set(dict.asDict(), items[i], items[i + 1], context.budget);
  }
  return dict;
}

StatusOr<Value> Interpreter::evaluateCompare(const Expr &expr) {
  PAGODA_ASSIGN_OR_RETURN(Value left, evaluate(*expr.operands[0]));
  for (size_t i = 0; i < expr.comparisons.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(Value right, evaluate(*expr.operands[i + 1]));
    PAGODA_ASSIGN_OR_RETURN(bool holds,
                            compare(context, expr.comparisons[i], left, right));
    if (!holds)
      return Value::boolean(false);
    left = right;
  }
  return Value::boolean(true);
}

StatusOr<Value> Interpreter::evaluateConcatenation(const Expr &expr) {
  TextBuilder builder = context.builder();
  for (auto &operand : expr.operands) {
    PAGODA_ASSIGN_OR_RETURN(Value value, evaluate(*operand));
    PAGODA_RETURN_IF_ERROR(print(value, builder, context.budget));
  }
  return context.string(std::move(builder));
}

StatusOr<Value> Interpreter::applyFilters(const Expr &expr, const Value &text) {
  Value input = text;
  if (expr.operands[0]) {
    PAGODA_ASSIGN_OR_RETURN(input, applyFilters(*expr.operands[0], text));
  }
  Call call{context, input};
  PAGODA_RETURN_IF_ERROR(evaluateArguments(expr, call));
  return placed(callNative(*expr.function, call), expr.line);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Status Interpreter::evaluateArguments(const Expr &expr, Call &call) {
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(Value value, evaluate(*expr.operands[i]));
    call.positional.push_back(value);
  }
  for (auto &[name, argument] : expr.keywords) {
    PAGODA_ASSIGN_OR_RETURN(Value value, evaluate(*argument));
    call.named.emplace_back(name, value);
  }
  return Status();
}

StatusOr<Value> Interpreter::callFunction(const Expr &expr,
                                          const Value *caller) {
  PAGODA_ASSIGN_OR_RETURN(Value callee, evaluate(*expr.operands[0]));
  Call call{context, Value()};
  PAGODA_RETURN_IF_ERROR(evaluateArguments(expr, call));
  if (caller)
    call.named.emplace_back("caller", *caller);
  switch (callee.kind()) {
  case Kind::Macro:
    return callMacro(callee.asMacro(), call);
  case Kind::Function:
    return placed(callNative(callee.asFunction(), call), expr.line);
  case Kind::Method:
    call.self = callee.asMethod().self;
    return placed(callNative(*callee.asMethod().function, call), expr.line);
  case Kind::Undefined:
    if (callee.undefinedName())
      return templateError(expr.line, "'", *callee.undefinedName(),
                           "' is undefined and cannot be called");
    [[fallthrough]];
  default:
    return templateError(expr.line, "a value of type ", typeName(callee),
                         " cannot be called");
  }
}

Status Interpreter::bindMacro(const MacroDefinition &definition,
                              const Call &call, Scope &scope) {
  size_t count = definition.parameters.size();
  std::vector<bool> used(call.named.size());
  auto takeNamed = [&](std::string_view name) -> const Value * {
    for (size_t i = 0; i < call.named.size(); ++i)
      if (!used[i] && call.named[i].first == name) {
        used[i] = true;
        return &call.named[i].second;
      }
    return nullptr;
  };
  for (size_t i = 0; i < count; ++i) {
    const Parameter &parameter = definition.parameters[i];
    if (i < call.positional.size()) {
      scope.set(parameter.symbol, call.positional[i]);
    } else if (const Value *value = takeNamed(parameter.name)) {
      scope.set(parameter.symbol, *value);
    } else {
      // Defaults see the parameters before them.
      PAGODA_ASSIGN_OR_RETURN(Value fallback,
                              evaluateOptional(parameter.fallback));
      scope.set(parameter.symbol, parameter.fallback
                                      ? fallback
                                      : Value::undefined(&parameter.name));
    }
  }
  if (definition.usesCaller) {
    const Value *caller = takeNamed("caller");
    scope.set(CallerSymbol,
              caller ? *caller
                     : Value::undefined(&program.symbols[CallerSymbol]));
  }
  if (definition.usesKwargs) {
    Value rest = context.arena.dict();
    for (size_t i = 0; i < call.named.size(); ++i) {
      if (used[i])
        continue;
      used[i] = true;
      PAGODA_ASSIGN_OR_RETURN(
          Value key, context.trustedString(std::string(call.named[i].first)));
      set(rest.asDict(), key, call.named[i].second, context.budget);
    }
    scope.set(KwargsSymbol, rest);
  }
  for (size_t i = 0; i < call.named.size(); ++i)
    if (!used[i])
      return invalidArgument("macro '", definition.name, "' has no parameter '",
                             call.named[i].first, "'");
  if (definition.usesVarargs) {
    std::vector<Value> rest;
    for (size_t i = count; i < call.positional.size(); ++i)
      rest.push_back(call.positional[i]);
    scope.set(VarargsSymbol, context.arena.list(std::move(rest), Kind::Tuple));
  } else if (call.positional.size() > count) {
    return invalidArgument("macro '", definition.name, "' takes at most ",
                           count, " arguments, not ", call.positional.size());
  }
  return Status();
}

StatusOr<Value> Interpreter::callMacro(const Macro &macro, const Call &call) {
  auto inner = std::make_unique<Scope>(macro.scope);
  TextBuilder builder = context.builder();
  TextBuilder *outer = std::exchange(out, &builder);
  Flow flow = Flow::Normal;
  Status status;
  {
    InScope in(*this, inner.get());
    status = bindMacro(*macro.definition, call, *inner);
    if (status.ok())
      status = execute(macro.definition->body, flow);
  }
  out = outer;
  release(std::move(inner));
  PAGODA_RETURN_IF_ERROR(std::move(status));
  return context.string(std::move(builder));
}

} // namespace pagoda::rt::chat
