//===- Ast.h - A template after parsing -------------------------*- C++ -*-===//
//
// Expressions and statements. Names are numbers, filters and tests are looked
// up already, literals are values in the program's own arena.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_AST_H
#define PAGODA_LIB_RUNTIME_CHAT_AST_H

#include "Native.h"

#include <memory>

namespace pagoda::rt::chat {

using Symbol = uint32_t;

enum class ExprKind : uint8_t {
  Constant,
  Name,
  List,
  Tuple,
  /// operands: key, value, key, value, …
  Dict,
  /// operands[0].name
  Attribute,
  /// operands[0][operands[1]]
  Subscript,
  /// operands[0][operands[1]:operands[2]:operands[3]], each of the three may
  /// be absent
  Slice,
  /// operands[0](operands[1]…, keywords)
  Call,
  /// operands[0] | function(operands[1]…, keywords)
  Filter,
  Test,
  Not,
  And,
  Or,
  /// operands[0] comparisons[0] operands[1] comparisons[1] …
  Compare,
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power,
  Concatenate,
  Negate,
  Plus,
  /// operands: condition, value, other value (which may be absent)
  Conditional,
};

enum class Comparison : uint8_t {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  NotIn,
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  ExprKind kind;
  unsigned line;
  /// Of the tree below; bounded, because evaluation descends it.
  unsigned height = 1;
  Value constant;
  Symbol symbol = 0;
  /// Of an attribute, as a string value.
  Value name;
  const NativeFunction *function = nullptr;
  std::vector<ExprPtr> operands;
  std::vector<Comparison> comparisons;
  std::vector<std::pair<std::string, ExprPtr>> keywords;
};

/// Where an assignment goes.
struct Target {
  enum class Kind : uint8_t { Name, Member, Tuple } kind = Kind::Name;
  unsigned line = 0;
  Symbol symbol = 0;
  /// Member of a namespace, as a string value.
  Value member;
  std::vector<Target> parts;
};

enum class StmtKind : uint8_t {
  Data,
  Print,
  If,
  For,
  Set,
  SetBlock,
  Macro,
  CallBlock,
  FilterBlock,
  With,
  /// generation … endgeneration: what the assistant said. Printed as it is.
  Generation,
  Break,
  Continue,
};

struct Stmt;
using Block = std::vector<std::unique_ptr<Stmt>>;

struct Parameter {
  Symbol symbol;
  std::string name;
  /// Null if there is no default.
  ExprPtr fallback;
};

struct MacroDefinition {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  bool usesVarargs = false, usesKwargs = false, usesCaller = false;
};

struct Stmt {
  StmtKind kind;
  unsigned line;
  /// Data: the text. Others: see below.
  Text data;
  /// Print, Set, CallBlock: the expression. For: what is iterated.
  ExprPtr value;
  /// For: the condition of elements, or null.
  ExprPtr condition;
  /// Set, SetBlock, For: where to. With: one for each of `values`.
  std::vector<Target> targets;
  /// With: the values.
  std::vector<ExprPtr> values;
  /// If: condition and block of each branch; the condition of else is null.
  std::vector<std::pair<ExprPtr, Block>> branches;
  Block body;
  /// For: run where there is no element.
  Block otherwise;
  /// SetBlock, FilterBlock: filters of the text, whose innermost operand is
  /// null and stands for it. Null if there are none.
  ExprPtr filters;
  /// Macro, CallBlock.
  std::unique_ptr<MacroDefinition> macro;
  Symbol symbol = 0;
};

/// Symbols that the interpreter itself gives a meaning.
enum WellKnown : Symbol {
  LoopSymbol,
  CallerSymbol,
  VarargsSymbol,
  KwargsSymbol
};

struct Program {
  /// Holds the literals.
  Arena arena;
  std::vector<std::string> symbols = {"loop", "caller", "varargs", "kwargs"};
  Block body;
};

/// Parses a template. Errors name the line and what is wrong, or what is not
/// supported.
StatusOr<std::unique_ptr<const Program>> parseTemplate(std::string_view source);

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_AST_H
