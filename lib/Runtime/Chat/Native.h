//===- Native.h - Functions that templates may call -------------*- C++ -*-===//
//
// Filters, tests, methods and global functions are rows of tables: a name, the
// names of the parameters, and a C++ function. A call binds its arguments to
// the parameters first, as Python does.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_NATIVE_H
#define PAGODA_LIB_RUNTIME_CHAT_NATIVE_H

#include "Budget.h"
#include "Value.h"
#include "pagoda/Base/Status.h"

#include <array>
#include <ctime>
#include <optional>
#include <span>

namespace pagoda::rt::chat {

/// What one rendering shares with the functions that it calls.
struct RenderContext {
  Arena arena;
  Budget budget;
  /// The time that strftime_now() tells.
  std::tm now = {};
  size_t maxArenaBytes = SIZE_MAX;

  /// Counts a step; false when the template has had its share.
  bool step() { return budget.spend() && arena.bytes() <= maxArenaBytes; }

  /// A string of the template's, charged to the budget.
  StatusOr<Value> string(Text text);
  StatusOr<Value> trustedString(std::string bytes) {
    return string(Text::trusted(std::move(bytes)));
  }
  /// What `builder` has put together.
  StatusOr<Value> string(TextBuilder builder);
  TextBuilder builder() const { return TextBuilder(budget.bytesLeft()); }
};

/// "the template takes too many steps or too much memory".
Status overBudget();

struct Call {
  static constexpr size_t maxParameters = 6;

  RenderContext &context;
  /// What a filter, test or method works on.
  Value self;
  std::vector<Value> positional = {};
  std::vector<std::pair<std::string_view, Value>> named = {};
  /// By parameter, after binding; null where nothing was given.
  std::array<const Value *, maxParameters> bound = {};

  bool has(size_t parameter) const { return bound[parameter]; }
  Value valueOr(size_t parameter, Value fallback) const {
    return bound[parameter] ? *bound[parameter] : fallback;
  }
  bool truthOr(size_t parameter, bool fallback) const {
    return bound[parameter] ? truthOf(*bound[parameter]) : fallback;
  }
  StatusOr<int64_t> integerOr(size_t parameter, int64_t fallback) const;
};

/// The `loop` of a for statement. Its elements may have a condition, which is
/// only tried as far as somebody looks.
struct Loop {
  virtual ~Loop() = default;
  /// Whether there is an element with that index.
  virtual StatusOr<bool> has(size_t index) = 0;
  /// Of an index that there is.
  virtual Value element(size_t index) const = 0;
  virtual StatusOr<size_t> length() = 0;

  /// Of the element whose turn it is.
  size_t index = 0;
  /// What changed() was asked about last.
  std::optional<std::vector<Value>> watched;
};

struct NativeFunction {
  std::string_view name;
  /// Separated by spaces. "*" alone: takes everything as it comes.
  std::string_view parameters;
  /// How many of them must be given.
  unsigned required;
  StatusOr<Value> (*run)(Call &call);
};

/// Binds the arguments and runs the function.
StatusOr<Value> callNative(const NativeFunction &function, Call &call);

const NativeFunction *findFilter(std::string_view name);
const NativeFunction *findTest(std::string_view name);
/// A method of `self`'s type.
const NativeFunction *findMethod(const Value &self, std::string_view name);
const NativeFunction *findFunction(std::string_view name);

/// Looks `name` up in a table.
const NativeFunction *findIn(std::span<const NativeFunction> table,
                             std::string_view name);

/// The elements that a for statement would see. Errors: a value that has none.
StatusOr<std::vector<Value>> elementsOf(RenderContext &context,
                                        const Value &value);
/// `object.name` and `object["name"]`: an attribute, a method, an element, or
/// undefined.
StatusOr<Value> getAttribute(RenderContext &context, const Value &object,
                             const Value &name);
StatusOr<Value> getItem(RenderContext &context, const Value &object,
                        const Value &key);

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_NATIVE_H
