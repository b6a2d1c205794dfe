//===- Operators.h - Arithmetic and comparison ------------------*- C++ -*-===//
//
// Python's operators on values, with Python's errors.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_OPERATORS_H
#define PAGODA_LIB_RUNTIME_CHAT_OPERATORS_H

#include "Ast.h"

namespace pagoda::rt::chat {

/// + - * / // % **
StatusOr<Value> arithmetic(RenderContext &context, ExprKind kind,
                           const Value &left, const Value &right);
StatusOr<Value> negated(const Value &value);

/// Less than 0, 0, or more: how `a` compares with `b`. Errors: values that
/// have no order.
StatusOr<int> order(RenderContext &context, const Value &a, const Value &b);
StatusOr<bool> compare(RenderContext &context, Comparison comparison,
                       const Value &a, const Value &b);
StatusOr<bool> contains(RenderContext &context, const Value &container,
                        const Value &item);

/// value[start:stop:step]; bounds that are undefined were not given.
StatusOr<Value> slice(RenderContext &context, const Value &value,
                      const Value &start, const Value &stop, const Value &step);

/// The text with what HTML takes for markup replaced, marked as `safe`.
StatusOr<Value> escaped(RenderContext &context, const Value &value);

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_OPERATORS_H
