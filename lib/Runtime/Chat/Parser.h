//===- Parser.h - From tokens to a program ----------------------*- C++ -*-===//
//
// Recursive descent over Jinja's grammar. Expressions are in
// ParseExpression.cpp, statements in ParseStatement.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_PARSER_H
#define PAGODA_LIB_RUNTIME_CHAT_PARSER_H

#include "Ast.h"
#include "Lexer.h"

#include <initializer_list>
#include <map>

namespace pagoda::rt::chat {

class Parser {
public:
  Parser(std::vector<Token> tokens, Program &program);

  /// The whole template.
  Status run();

private:
  //===--- Tokens --------------------------------------------------------===//
  const Token &current() const { return tokens[at]; }
  const Token &next() const {
    return tokens[std::min(at + 1, tokens.size() - 1)];
  }
  void advance() {
    if (at + 1 < tokens.size())
      ++at;
  }
  bool takeOperator(std::string_view name);
  bool takeName(std::string_view name);
  Status expectOperator(std::string_view name);
  StatusOr<std::string> expectName();
  /// An error that says what was found instead.
  Status unexpected(std::string_view wanted) const;
  Symbol symbolOf(const std::string &name);

  //===--- Expressions ---------------------------------------------------===//
  using Result = StatusOr<ExprPtr>;
  Result parseExpression();
  /// Without `if … else` outside of brackets.
  Result parseOr();
  Result parseAnd();
  Result parseNot();
  Result parseCompare();
  Result parseSum();
  Result parseConcatenation();
  Result parseProduct();
  Result parsePower();
  Result parseUnary(bool withFilters);
  Result parsePrimary();
  Result parseNumber();
  Result parseList();
  Result parseDict();
  Result parsePostfix(ExprPtr expr);
  Result parseSubscript(ExprPtr object);
  Result parseFilters(ExprPtr expr);
  /// One filter behind the '|'.
  Result parseFilter(ExprPtr input);
  Result parseTest(ExprPtr input);
  Status parseArguments(Expr &call);
  /// One expression, or several with commas. `end` closes a tuple early.
  Result parseTuple(bool withConditional, bool inParentheses = false);
  bool atTupleEnd() const;

  ExprPtr make(ExprKind kind, unsigned line) const;
  /// Adds an operand and keeps track of the height.
  Status addOperand(Expr &expr, ExprPtr operand);
  Result binary(ExprKind kind, unsigned line, ExprPtr left, ExprPtr right);

  //===--- Statements ----------------------------------------------------===//
  /// Statements up to a tag that begins with one of `ends`; that name is
  /// current then. The block's own tag is in line `begunAt`.
  Status parseBlock(Block &block, std::initializer_list<std::string_view> ends,
                    unsigned begunAt);
  Status parseStatement(Block &block);
  Status parseSet(Stmt &stmt);
  Status parseFor(Stmt &stmt);
  Status parseIf(Stmt &stmt);
  Status parseMacro(Stmt &stmt);
  Status parseCallBlock(Stmt &stmt);
  Status parseFilterBlock(Stmt &stmt);
  Status parseWith(Stmt &stmt);
  Status parseSignature(MacroDefinition &macro);
  Status parseMacroBody(MacroDefinition &macro, std::string_view end);
  StatusOr<Target> parseTarget(bool members);
  StatusOr<Target> parseSingleTarget(bool members);
  /// The end of the tag, and the block behind it, up to and with its end.
  Status parseBody(Block &block, std::initializer_list<std::string_view> ends);
  Status expectBlockEnd();

  /// Guards the depth of recursion.
  struct Depth {
    explicit Depth(unsigned &depth) : depth(depth) { ++depth; }
    ~Depth() { --depth; }
    unsigned &depth;
  };

  std::vector<Token> tokens;
  size_t at = 0;
  Program &program;
  std::map<std::string, Symbol, std::less<>> symbols;
  unsigned depth = 0;
  unsigned loops = 0;
  /// The macro whose body is being parsed.
  MacroDefinition *macro = nullptr;
};

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_PARSER_H
