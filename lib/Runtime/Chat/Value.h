//===- Value.h - What a template computes with ------------------*- C++ -*-===//
//
// A value is one of Python's kinds, as far as templates meet them. It is small
// and copied freely; strings and containers belong to the Arena of one
// rendering, so that containers may refer to each other, even in circles, and
// all go at once.
//
//   Value list = arena.list({Value::integer(1), arena.trustedString("x")});
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_VALUE_H
#define PAGODA_LIB_RUNTIME_CHAT_VALUE_H

#include "Text.h"

#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace pagoda::rt::chat {

class Budget;
struct Dict;
struct List;
struct Loop;
struct Macro;
struct Method;
struct NativeFunction;

enum class Kind : uint8_t {
  Undefined,
  None,
  Boolean,
  Integer,
  Float,
  String,
  List,
  Tuple,
  Dict,
  /// namespace(): a Dict whose members can be set.
  Namespace,
  /// The `loop` of a for statement.
  Loop,
  Macro,
  Function,
  /// A method together with the value that it belongs to.
  Method,
};

class Value {
public:
  Value() : Value(Kind::Undefined) { pointer.name = nullptr; }

  /// What has no value, and the name for the message if that matters.
  static Value undefined(const std::string *name = nullptr) {
    Value value(Kind::Undefined);
    value.pointer.name = name;
    return value;
  }
  static Value none() { return Value(Kind::None); }
  static Value boolean(bool truth) {
    Value value(Kind::Boolean);
    value.pointer.integer = truth;
    return value;
  }
  static Value integer(int64_t number) {
    Value value(Kind::Integer);
    value.pointer.integer = number;
    return value;
  }
  static Value real(double number) {
    Value value(Kind::Float);
    value.pointer.real = number;
    return value;
  }
  static Value string(const Text *text) {
    Value value(Kind::String);
    value.pointer.text = text;
    return value;
  }
  static Value list(List *list, Kind kind = Kind::List) {
    Value value(kind);
    value.pointer.list = list;
    return value;
  }
  static Value dict(Dict *dict, Kind kind = Kind::Dict) {
    Value value(kind);
    value.pointer.dict = dict;
    return value;
  }
  static Value loop(Loop *loop) {
    Value value(Kind::Loop);
    value.pointer.loop = loop;
    return value;
  }
  static Value macro(const Macro *macro) {
    Value value(Kind::Macro);
    value.pointer.macro = macro;
    return value;
  }
  static Value function(const NativeFunction *function) {
    Value value(Kind::Function);
    value.pointer.function = function;
    return value;
  }
  static Value method(const Method *method) {
    Value value(Kind::Method);
    value.pointer.method = method;
    return value;
  }

  Kind kind() const { return tag; }
  bool is(Kind kind) const { return tag == kind; }
  bool isUndefined() const { return tag == Kind::Undefined; }
  bool isString() const { return tag == Kind::String; }
  /// Booleans are integers, as in Python.
  bool isInteger() const {
    return tag == Kind::Integer || tag == Kind::Boolean;
  }
  bool isNumber() const { return isInteger() || tag == Kind::Float; }
  bool isSequence() const { return tag == Kind::List || tag == Kind::Tuple; }
  bool isCallable() const {
    return tag == Kind::Macro || tag == Kind::Function || tag == Kind::Method;
  }

  const std::string *undefinedName() const { return pointer.name; }
  bool asBoolean() const { return pointer.integer; }
  int64_t asInteger() const { return pointer.integer; }
  /// Of any number.
  double asReal() const {
    return tag == Kind::Float ? pointer.real
                              : static_cast<double>(pointer.integer);
  }
  const Text &asText() const { return *pointer.text; }
  const std::string &asBytes() const { return pointer.text->bytes; }
  List &asList() const { return *pointer.list; }
  Dict &asDict() const { return *pointer.dict; }
  Loop &asLoop() const { return *pointer.loop; }
  const Macro &asMacro() const { return *pointer.macro; }
  const NativeFunction &asFunction() const { return *pointer.function; }
  const Method &asMethod() const { return *pointer.method; }
  /// Whether both are the very same value (`sameas`).
  bool isSame(const Value &other) const;

private:
  explicit Value(Kind kind) : tag(kind) { pointer.integer = 0; }

  Kind tag;
  union {
    int64_t integer;
    double real;
    const std::string *name;
    const Text *text;
    List *list;
    Dict *dict;
    Loop *loop;
    const Macro *macro;
    const NativeFunction *function;
    const Method *method;
  } pointer;
};

struct List {
  std::vector<Value> items;
};

/// Members in the order in which they came.
struct Dict {
  std::vector<std::pair<Value, Value>> members;
};

struct Method {
  Value self;
  const NativeFunction *function;
};

/// Owns what values point to.
class Arena {
public:
  Value string(Text text) {
    count += sizeof(Text) + text.bytes.size();
    return Value::string(&texts.emplace_back(std::move(text)));
  }
  Value trustedString(std::string bytes) {
    return string(Text::trusted(std::move(bytes)));
  }
  Value list(std::vector<Value> items, Kind kind = Kind::List) {
    count += sizeof(List) + items.size() * sizeof(Value);
    return Value::list(&lists.emplace_back(List{std::move(items)}), kind);
  }
  Value dict(Kind kind = Kind::Dict) {
    count += sizeof(Dict);
    return Value::dict(&dicts.emplace_back(), kind);
  }
  Value method(Value self, const NativeFunction *function) {
    count += sizeof(Method);
    return Value::method(&methods.emplace_back(Method{self, function}));
  }

  /// Roughly how many bytes all of it takes.
  size_t bytes() const { return count; }

private:
  size_t count = 0;
  std::deque<Text> texts;
  std::deque<List> lists;
  std::deque<Dict> dicts;
  std::deque<Method> methods;
};

/// Python's name of a value's type, for messages.
std::string_view typeName(const Value &value);
bool truthOf(const Value &value);

/// Python's ==. Stops, with any result, when `budget` is spent.
bool equal(const Value &a, const Value &b, Budget &budget);

Value *find(Dict &dict, const Value &key, Budget &budget);
/// By a key that is a string.
Value *find(Dict &dict, std::string_view key);
/// Adds the member or replaces its value.
void set(Dict &dict, const Value &key, const Value &value, Budget &budget);

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_VALUE_H
