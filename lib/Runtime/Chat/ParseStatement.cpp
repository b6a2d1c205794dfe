#include "Parser.h"

#include "pagoda/Base/Concat.h"

#include <algorithm>

namespace pagoda::rt::chat {

namespace {

constexpr unsigned maxBlockDepth = 60;

} // namespace

Parser::Parser(std::vector<Token> tokens, Program &program)
    : tokens(std::move(tokens)), program(program) {
  for (Symbol symbol = 0; symbol < program.symbols.size(); ++symbol)
    symbols.emplace(program.symbols[symbol], symbol);
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::takeOperator(std::string_view name) {
  if (!current().isOperator(name))
    return false;
  advance();
  return true;
}

bool Parser::takeName(std::string_view name) {
  if (!current().isName(name))
    return false;
  advance();
  return true;
}

Status Parser::unexpected(std::string_view wanted) const {
  const Token &token = current();
  std::string found;
  switch (token.kind) {
  case TokenKind::Data:
  case TokenKind::BlockBegin:
  case TokenKind::VariableBegin:
  case TokenKind::End:
    found = "the end of the template";
    break;
  case TokenKind::BlockEnd:
    found = "the end of the tag";
    break;
  case TokenKind::VariableEnd:
    found = "the end of the expression";
    break;
  case TokenKind::String:
    found = "a string";
    break;
  default:
    found = concat('\'', token.text, '\'');
  }
  return templateError(token.line, "expected ", wanted, ", found ", found);
}

Status Parser::expectOperator(std::string_view name) {
  if (takeOperator(name))
    return Status();
  return unexpected(concat('\'', name, '\''));
}

StatusOr<std::string> Parser::expectName() {
  if (current().kind != TokenKind::Name)
    return unexpected("a name");
  std::string name = current().text;
  advance();
  return name;
}

Status Parser::expectBlockEnd() {
  if (current().kind != TokenKind::BlockEnd)
    return unexpected("the end of the tag");
  advance();
  return Status();
}

Symbol Parser::symbolOf(const std::string &name) {
  auto [entry, added] =
      symbols.emplace(name, static_cast<Symbol>(program.symbols.size()));
  if (added)
    program.symbols.push_back(name);
  if (macro) {
    macro->usesVarargs |= entry->second == VarargsSymbol;
    macro->usesKwargs |= entry->second == KwargsSymbol;
    macro->usesCaller |= entry->second == CallerSymbol;
  }
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Status Parser::run() { return parseBlock(program.body, {}, 1); }

Status Parser::parseBlock(Block &block,
                          std::initializer_list<std::string_view> ends,
                          unsigned begunAt) {
  Depth guard(depth);
  if (depth > maxBlockDepth)
    return templateError(current().line, "blocks are nested too deeply");
  for (;;) {
    const Token &token = current();
    auto stmt = std::make_unique<Stmt>();
    stmt->line = token.line;
    switch (token.kind) {
    case TokenKind::Data:
      stmt->kind = StmtKind::Data;
      stmt->data = Text::trusted(token.text);
      advance();
      break;
    case TokenKind::VariableBegin: {
      advance();
      stmt->kind = StmtKind::Print;
      PAGODA_ASSIGN_OR_RETURN(stmt->value, parseTuple(true));
      if (current().kind != TokenKind::VariableEnd)
        return unexpected("'}}'");
      advance();
      break;
    }
    case TokenKind::BlockBegin:
      advance();
      if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) {
            return current().isName(end);
          }))
        return Status();
      PAGODA_RETURN_IF_ERROR(parseStatement(block));
      continue;
    default:
      if (ends.size() == 0)
        return Status();
      return templateError(begunAt, "the block that begins here has no '",
                           *(ends.end() - 1), "'");
    }
    block.push_back(std::move(stmt));
  }
}

Status Parser::parseBody(Block &block,
                         std::initializer_list<std::string_view> ends) {
  unsigned line = current().line;
  takeOperator(":"); // as in Python
  PAGODA_RETURN_IF_ERROR(expectBlockEnd());
  return parseBlock(block, ends, line);
}

Status Parser::parseStatement(Block &block) {
  struct Row {
    std::string_view name;
    StmtKind kind;
    /// Null for a statement that is its name alone.
    Status (Parser::*parse)(Stmt &);
  };
  static constexpr Row rows[] = {
      {"if", StmtKind::If, &Parser::parseIf},
      {"for", StmtKind::For, &Parser::parseFor},
      {"set", StmtKind::Set, &Parser::parseSet},
      {"macro", StmtKind::Macro, &Parser::parseMacro},
      {"call", StmtKind::CallBlock, &Parser::parseCallBlock},
      {"filter", StmtKind::FilterBlock, &Parser::parseFilterBlock},
      {"with", StmtKind::With, &Parser::parseWith},
      {"generation", StmtKind::Generation, nullptr},
      {"break", StmtKind::Break, nullptr},
      {"continue", StmtKind::Continue, nullptr},
  };
  unsigned line = current().line;
  PAGODA_ASSIGN_OR_RETURN(std::string name, expectName());
  auto row = std::find_if(std::begin(rows), std::end(rows),
                          [&](const Row &row) { return row.name == name; });
  if (row == std::end(rows)) {
    if (name.substr(0, 3) == "end" || name == "else" || name == "elif")
      return templateError(line, "'", name, "' does not belong here");
    return unsupportedInTemplate(line, "the statement '", name,
                                 "' is not supported");
  }
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = row->kind;
  stmt->line = line;
  if (row->parse)
    PAGODA_RETURN_IF_ERROR((this->*row->parse)(*stmt));
  if (row->kind == StmtKind::Generation) {
    PAGODA_RETURN_IF_ERROR(parseBody(stmt->body, {"endgeneration"}));
    advance();
  }
  if ((row->kind == StmtKind::Break || row->kind == StmtKind::Continue) &&
      loops == 0)
    return templateError(line, "'", name, "' outside of a loop");
  block.push_back(std::move(stmt));
  return expectBlockEnd();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

StatusOr<Target> Parser::parseSingleTarget(bool members) {
  Target target;
  target.line = current().line;
  if (takeOperator("(")) {
    PAGODA_ASSIGN_OR_RETURN(target, parseTarget(members));
    PAGODA_RETURN_IF_ERROR(expectOperator(")"));
    return target;
  }
  PAGODA_ASSIGN_OR_RETURN(std::string name, expectName());
  for (std::string_view constant :
       {"true", "false", "none", "True", "False", "None"})
    if (name == constant)
      return templateError(target.line, "'", name, "' cannot be assigned to");
  target.symbol = symbolOf(name);
  if (members && takeOperator(".")) {
    target.kind = Target::Kind::Member;
    PAGODA_ASSIGN_OR_RETURN(std::string member, expectName());
    target.member = program.arena.trustedString(std::move(member));
  }
  return target;
}

StatusOr<Target> Parser::parseTarget(bool members) {
  Depth guard(depth);
  if (depth > maxBlockDepth)
    return templateError(current().line, "brackets are nested too deeply");
  PAGODA_ASSIGN_OR_RETURN(Target first, parseSingleTarget(members));
  if (!current().isOperator(","))
    return first;
  Target tuple;
  tuple.kind = Target::Kind::Tuple;
  tuple.line = first.line;
  tuple.parts.push_back(std::move(first));
  while (takeOperator(",")) {
    if (current().isOperator("=") || current().isOperator(")") ||
        current().isName("in") || current().kind == TokenKind::BlockEnd)
      break;
    PAGODA_ASSIGN_OR_RETURN(Target part, parseSingleTarget(members));
    tuple.parts.push_back(std::move(part));
  }
  return tuple;
}

Status Parser::parseSet(Stmt &stmt) {
  PAGODA_ASSIGN_OR_RETURN(Target target, parseTarget(true));
  stmt.targets.push_back(std::move(target));
  if (takeOperator("=")) {
    PAGODA_ASSIGN_OR_RETURN(stmt.value, parseTuple(true));
    return Status();
  }
  stmt.kind = StmtKind::SetBlock;
  while (takeOperator("|")) {
    PAGODA_ASSIGN_OR_RETURN(stmt.filters, parseFilter(std::move(stmt.filters)));
  }
  PAGODA_RETURN_IF_ERROR(parseBody(stmt.body, {"endset"}));
  advance();
  return Status();
}

Status Parser::parseFor(Stmt &stmt) {
  PAGODA_ASSIGN_OR_RETURN(Target target, parseTarget(false));
  stmt.targets.push_back(std::move(target));
  if (!takeName("in"))
    return unexpected("'in'");
  PAGODA_ASSIGN_OR_RETURN(stmt.value, parseTuple(false));
  if (takeName("if")) {
    PAGODA_ASSIGN_OR_RETURN(stmt.condition, parseExpression());
  }
  if (current().isName("recursive"))
    return unsupportedInTemplate(stmt.line,
                                 "a recursive loop is not supported");
  ++loops;
  Status body = parseBody(stmt.body, {"else", "endfor"});
  --loops;
  PAGODA_RETURN_IF_ERROR(std::move(body));
  if (takeName("else"))
    PAGODA_RETURN_IF_ERROR(parseBody(stmt.otherwise, {"endfor"}));
  advance();
  return Status();
}

Status Parser::parseIf(Stmt &stmt) {
  for (;;) {
    PAGODA_ASSIGN_OR_RETURN(ExprPtr condition, parseTuple(false));
    Block block;
    PAGODA_RETURN_IF_ERROR(parseBody(block, {"elif", "else", "endif"}));
    stmt.branches.emplace_back(std::move(condition), std::move(block));
    if (takeName("elif"))
      continue;
    if (takeName("else")) {
      Block last;
      PAGODA_RETURN_IF_ERROR(parseBody(last, {"endif"}));
      stmt.branches.emplace_back(nullptr, std::move(last));
    }
    advance();
    return Status();
  }
}

Status Parser::parseSignature(MacroDefinition &definition) {
  PAGODA_RETURN_IF_ERROR(expectOperator("("));
  while (!current().isOperator(")")) {
    if (!definition.parameters.empty())
      PAGODA_RETURN_IF_ERROR(expectOperator(","));
    Parameter parameter;
    PAGODA_ASSIGN_OR_RETURN(parameter.name, expectName());
    parameter.symbol = symbolOf(parameter.name);
    if (takeOperator("=")) {
      PAGODA_ASSIGN_OR_RETURN(parameter.fallback, parseExpression());
    } else if (!definition.parameters.empty() &&
               definition.parameters.back().fallback) {
      return templateError(current().line, "the parameter '", parameter.name,
                           "' has no default, but one before it has");
    }
    definition.parameters.push_back(std::move(parameter));
  }
  advance();
  return Status();
}

Status Parser::parseMacroBody(MacroDefinition &definition,
                              std::string_view end) {
  MacroDefinition *outer = std::exchange(macro, &definition);
  // A loop around the definition is not one around its body.
  unsigned outerLoops = std::exchange(loops, 0);
  Status status = parseBody(definition.body, {end});
  macro = outer;
  loops = outerLoops;
  PAGODA_RETURN_IF_ERROR(std::move(status));
  advance();
  return Status();
}

Status Parser::parseMacro(Stmt &stmt) {
  stmt.macro = std::make_unique<MacroDefinition>();
  PAGODA_ASSIGN_OR_RETURN(stmt.macro->name, expectName());
  stmt.symbol = symbolOf(stmt.macro->name);
  PAGODA_RETURN_IF_ERROR(parseSignature(*stmt.macro));
  return parseMacroBody(*stmt.macro, "endmacro");
}

Status Parser::parseCallBlock(Stmt &stmt) {
  stmt.macro = std::make_unique<MacroDefinition>();
  stmt.macro->name = "caller";
  if (current().isOperator("("))
    PAGODA_RETURN_IF_ERROR(parseSignature(*stmt.macro));
  PAGODA_ASSIGN_OR_RETURN(stmt.value, parseExpression());
  if (stmt.value->kind != ExprKind::Call)
    return templateError(stmt.line, "expected a call behind 'call'");
  return parseMacroBody(*stmt.macro, "endcall");
}

Status Parser::parseFilterBlock(Stmt &stmt) {
  do {
    PAGODA_ASSIGN_OR_RETURN(stmt.filters, parseFilter(std::move(stmt.filters)));
  } while (takeOperator("|"));
  PAGODA_RETURN_IF_ERROR(parseBody(stmt.body, {"endfilter"}));
  advance();
  return Status();
}

Status Parser::parseWith(Stmt &stmt) {
  while (current().kind != TokenKind::BlockEnd) {
    if (!stmt.targets.empty())
      PAGODA_RETURN_IF_ERROR(expectOperator(","));
    PAGODA_ASSIGN_OR_RETURN(Target target, parseSingleTarget(false));
    PAGODA_RETURN_IF_ERROR(expectOperator("="));
    PAGODA_ASSIGN_OR_RETURN(ExprPtr value, parseExpression());
    stmt.targets.push_back(std::move(target));
    stmt.values.push_back(std::move(value));
  }
  PAGODA_RETURN_IF_ERROR(parseBody(stmt.body, {"endwith"}));
  advance();
  return Status();
}

StatusOr<std::unique_ptr<const Program>>
parseTemplate(std::string_view source) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(source));
  auto program = std::make_unique<Program>();
  PAGODA_RETURN_IF_ERROR(Parser(std::move(tokens), *program).run());
  return std::unique_ptr<const Program>(std::move(program));
}

} // namespace pagoda::rt::chat
