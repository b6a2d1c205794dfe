#include "Interpreter.h"

#include "Lexer.h"
#include "Printing.h"

#include <algorithm>

namespace pagoda::rt::chat {

const Value *Scope::find(Symbol symbol) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    for (auto &[name, value] : scope->names)
      if (name == symbol)
        return &value;
  return nullptr;
}

void Scope::set(Symbol symbol, Value value) {
  for (auto &[name, old] : names)
    if (name == symbol) {
      old = value;
      return;
    }
  names.emplace_back(symbol, value);
}

Interpreter::Interpreter(const Program &program, RenderContext &context,
                         size_t maxOutputBytes)
    : program(program), context(context), output(maxOutputBytes), out(&output) {
}

void Interpreter::define(std::string_view name, Value value) {
  auto found = std::find(program.symbols.begin(), program.symbols.end(), name);
  // A name that the template does not know, it does not ask for.
  if (found != program.symbols.end())
    global.set(static_cast<Symbol>(found - program.symbols.begin()), value);
}

StatusOr<Text> Interpreter::run() {
  Flow flow = Flow::Normal;
  PAGODA_RETURN_IF_ERROR(execute(program.body, flow));
  if (output.overflowed() || context.budget.isSpent())
    return overBudget();
  return std::move(output).take();
}

void Interpreter::release(std::unique_ptr<Scope> scope) {
  if (scope->captured)
    kept.push_back(std::move(scope));
}

Value Interpreter::defineMacro(const MacroDefinition &definition) {
  for (Scope *s = scope; s && !s->captured; s = s->parent)
    s->captured = true;
  return Value::macro(&macros.emplace_back(Macro{&definition, scope}));
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Status Interpreter::execute(const Block &block, Flow &flow) {
  for (auto &stmt : block) {
    PAGODA_RETURN_IF_ERROR(execute(*stmt, flow));
    if (flow != Flow::Normal)
      break;
  }
  return Status();
}

Status Interpreter::execute(const Stmt &stmt, Flow &flow) {
  if (!context.step())
    return overBudget();
  switch (stmt.kind) {
  case StmtKind::Data:
    out->append(stmt.data);
    return Status();
  case StmtKind::Print:
    return printValue(stmt);
  case StmtKind::If:
    return executeIf(stmt, flow);
  case StmtKind::For:
    return executeFor(stmt);
  case StmtKind::Set: {
    PAGODA_ASSIGN_OR_RETURN(Value value, evaluate(*stmt.value));
    return assign(stmt.targets[0], value);
  }
  case StmtKind::SetBlock: {
    PAGODA_ASSIGN_OR_RETURN(Value text, capture(stmt.body));
    if (stmt.filters) {
      PAGODA_ASSIGN_OR_RETURN(text, applyFilters(*stmt.filters, text));
    }
    return assign(stmt.targets[0], text);
  }
  case StmtKind::Macro:
    scope->set(stmt.symbol, defineMacro(*stmt.macro));
    return Status();
  case StmtKind::CallBlock:
    return executeCallBlock(stmt);
  case StmtKind::FilterBlock: {
    PAGODA_ASSIGN_OR_RETURN(Value text, capture(stmt.body));
    PAGODA_ASSIGN_OR_RETURN(text, applyFilters(*stmt.filters, text));
    return print(text, *out, context.budget);
  }
  case StmtKind::With:
    return executeWith(stmt, flow);
  case StmtKind::Generation: {
    // A macro of its own in Jinja: what it sets does not come out of it.
    PAGODA_ASSIGN_OR_RETURN(Value text, capture(stmt.body));
    out->append(text.asText());
    return Status();
  }
  case StmtKind::Break:
    flow = Flow::Break;
    return Status();
  case StmtKind::Continue:
    flow = Flow::Continue;
    return Status();
  }
  return Status();
}

Status Interpreter::printValue(const Stmt &stmt) {
  PAGODA_ASSIGN_OR_RETURN(Value value, evaluate(*stmt.value));
  Status status = print(value, *out, context.budget);
  if (!status.ok())
    return std::move(status).withContext(
        concat("chat template, line ", stmt.line));
  if (out->overflowed())
    return overBudget();
  return Status();
}

Status Interpreter::executeIf(const Stmt &stmt, Flow &flow) {
  for (auto &[condition, block] : stmt.branches) {
    if (condition) {
      PAGODA_ASSIGN_OR_RETURN(Value value, evaluate(*condition));
      if (!truthOf(value))
        continue;
    }
    return execute(block, flow);
  }
  return Status();
}

StatusOr<Value> Interpreter::capture(const Block &block) {
  auto inner = std::make_unique<Scope>(scope);
  TextBuilder builder = context.builder();
  TextBuilder *outer = std::exchange(out, &builder);
  Flow flow = Flow::Normal;
  Status status;
  {
    InScope in(*this, inner.get());
    status = execute(block, flow);
  }
  out = outer;
  release(std::move(inner));
  PAGODA_RETURN_IF_ERROR(std::move(status));
  return context.string(std::move(builder));
}

Status Interpreter::assign(const Target &target, const Value &value) {
  switch (target.kind) {
  case Target::Kind::Name:
    scope->set(target.symbol, value);
    return Status();
  case Target::Kind::Member: {
    const Value *space = scope->find(target.symbol);
    if (!space || !space->is(Kind::Namespace))
      return templateError(target.line, "'", program.symbols[target.symbol],
                           "' is no namespace, its members cannot be set");
    set(space->asDict(), target.member, value, context.budget);
    return Status();
  }
  case Target::Kind::Tuple:
    break;
  }
  auto elements = elementsOf(context, value);
  if (!elements.ok())
    return std::move(elements).status().withContext(
        concat("chat template, line ", target.line));
  if (elements->size() != target.parts.size())
    return templateError(target.line, elements->size(),
                         " values cannot be unpacked into ",
                         target.parts.size(), " names");
  for (size_t i = 0; i < target.parts.size(); ++i)
    PAGODA_RETURN_IF_ERROR(assign(target.parts[i], (*elements)[i]));
  return Status();
}

Status Interpreter::executeWith(const Stmt &stmt, Flow &flow) {
  auto inner = std::make_unique<Scope>(scope);
  // The values do not see each other's names.
  std::vector<Value> values;
  for (auto &expr : stmt.values) {
    PAGODA_ASSIGN_OR_RETURN(Value value, evaluate(*expr));
    values.push_back(value);
  }
  Status status;
  {
    InScope in(*this, inner.get());
    for (size_t i = 0; i < values.size() && status.ok(); ++i)
      status = assign(stmt.targets[i], values[i]);
    if (status.ok())
      status = execute(stmt.body, flow);
  }
  release(std::move(inner));
  return status;
}

Status Interpreter::executeCallBlock(const Stmt &stmt) {
  Value caller = defineMacro(*stmt.macro);
  PAGODA_ASSIGN_OR_RETURN(Value text, callFunction(*stmt.value, &caller));
  return print(text, *out, context.budget);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Elements of a list that may grow while it is walked, those for which a
/// condition holds. Lives as long as the rendering: `loop` can be kept by a
/// template and asked later.
class ForLoop final : public Loop {
public:
  ForLoop(Interpreter &interpreter, const Stmt &stmt, const Value &iterated,
          std::vector<Value> elements)
      : interpreter(interpreter), stmt(stmt), own(std::move(elements)),
        source(iterated.isSequence() ? iterated.asList().items : own),
        outer(interpreter.scope) {}

  StatusOr<bool> has(size_t index) override {
    if (!stmt.condition)
      return index < source.size();
    while (outer && accepted.size() <= index && next < source.size()) {
      Value element = source[next++];
      PAGODA_ASSIGN_OR_RETURN(bool holds, isWanted(element));
      if (holds)
        accepted.push_back(element);
    }
    return index < accepted.size();
  }

  Value element(size_t index) const override {
    const auto &elements = stmt.condition ? accepted : source;
    return index < elements.size() ? elements[index] : Value::undefined();
  }

  StatusOr<size_t> length() override {
    if (!stmt.condition)
      return source.size();
    PAGODA_RETURN_IF_ERROR(has(SIZE_MAX).status());
    return accepted.size();
  }

  /// The scope around the loop may go now.
  void finish() { outer = nullptr; }

private:
  StatusOr<bool> isWanted(const Value &element) {
    Scope inner(outer);
    Interpreter::InScope in(interpreter, &inner);
    PAGODA_RETURN_IF_ERROR(interpreter.assign(stmt.targets[0], element));
    PAGODA_ASSIGN_OR_RETURN(Value value, interpreter.evaluate(*stmt.condition));
    return truthOf(value);
  }

  Interpreter &interpreter;
  const Stmt &stmt;
  std::vector<Value> own;
  const std::vector<Value> &source;
  Scope *outer;
  /// With a condition: what has been found so far, and where to look next.
  std::vector<Value> accepted;
  size_t next = 0;
};

Interpreter::~Interpreter() = default;

Status Interpreter::executeFor(const Stmt &stmt) {
  PAGODA_ASSIGN_OR_RETURN(Value iterated, evaluate(*stmt.value));
  std::vector<Value> elements;
  if (!iterated.isSequence()) {
    auto found = elementsOf(context, iterated);
    if (!found.ok())
      return std::move(found).status().withContext(
          concat("chat template, line ", stmt.line));
    elements = *std::move(found);
  }
  if (!context.budget.spendBytes(sizeof(ForLoop) +
                                 elements.size() * sizeof(Value)))
    return overBudget();
  ForLoop &loop = *loops.emplace_back(
      std::make_unique<ForLoop>(*this, stmt, iterated, std::move(elements)));
  auto inner = std::make_unique<Scope>(scope);
  bool any = false;
  Status status;
  for (size_t round = 0;; ++round) {
    auto more = loop.has(round);
    if (!more.ok())
      status = std::move(more).status();
    else if (!context.step())
      status = overBudget();
    if (!status.ok() || !*more)
      break;
    any = true;
    loop.index = round;
    // Each round begins with the names around the loop.
    if (inner->captured) {
      release(std::move(inner));
      inner = std::make_unique<Scope>(scope);
    }
    inner->names.clear();
    inner->set(LoopSymbol, Value::loop(&loop));
    Flow flow = Flow::Normal;
    InScope in(*this, inner.get());
    status = assign(stmt.targets[0], loop.element(round));
    if (status.ok())
      status = execute(stmt.body, flow);
    if (!status.ok() || flow == Flow::Break)
      break;
  }
  loop.finish();
  release(std::move(inner));
  PAGODA_RETURN_IF_ERROR(std::move(status));
  if (any || stmt.otherwise.empty())
    return Status();
  auto rest = std::make_unique<Scope>(scope);
  Flow flow = Flow::Normal;
  {
    InScope in(*this, rest.get());
    status = execute(stmt.otherwise, flow);
  }
  release(std::move(rest));
  return status;
}

} // namespace pagoda::rt::chat
