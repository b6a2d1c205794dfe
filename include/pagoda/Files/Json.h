//===- Json.h - JSON files, read strictly -----------------------*- C++ -*-===//
//
// Reads JSON that may come from anyone: nesting is limited, a key that stands
// twice in an object and text that is not UTF-8 are refused, and every error
// names the file and the line, or the path of the key. For importers, the
// tokenizer, chat requests. Objects keep the order of the text.
//
//   PAGODA_ASSIGN_OR_RETURN(JsonDocument config,
//                           JsonDocument::parseFile("config.json"));
//   PAGODA_ASSIGN_OR_RETURN(int64_t hidden,
//                           config.root().getInt("hidden_size"));
//   // config.json: 'hidden_size' must be an integer, found string
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_FILES_JSON_H
#define PAGODA_FILES_JSON_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pagoda {

enum class JsonKind { Null, Boolean, Integer, Float, String, Array, Object };

/// "null", "boolean", "integer", …
std::string_view jsonKindName(JsonKind kind);

/// A value inside a JsonDocument, which must outlive it. Two pointers; cheap
/// to copy. Where it stands is only worked out when an error has to say so.
class JsonValue {
public:
  JsonKind kind() const;
  bool isNull() const { return kind() == JsonKind::Null; }
  bool isString() const { return kind() == JsonKind::String; }
  bool isArray() const { return kind() == JsonKind::Array; }
  bool isObject() const { return kind() == JsonKind::Object; }

  /// This value as what the caller expects, or an error that names it.
  StatusOr<bool> asBool() const;
  StatusOr<int64_t> asInt() const;
  StatusOr<uint64_t> asUnsigned() const;
  /// Integers count as numbers.
  StatusOr<double> asNumber() const;
  /// The view lives as long as the document.
  StatusOr<std::string_view> asString() const;

  /// Elements of an array or members of an object; 0 for anything else.
  size_t size() const;
  /// The element or member value at `index` < size().
  JsonValue operator[](size_t index) const;
  /// The name of the member at `index` < size(), of an object.
  std::string_view keyAt(size_t index) const;

  /// The member called `key`, if this is an object that has one. Walks the
  /// members: for tables (a vocabulary) iterate instead.
  std::optional<JsonValue> find(std::string_view key) const;
  /// find(), but the member must exist (and may be null).
  StatusOr<JsonValue> get(std::string_view key) const;
  StatusOr<JsonValue> getArray(std::string_view key) const;
  StatusOr<JsonValue> getObject(std::string_view key) const;

  StatusOr<bool> getBool(std::string_view key) const;
  StatusOr<int64_t> getInt(std::string_view key) const;
  StatusOr<uint64_t> getUnsigned(std::string_view key) const;
  StatusOr<double> getNumber(std::string_view key) const;
  StatusOr<std::string_view> getString(std::string_view key) const;

  /// As above, but an absent member or a null gives `fallback`. A member of
  /// another kind is an error all the same.
  StatusOr<bool> getBoolOr(std::string_view key, bool fallback) const;
  StatusOr<int64_t> getIntOr(std::string_view key, int64_t fallback) const;
  StatusOr<double> getNumberOr(std::string_view key, double fallback) const;
  StatusOr<std::string_view> getStringOr(std::string_view key,
                                         std::string_view fallback) const;

  /// The name that the document was given.
  const std::string &documentName() const;
  /// Where this value stands, such as "layers[2].name"; empty for the root.
  /// Walks the document: for messages.
  std::string path() const;
  /// "FILE: 'PATH' MESSAGE" as CorruptData, for checks that the getters do not
  /// make: `value.error("must be a power of two")`.
  Status error(std::string_view message) const;

  /// The library's own value, for code that includes its header.
  const nlohmann::ordered_json &raw() const { return *value; }

private:
  friend class JsonDocument;
  struct Source;
  JsonValue(const Source *source, const nlohmann::ordered_json *value)
      : source(source), value(value) {}
  Status kindError(std::string_view expected) const;
  Status missing(std::string_view key) const;

  const Source *source;
  const nlohmann::ordered_json *value;
};

/// A parsed text. Movable; immutable, so threads may share it.
class JsonDocument {
public:
  static constexpr unsigned maxDepth = 64;

  /// `name` stands in front of error messages: the file, or what the text is
  /// ("request body").
  static StatusOr<JsonDocument> parse(std::string_view text, std::string name);
  /// The path becomes the name in messages.
  static StatusOr<JsonDocument> parseFile(const std::string &path);
  /// Wraps a value that the program built itself.
  static JsonDocument fromValue(nlohmann::ordered_json value, std::string name);

  JsonDocument(JsonDocument &&) noexcept;
  JsonDocument &operator=(JsonDocument &&) noexcept;
  ~JsonDocument();

  JsonValue root() const;
  const std::string &name() const;

private:
  explicit JsonDocument(std::unique_ptr<JsonValue::Source> source);

  std::unique_ptr<JsonValue::Source> source;
};

} // namespace pagoda

#endif // PAGODA_FILES_JSON_H
