#include "pagoda/Files/Json.h"

#include "pagoda/Base/MappedFile.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace pagoda {

using nlohmann::ordered_json;

struct JsonValue::Source {
  std::string name;
  ordered_json root;
};

namespace {

/// Text from a file on its way into a message: short, and without the control
/// characters that would steer a terminal.
std::string printable(std::string_view text, size_t limit = 80) {
  bool cut = text.size() > limit;
  if (cut) {
    // Not in the middle of a UTF-8 sequence.
    while (limit && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80)
      --limit;
    text = text.substr(0, limit);
  }
  std::string clean(text);
  for (char &c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return cut ? clean + "…" : clean;
}

JsonKind kindOf(const ordered_json &value) {
  switch (value.type()) {
  case nlohmann::detail::value_t::boolean:
    return JsonKind::Boolean;
  case nlohmann::detail::value_t::number_integer:
  case nlohmann::detail::value_t::number_unsigned:
    return JsonKind::Integer;
  case nlohmann::detail::value_t::number_float:
    return JsonKind::Float;
  case nlohmann::detail::value_t::string:
    return JsonKind::String;
  case nlohmann::detail::value_t::array:
    return JsonKind::Array;
  case nlohmann::detail::value_t::object:
    return JsonKind::Object;
  case nlohmann::detail::value_t::null:
  case nlohmann::detail::value_t::binary:
  case nlohmann::detail::value_t::discarded:
    break;
  }
  return JsonKind::Null;
}

/// Feeds the parser and leaves a trace of how far it has read: its events
/// carry no position of their own.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *at;
  const char **reached;

  reference operator*() const { return *at; }
  CountingIterator &operator++() {
    *reached = ++at;
    return *this;
  }
  bool operator==(const CountingIterator &other) const {
    return at == other.at;
  }
};

/// Builds the tree and refuses what the library would let pass. (Its own
/// builder searches an ordered object at every insertion, which is quadratic
/// in the size of a vocabulary.)
class Builder {
public:
  explicit Builder(ordered_json &root) : root(root) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string &) { return add(value); }
  bool string(std::string &value) { return add(std::move(value)); }
  bool binary(ordered_json::binary_t &) { return fail("binary value"); }

  bool start_object(size_t) { return open(ordered_json::object()); }
  bool start_array(size_t) { return open(ordered_json::array()); }
  bool key(std::string &name) {
    auto &object = stack.back()->get_ref<ordered_json::object_t &>();
    object.emplace_back(std::move(name), nullptr);
    slot = &object.back().second;
    return true;
  }
  bool end_array() {
    stack.pop_back();
    return true;
  }
  bool end_object() {
    auto &object = stack.back()->get_ref<ordered_json::object_t &>();
    stack.pop_back();
    if (const std::string *twice = duplicateKey(object))
      return fail(concat("key '", printable(*twice),
                         "' stands twice in the object that ends here"));
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &error) {
    // "[json.exception…] parse error at …: while parsing value - DETAIL; last
    // read: '…'". Position and excerpt are said by our own message.
    std::string_view text = error.what();
    if (size_t dash = text.find(" - "); dash != text.npos)
      text.remove_prefix(dash + 3);
    else if (size_t bracket = text.find("] "); bracket != text.npos)
      text.remove_prefix(bracket + 2);
    std::string detail(text.substr(0, text.find("; last read")));
    size_t expected = text.rfind("; expected");
    if (expected != text.npos && expected >= detail.size())
      detail += text.substr(expected);
    errorPosition = position;
    return fail(printable(detail, 160));
  }

  const std::string &message() const { return failure; }
  /// Bytes up to the end of the offending token, where the library says so:
  /// it reads one character past a number.
  std::optional<size_t> position() const { return errorPosition; }

private:
  bool fail(std::string message) {
    failure = std::move(message);
    return false;
  }

  /// Puts `value` where the last key or the open array wants it; `slot` then
  /// points to it.
  bool add(ordered_json value) {
    if (stack.empty()) {
      root = std::move(value);
      slot = &root;
    } else if (stack.back()->is_array()) {
      auto &array = stack.back()->get_ref<ordered_json::array_t &>();
      array.push_back(std::move(value));
      slot = &array.back();
    } else {
      *slot = std::move(value);
    }
    return true;
  }

  bool open(ordered_json container) {
    if (stack.size() == JsonDocument::maxDepth)
      return fail(concat("nesting is deeper than ", JsonDocument::maxDepth));
    add(std::move(container));
    stack.push_back(slot);
    return true;
  }

  /// Sorting keeps this n log n whatever the keys are.
  static const std::string *duplicateKey(const ordered_json::object_t &object) {
    if (object.size() < 2)
      return nullptr;
    std::vector<const std::string *> keys;
    keys.reserve(object.size());
    for (const auto &member : object)
      keys.push_back(&member.first);
    std::sort(keys.begin(), keys.end(),
              [](auto *a, auto *b) { return *a < *b; });
    auto twice = std::adjacent_find(keys.begin(), keys.end(),
                                    [](auto *a, auto *b) { return *a == *b; });
    return twice == keys.end() ? nullptr : *twice;
  }

  ordered_json &root;
  /// The open containers. A container does not move while it is open: its
  /// parent only grows after it is closed.
  std::vector<ordered_json *> stack;
  ordered_json *slot = nullptr;
  std::string failure;
  std::optional<size_t> errorPosition;
};

/// "line 3, column 7" of the character that ends at `end`.
std::string lineAndColumn(std::string_view text, size_t end) {
  size_t line = 1, column = 0;
  end = std::min(end, text.size());
  for (size_t i = 0; i < end; ++i) {
    // Continuation bytes are part of the character before them.
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
      ++column;
    if (text[i] == '\n' && i + 1 < end) {
      ++line;
      column = 0;
    }
  }
  return concat("line ", line, ", column ", column);
}

bool findPath(const ordered_json &from, const ordered_json *target,
              std::string &path) {
  if (&from == target)
    return true;
  size_t length = path.size();
  if (from.is_array()) {
    for (size_t i = 0; i < from.size(); ++i) {
      path += concat('[', i, ']');
      if (findPath(from[i], target, path))
        return true;
      path.resize(length);
    }
  } else if (from.is_object()) {
    for (const auto &[key, value] :
         from.get_ref<const ordered_json::object_t &>()) {
      if (length)
        path += '.';
      path += printable(key);
      if (findPath(value, target, path))
        return true;
      path.resize(length);
    }
  }
  return false;
}

std::string_view withArticle(JsonKind kind) {
  switch (kind) {
  case JsonKind::Null:
    return "null";
  case JsonKind::Boolean:
    return "a boolean";
  case JsonKind::Integer:
    return "an integer";
  case JsonKind::Float:
    return "a number";
  case JsonKind::String:
    return "a string";
  case JsonKind::Array:
    return "an array";
  case JsonKind::Object:
    return "an object";
  }
  return "a value";
}

} // namespace

std::string_view jsonKindName(JsonKind kind) {
  static constexpr std::string_view names[] = {
      "null", "boolean", "integer", "float", "string", "array", "object"};
  return names[static_cast<unsigned>(kind)];
}

//===----------------------------------------------------------------------===//
// JsonValue
//===----------------------------------------------------------------------===//

JsonKind JsonValue::kind() const { return kindOf(*value); }

const std::string &JsonValue::documentName() const { return source->name; }

std::string JsonValue::path() const {
  std::string path;
  findPath(source->root, value, path);
  return path;
}

Status JsonValue::error(std::string_view message) const {
  if (value == &source->root)
    return corruptData(source->name, ": the document ", message);
  return corruptData(source->name, ": '", path(), "' ", message);
}

Status JsonValue::kindError(std::string_view expected) const {
  return error(concat("must be ", expected, ", found ", jsonKindName(kind())));
}

Status JsonValue::missing(std::string_view key) const {
  if (!isObject())
    return kindError("an object");
  std::string prefix = path();
  if (!prefix.empty())
    prefix += '.';
  return corruptData(source->name, ": '", prefix, key, "' is missing");
}

StatusOr<bool> JsonValue::asBool() const {
  if (!value->is_boolean())
    return kindError("a boolean");
  return value->get_ref<const bool &>();
}

StatusOr<int64_t> JsonValue::asInt() const {
  if (value->is_number_unsigned()) {
    auto number = value->get_ref<const uint64_t &>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return error("does not fit in 64 bits with a sign");
    return static_cast<int64_t>(number);
  }
  if (!value->is_number_integer())
    return kindError("an integer");
  return value->get_ref<const int64_t &>();
}

StatusOr<uint64_t> JsonValue::asUnsigned() const {
  if (value->is_number_unsigned())
    return value->get_ref<const uint64_t &>();
  if (!value->is_number_integer())
    return kindError("an integer");
  // Values that the program built itself may hold small numbers as signed.
  int64_t number = value->get_ref<const int64_t &>();
  if (number < 0)
    return error("must not be negative");
  return static_cast<uint64_t>(number);
}

StatusOr<double> JsonValue::asNumber() const {
  if (!value->is_number())
    return kindError("a number");
  return value->get<double>();
}

StatusOr<std::string_view> JsonValue::asString() const {
  if (!value->is_string())
    return kindError("a string");
  return std::string_view(value->get_ref<const std::string &>());
}

size_t JsonValue::size() const {
  return value->is_structured() ? value->size() : 0;
}

JsonValue JsonValue::operator[](size_t index) const {
  assert(index < size() && "index out of range");
  if (value->is_array())
    return {source, &value->get_ref<const ordered_json::array_t &>()[index]};
  const auto &object = value->get_ref<const ordered_json::object_t &>();
  return {source, &object.begin()[static_cast<ptrdiff_t>(index)].second};
}

std::string_view JsonValue::keyAt(size_t index) const {
  assert(isObject() && index < size() && "no such member");
  const auto &object = value->get_ref<const ordered_json::object_t &>();
  return object.begin()[static_cast<ptrdiff_t>(index)].first;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (isObject())
    for (const auto &[name, member] :
         value->get_ref<const ordered_json::object_t &>())
      if (name == key)
        return JsonValue(source, &member);
  return std::nullopt;
}

StatusOr<JsonValue> JsonValue::get(std::string_view key) const {
  if (auto member = find(key))
    return *member;
  return missing(key);
}

StatusOr<JsonValue> JsonValue::getArray(std::string_view key) const {
  PAGODA_ASSIGN_OR_RETURN(JsonValue member, get(key));
  if (!member.isArray())
    return member.kindError(withArticle(JsonKind::Array));
  return member;
}

StatusOr<JsonValue> JsonValue::getObject(std::string_view key) const {
  PAGODA_ASSIGN_OR_RETURN(JsonValue member, get(key));
  if (!member.isObject())
    return member.kindError(withArticle(JsonKind::Object));
  return member;
}

StatusOr<bool> JsonValue::getBool(std::string_view key) const {
  PAGODA_ASSIGN_OR_RETURN(JsonValue member, get(key));
  return member.asBool();
}

StatusOr<int64_t> JsonValue::getInt(std::string_view key) const {
  PAGODA_ASSIGN_OR_RETURN(JsonValue member, get(key));
  return member.asInt();
}

StatusOr<uint64_t> JsonValue::getUnsigned(std::string_view key) const {
  PAGODA_ASSIGN_OR_RETURN(JsonValue member, get(key));
  return member.asUnsigned();
}

StatusOr<double> JsonValue::getNumber(std::string_view key) const {
  PAGODA_ASSIGN_OR_RETURN(JsonValue member, get(key));
  return member.asNumber();
}

StatusOr<std::string_view> JsonValue::getString(std::string_view key) const {
  PAGODA_ASSIGN_OR_RETURN(JsonValue member, get(key));
  return member.asString();
}

StatusOr<bool> JsonValue::getBoolOr(std::string_view key, bool fallback) const {
  auto member = find(key);
  return member && !member->isNull() ? member->asBool() : fallback;
}

StatusOr<int64_t> JsonValue::getIntOr(std::string_view key,
                                      int64_t fallback) const {
  auto member = find(key);
  return member && !member->isNull() ? member->asInt() : fallback;
}

StatusOr<double> JsonValue::getNumberOr(std::string_view key,
                                        double fallback) const {
  auto member = find(key);
  return member && !member->isNull() ? member->asNumber() : fallback;
}

StatusOr<std::string_view>
JsonValue::getStringOr(std::string_view key, std::string_view fallback) const {
  auto member = find(key);
  return member && !member->isNull() ? member->asString() : fallback;
}

//===----------------------------------------------------------------------===//
// JsonDocument
//===----------------------------------------------------------------------===//

JsonDocument::JsonDocument(std::unique_ptr<JsonValue::Source> source)
    : source(std::move(source)) {}
JsonDocument::JsonDocument(JsonDocument &&) noexcept = default;
JsonDocument &JsonDocument::operator=(JsonDocument &&) noexcept = default;
JsonDocument::~JsonDocument() = default;

JsonValue JsonDocument::root() const {
  return JsonValue(source.get(), &source->root);
}

const std::string &JsonDocument::name() const { return source->name; }

JsonDocument JsonDocument::fromValue(ordered_json value, std::string name) {
  auto source = std::make_unique<JsonValue::Source>();
  source->name = std::move(name);
  source->root = std::move(value);
  return JsonDocument(std::move(source));
}

StatusOr<JsonDocument> JsonDocument::parse(std::string_view text,
                                           std::string name) {
  auto source = std::make_unique<JsonValue::Source>();
  source->name = std::move(name);
  const char *reached = text.data();
  Builder builder(source->root);
  try {
    CountingIterator first{text.data(), &reached};
    CountingIterator last{text.data() + text.size(), &reached};
    if (!ordered_json::sax_parse(first, last, &builder)) {
      size_t end = builder.position().value_or(reached - text.data());
      return corruptData(source->name, ": ", lineAndColumn(text, end), ": ",
                         builder.message());
    }
  } catch (const std::exception &error) {
    // Memory, in practice: the grammar's errors come through parse_error().
    return resourceExhausted(source->name, ": cannot be read: ", error.what());
  }
  return JsonDocument(std::move(source));
}

StatusOr<JsonDocument> JsonDocument::parseFile(const std::string &path) {
  PAGODA_ASSIGN_OR_RETURN(std::string text, readTextFile(path));
  return parse(text, path);
}

} // namespace pagoda
