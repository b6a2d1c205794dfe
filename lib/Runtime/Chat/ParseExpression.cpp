#include "Parser.h"

#include <algorithm>
#include <charconv>

namespace pagoda::rt::chat {

namespace {

/// Of an expression's tree, and of brackets and blocks in each other.
constexpr unsigned maxHeight = 200;
constexpr unsigned maxDepth = 100;

} // namespace

ExprPtr Parser::make(ExprKind kind, unsigned line) const {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->line = line;
  return expr;
}

Status Parser::addOperand(Expr &expr, ExprPtr operand) {
  if (operand)
    expr.height = std::max(expr.height, operand->height + 1);
  if (expr.height > maxHeight)
    return templateError(expr.line, "the expression is nested too deeply");
  expr.operands.push_back(std::move(operand));
  return Status();
}

Parser::Result Parser::binary(ExprKind kind, unsigned line, ExprPtr left,
                              ExprPtr right) {
  ExprPtr expr = make(kind, line);
  PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(left)));
  PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(right)));
  return expr;
}

//===----------------------------------------------------------------------===//
// Operators, from the loosest to the tightest
//===----------------------------------------------------------------------===//

Parser::Result Parser::parseExpression() {
  Depth guard(depth);
  if (depth > maxDepth)
    return templateError(current().line, "brackets are nested too deeply");
  PAGODA_ASSIGN_OR_RETURN(ExprPtr value, parseOr());
  while (current().isName("if")) {
    ExprPtr expr = make(ExprKind::Conditional, current().line);
    advance();
    PAGODA_ASSIGN_OR_RETURN(ExprPtr condition, parseOr());
    ExprPtr other;
    if (takeName("else")) {
      PAGODA_ASSIGN_OR_RETURN(other, parseExpression());
    }
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(condition)));
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(value)));
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(other)));
    value = std::move(expr);
  }
  return value;
}

Parser::Result Parser::parseOr() {
  PAGODA_ASSIGN_OR_RETURN(ExprPtr left, parseAnd());
  while (current().isName("or")) {
    unsigned line = current().line;
    advance();
    PAGODA_ASSIGN_OR_RETURN(ExprPtr right, parseAnd());
    PAGODA_ASSIGN_OR_RETURN(
        left, binary(ExprKind::Or, line, std::move(left), std::move(right)));
  }
  return left;
}

Parser::Result Parser::parseAnd() {
  PAGODA_ASSIGN_OR_RETURN(ExprPtr left, parseNot());
  while (current().isName("and")) {
    unsigned line = current().line;
    advance();
    PAGODA_ASSIGN_OR_RETURN(ExprPtr right, parseNot());
    PAGODA_ASSIGN_OR_RETURN(
        left, binary(ExprKind::And, line, std::move(left), std::move(right)));
  }
  return left;
}

Parser::Result Parser::parseNot() {
  if (!current().isName("not"))
    return parseCompare();
  Depth guard(depth);
  if (depth > maxDepth)
    return templateError(current().line, "too many 'not' in a row");
  ExprPtr expr = make(ExprKind::Not, current().line);
  advance();
  PAGODA_ASSIGN_OR_RETURN(ExprPtr operand, parseNot());
  PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(operand)));
  return expr;
}

Parser::Result Parser::parseCompare() {
  static constexpr std::pair<std::string_view, Comparison> operators[] = {
      {"==", Comparison::Equal},  {"!=", Comparison::NotEqual},
      {"<", Comparison::Less},    {"<=", Comparison::LessEqual},
      {">", Comparison::Greater}, {">=", Comparison::GreaterEqual},
  };
  PAGODA_ASSIGN_OR_RETURN(ExprPtr first, parseSum());
  ExprPtr expr;
  for (;;) {
    std::optional<Comparison> found;
    for (auto &[name, comparison] : operators)
      if (current().isOperator(name))
        found = comparison;
    if (current().isName("in"))
      found = Comparison::In;
    if (current().isName("not") && next().isName("in")) {
      found = Comparison::NotIn;
      advance();
    }
    if (!found)
      break;
    if (!expr) {
      expr = make(ExprKind::Compare, current().line);
      PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(first)));
    }
    advance();
    expr->comparisons.push_back(*found);
    PAGODA_ASSIGN_OR_RETURN(ExprPtr operand, parseSum());
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(operand)));
  }
  return expr ? std::move(expr) : std::move(first);
}

Parser::Result Parser::parseSum() {
  PAGODA_ASSIGN_OR_RETURN(ExprPtr left, parseConcatenation());
  while (current().isOperator("+") || current().isOperator("-")) {
    ExprKind kind =
        current().isOperator("+") ? ExprKind::Add : ExprKind::Subtract;
    unsigned line = current().line;
    advance();
    PAGODA_ASSIGN_OR_RETURN(ExprPtr right, parseConcatenation());
    PAGODA_ASSIGN_OR_RETURN(
        left, binary(kind, line, std::move(left), std::move(right)));
  }
  return left;
}

Parser::Result Parser::parseConcatenation() {
  PAGODA_ASSIGN_OR_RETURN(ExprPtr first, parseProduct());
  if (!current().isOperator("~"))
    return first;
  ExprPtr expr = make(ExprKind::Concatenate, current().line);
  PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(first)));
  while (takeOperator("~")) {
    PAGODA_ASSIGN_OR_RETURN(ExprPtr operand, parseProduct());
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(operand)));
  }
  return expr;
}

Parser::Result Parser::parseProduct() {
  static constexpr std::pair<std::string_view, ExprKind> operators[] = {
      {"*", ExprKind::Multiply},
      {"/", ExprKind::Divide},
      {"//", ExprKind::FloorDivide},
      {"%", ExprKind::Modulo}};
  PAGODA_ASSIGN_OR_RETURN(ExprPtr left, parsePower());
  for (;;) {
    auto found = std::find_if(
        std::begin(operators), std::end(operators),
        [&](auto &row) { return current().isOperator(row.first); });
    if (found == std::end(operators))
      return left;
    unsigned line = current().line;
    advance();
    PAGODA_ASSIGN_OR_RETURN(ExprPtr right, parsePower());
    PAGODA_ASSIGN_OR_RETURN(
        left, binary(found->second, line, std::move(left), std::move(right)));
  }
}

Parser::Result Parser::parsePower() {
  PAGODA_ASSIGN_OR_RETURN(ExprPtr left, parseUnary(true));
  while (current().isOperator("**")) {
    unsigned line = current().line;
    advance();
    PAGODA_ASSIGN_OR_RETURN(ExprPtr right, parseUnary(true));
    PAGODA_ASSIGN_OR_RETURN(
        left, binary(ExprKind::Power, line, std::move(left), std::move(right)));
  }
  return left;
}

Parser::Result Parser::parseUnary(bool withFilters) {
  ExprPtr expr;
  if (current().isOperator("-") || current().isOperator("+")) {
    Depth guard(depth);
    if (depth > maxDepth)
      return templateError(current().line, "too many signs in a row");
    expr = make(current().isOperator("-") ? ExprKind::Negate : ExprKind::Plus,
                current().line);
    advance();
    PAGODA_ASSIGN_OR_RETURN(ExprPtr operand, parseUnary(false));
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(operand)));
  } else {
    PAGODA_ASSIGN_OR_RETURN(expr, parsePrimary());
  }
  PAGODA_ASSIGN_OR_RETURN(expr, parsePostfix(std::move(expr)));
  if (!withFilters)
    return expr;
  return parseFilters(std::move(expr));
}

//===----------------------------------------------------------------------===//
// Literals and names
//===----------------------------------------------------------------------===//

Parser::Result Parser::parsePrimary() {
  const Token &token = current();
  unsigned line = token.line;
  ExprPtr constant = make(ExprKind::Constant, line);
  switch (token.kind) {
  case TokenKind::Name:
    if (token.text == "true" || token.text == "True") {
      constant->constant = Value::boolean(true);
    } else if (token.text == "false" || token.text == "False") {
      constant->constant = Value::boolean(false);
    } else if (token.text == "none" || token.text == "None") {
      constant->constant = Value::none();
    } else {
      constant->kind = ExprKind::Name;
      constant->symbol = symbolOf(token.text);
    }
    advance();
    return constant;
  case TokenKind::String: {
    std::string text;
    for (; current().kind == TokenKind::String; advance())
      text += current().text;
    constant->constant = program.arena.trustedString(std::move(text));
    return constant;
  }
  case TokenKind::Integer:
  case TokenKind::Float:
    return parseNumber();
  default:
    break;
  }
  if (takeOperator("(")) {
    PAGODA_ASSIGN_OR_RETURN(ExprPtr expr, parseTuple(true, true));
    PAGODA_RETURN_IF_ERROR(expectOperator(")"));
    return expr;
  }
  if (token.isOperator("["))
    return parseList();
  if (token.isOperator("{"))
    return parseDict();
  return unexpected("an expression");
}

Parser::Result Parser::parseNumber() {
  const Token &token = current();
  std::string digits = token.text;
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  ExprPtr expr = make(ExprKind::Constant, token.line);
  const char *begin = digits.data(), *end = begin + digits.size();
  std::errc error;
  const char *stop;
  if (token.kind == TokenKind::Float) {
    double number = 0;
    auto result = std::from_chars(begin, end, number);
    error = result.ec;
    stop = result.ptr;
    expr->constant = Value::real(number);
  } else {
    int base = 10;
    if (digits.size() > 1 && digits[0] == '0') {
      char letter = static_cast<char>(digits[1] | 0x20);
      base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
      begin += base == 10 ? 0 : 2;
    }
    int64_t number = 0;
    auto result = std::from_chars(begin, end, number, base);
    error = result.ec;
    stop = result.ptr;
    expr->constant = Value::integer(number);
  }
  if (error != std::errc() || stop != end)
    return templateError(token.line, "the number '", token.text,
                         "' cannot be represented");
  advance();
  return expr;
}

Parser::Result Parser::parseList() {
  ExprPtr expr = make(ExprKind::List, current().line);
  advance();
  while (!current().isOperator("]")) {
    if (!expr->operands.empty()) {
      PAGODA_RETURN_IF_ERROR(expectOperator(","));
      if (current().isOperator("]"))
        break;
    }
    PAGODA_ASSIGN_OR_RETURN(ExprPtr item, parseExpression());
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(item)));
  }
  advance();
  return expr;
}

Parser::Result Parser::parseDict() {
  ExprPtr expr = make(ExprKind::Dict, current().line);
  advance();
  while (!current().isOperator("}")) {
    if (!expr->operands.empty()) {
      PAGODA_RETURN_IF_ERROR(expectOperator(","));
      if (current().isOperator("}"))
        break;
    }
    PAGODA_ASSIGN_OR_RETURN(ExprPtr key, parseExpression());
    PAGODA_RETURN_IF_ERROR(expectOperator(":"));
    PAGODA_ASSIGN_OR_RETURN(ExprPtr value, parseExpression());
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(key)));
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(value)));
  }
  advance();
  return expr;
}

bool Parser::atTupleEnd() const {
  return current().kind == TokenKind::VariableEnd ||
         current().kind == TokenKind::BlockEnd || current().isOperator(")");
}

Parser::Result Parser::parseTuple(bool withConditional, bool inParentheses) {
  ExprPtr tuple = make(ExprKind::Tuple, current().line);
  bool isTuple = false;
  while (!atTupleEnd()) {
    PAGODA_ASSIGN_OR_RETURN(ExprPtr item,
                            withConditional ? parseExpression() : parseOr());
    PAGODA_RETURN_IF_ERROR(addOperand(*tuple, std::move(item)));
    if (!takeOperator(","))
      break;
    isTuple = true;
  }
  if (isTuple || (tuple->operands.empty() && inParentheses))
    return tuple;
  if (tuple->operands.empty())
    return unexpected("an expression");
  return std::move(tuple->operands[0]);
}

//===----------------------------------------------------------------------===//
// What follows a value
//===----------------------------------------------------------------------===//

Parser::Result Parser::parsePostfix(ExprPtr expr) {
  for (;;) {
    unsigned line = current().line;
    if (takeOperator(".")) {
      // "a.0" is a["0"] as a number.
      bool isIndex = current().kind == TokenKind::Integer;
      ExprPtr member =
          make(isIndex ? ExprKind::Subscript : ExprKind::Attribute, line);
      PAGODA_RETURN_IF_ERROR(addOperand(*member, std::move(expr)));
      if (isIndex) {
        PAGODA_ASSIGN_OR_RETURN(ExprPtr index, parseNumber());
        PAGODA_RETURN_IF_ERROR(addOperand(*member, std::move(index)));
      } else {
        PAGODA_ASSIGN_OR_RETURN(std::string name, expectName());
        member->name = program.arena.trustedString(std::move(name));
      }
      expr = std::move(member);
    } else if (takeOperator("[")) {
      PAGODA_ASSIGN_OR_RETURN(expr, parseSubscript(std::move(expr)));
    } else if (current().isOperator("(")) {
      ExprPtr call = make(ExprKind::Call, line);
      PAGODA_RETURN_IF_ERROR(addOperand(*call, std::move(expr)));
      PAGODA_RETURN_IF_ERROR(parseArguments(*call));
      expr = std::move(call);
    } else {
      return expr;
    }
  }
}

Parser::Result Parser::parseSubscript(ExprPtr object) {
  ExprPtr expr = make(ExprKind::Subscript, current().line);
  PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(object)));
  auto atEnd = [&] {
    return current().isOperator(":") || current().isOperator("]");
  };
  for (unsigned part = 0; part < 3; ++part) {
    ExprPtr bound;
    if (!atEnd()) {
      PAGODA_ASSIGN_OR_RETURN(bound, parseExpression());
    }
    if (part == 0 && current().isOperator("]")) {
      if (!bound)
        return unexpected("an index");
      PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(bound)));
      break;
    }
    expr->kind = ExprKind::Slice;
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(bound)));
    if (part < 2 && !takeOperator(":"))
      break;
  }
  if (current().isOperator(","))
    return unsupportedInTemplate(current().line,
                                 "an index of several parts is not supported");
  if (expr->kind == ExprKind::Slice)
    expr->operands.resize(4);
  PAGODA_RETURN_IF_ERROR(expectOperator("]"));
  return expr;
}

Parser::Result Parser::parseFilters(ExprPtr expr) {
  for (;;) {
    if (takeOperator("|")) {
      PAGODA_ASSIGN_OR_RETURN(expr, parseFilter(std::move(expr)));
    } else if (takeName("is")) {
      PAGODA_ASSIGN_OR_RETURN(expr, parseTest(std::move(expr)));
    } else if (current().isOperator("(")) {
      ExprPtr call = make(ExprKind::Call, current().line);
      PAGODA_RETURN_IF_ERROR(addOperand(*call, std::move(expr)));
      PAGODA_RETURN_IF_ERROR(parseArguments(*call));
      expr = std::move(call);
    } else {
      return expr;
    }
  }
}

Parser::Result Parser::parseFilter(ExprPtr input) {
  unsigned line = current().line;
  PAGODA_ASSIGN_OR_RETURN(std::string name, expectName());
  ExprPtr expr = make(ExprKind::Filter, line);
  expr->function = findFilter(name);
  if (!expr->function)
    return unsupportedInTemplate(line, "the filter '", name,
                                 "' is not supported");
  PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(input)));
  if (current().isOperator("("))
    PAGODA_RETURN_IF_ERROR(parseArguments(*expr));
  return expr;
}

Parser::Result Parser::parseTest(ExprPtr input) {
  unsigned line = current().line;
  bool negated = takeName("not");
  PAGODA_ASSIGN_OR_RETURN(std::string name, expectName());
  ExprPtr expr = make(ExprKind::Test, line);
  expr->function = findTest(name);
  if (!expr->function)
    return unsupportedInTemplate(line, "the test '", name,
                                 "' is not supported");
  PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(input)));
  const Token &token = current();
  bool isValue =
      token.kind == TokenKind::Name || token.kind == TokenKind::String ||
      token.kind == TokenKind::Integer || token.kind == TokenKind::Float ||
      token.isOperator("[") || token.isOperator("{");
  if (token.isOperator("(")) {
    PAGODA_RETURN_IF_ERROR(parseArguments(*expr));
  } else if (isValue && !token.isName("else") && !token.isName("or") &&
             !token.isName("and")) {
    if (token.isName("is"))
      return templateError(token.line, "tests cannot be chained with 'is'");
    PAGODA_ASSIGN_OR_RETURN(ExprPtr argument, parsePrimary());
    PAGODA_ASSIGN_OR_RETURN(argument, parsePostfix(std::move(argument)));
    PAGODA_RETURN_IF_ERROR(addOperand(*expr, std::move(argument)));
  }
  if (!negated)
    return expr;
  ExprPtr inverse = make(ExprKind::Not, line);
  PAGODA_RETURN_IF_ERROR(addOperand(*inverse, std::move(expr)));
  return inverse;
}

Status Parser::parseArguments(Expr &call) {
  PAGODA_RETURN_IF_ERROR(expectOperator("("));
  bool first = true;
  while (!current().isOperator(")")) {
    if (!first) {
      PAGODA_RETURN_IF_ERROR(expectOperator(","));
      if (current().isOperator(")"))
        break;
    }
    first = false;
    if (current().isOperator("*") || current().isOperator("**"))
      return unsupportedInTemplate(current().line, "'", current().text,
                                   "' in a call is not supported");
    if (current().kind == TokenKind::Name && next().isOperator("=")) {
      std::string name = current().text;
      advance();
      advance();
      PAGODA_ASSIGN_OR_RETURN(ExprPtr value, parseExpression());
      call.height = std::max(call.height, value->height + 1);
      if (call.height > maxHeight)
        return templateError(call.line, "the expression is nested too deeply");
      for (auto &[other, unused] : call.keywords)
        if (other == name)
          return templateError(call.line, "the argument '", name,
                               "' is given twice");
      call.keywords.emplace_back(std::move(name), std::move(value));
    } else {
      if (!call.keywords.empty())
        return templateError(current().line, "an argument without a name "
                                             "behind one with a name");
      PAGODA_ASSIGN_OR_RETURN(ExprPtr value, parseExpression());
      PAGODA_RETURN_IF_ERROR(addOperand(call, std::move(value)));
    }
  }
  advance();
  return Status();
}

} // namespace pagoda::rt::chat
