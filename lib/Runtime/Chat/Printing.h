//===- Printing.h - Values as text ------------------------------*- C++ -*-===//
//
// What Python's str(), repr() and json.dumps() write, with the marks of what
// came from outside kept on every byte that stands for one that did.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_PRINTING_H
#define PAGODA_LIB_RUNTIME_CHAT_PRINTING_H

#include "Native.h"
#include "pagoda/Files/Json.h"

namespace pagoda::rt::chat {

/// Python's repr() of a float.
std::string floatText(double number);

/// str(): strings as they are, containers with the repr() of what they hold.
/// Errors: functions and the like, circles.
Status print(const Value &value, TextBuilder &out, Budget &budget);
/// str() as a text of its own; of a string without copying.
StatusOr<Value> stringOf(RenderContext &context, const Value &value);

struct JsonStyle {
  bool asciiOnly = false;
  bool sortKeys = false;
  /// Spaces of a level, or text; none: all on one line.
  std::optional<std::string> indent;
  std::string itemSeparator = ", ";
  std::string keySeparator = ": ";
};

/// json.dumps(). Errors: what JSON cannot hold.
Status printJson(const Value &value, const JsonStyle &style, TextBuilder &out,
                 Budget &budget);

/// The value of a document, all of whose strings come from outside unless
/// `trusted`.
StatusOr<Value> valueOf(RenderContext &context, JsonValue json, bool trusted);

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_PRINTING_H
