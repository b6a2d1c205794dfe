//===- Interpreter.h - Running a template -----------------------*- C++ -*-===//
//
// Walks the program. Statements are in Interpreter.cpp, expressions in
// Evaluate.cpp. One interpreter renders once.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_INTERPRETER_H
#define PAGODA_LIB_RUNTIME_CHAT_INTERPRETER_H

#include "Ast.h"

#include <deque>

namespace pagoda::rt::chat {

/// The names of a template, a loop's round, or a macro's call.
struct Scope {
  explicit Scope(Scope *parent) : parent(parent) {}

  Scope *parent;
  std::vector<std::pair<Symbol, Value>> names;
  /// A macro was defined here or in a scope below, and may outlive it.
  bool captured = false;

  const Value *find(Symbol symbol) const;
  void set(Symbol symbol, Value value);
};

class ForLoop;

struct Macro {
  const MacroDefinition *definition;
  Scope *scope;
};

class Interpreter {
public:
  Interpreter(const Program &program, RenderContext &context,
              size_t maxOutputBytes);
  ~Interpreter();

  /// Gives a name a value before the template runs.
  void define(std::string_view name, Value value);
  StatusOr<Text> run();

private:
  friend class ForLoop;
  enum class Flow : uint8_t { Normal, Break, Continue };

  //===--- Statements ----------------------------------------------------===//
  Status execute(const Block &block, Flow &flow);
  Status execute(const Stmt &stmt, Flow &flow);
  Status executeIf(const Stmt &stmt, Flow &flow);
  Status executeFor(const Stmt &stmt);
  Status executeWith(const Stmt &stmt, Flow &flow);
  Status executeCallBlock(const Stmt &stmt);
  Status printValue(const Stmt &stmt);
  /// Runs a block in a scope of its own and gives what it prints.
  StatusOr<Value> capture(const Block &block);
  Status assign(const Target &target, const Value &value);

  //===--- Expressions ---------------------------------------------------===//
  StatusOr<Value> evaluate(const Expr &expr);
  StatusOr<Value> evaluateKind(const Expr &expr);
  /// The value of an operand that may be absent, as undefined then.
  StatusOr<Value> evaluateOptional(const ExprPtr &expr);
  StatusOr<Value> lookUp(const Expr &expr);
  StatusOr<Value> collect(const Expr &expr);
  StatusOr<Value> evaluateCompare(const Expr &expr);
  StatusOr<Value> evaluateConcatenation(const Expr &expr);
  /// A filter of a block's text, which `text` stands for.
  StatusOr<Value> applyFilters(const Expr &expr, const Value &text);
  StatusOr<Value> callFunction(const Expr &expr, const Value *caller);
  Status evaluateArguments(const Expr &expr, Call &call);
  StatusOr<Value> callMacro(const Macro &macro, const Call &call);
  Status bindMacro(const MacroDefinition &definition, const Call &call,
                   Scope &scope);

  Value defineMacro(const MacroDefinition &definition);
  /// Keeps a scope that is done if a macro may still look into it.
  void release(std::unique_ptr<Scope> scope);

  /// Makes `scope` the current one for a while.
  struct InScope {
    InScope(Interpreter &interpreter, Scope *scope)
        : interpreter(interpreter),
          outer(std::exchange(interpreter.scope, scope)) {}
    ~InScope() { interpreter.scope = outer; }
    Interpreter &interpreter;
    Scope *outer;
  };

  const Program &program;
  RenderContext &context;
  TextBuilder output;
  TextBuilder *out;
  Scope global{nullptr}, top{&global};
  Scope *scope = &top;
  std::deque<Macro> macros;
  std::vector<std::unique_ptr<Scope>> kept;
  std::vector<std::unique_ptr<ForLoop>> loops;
  unsigned depth = 0;
};

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_INTERPRETER_H
