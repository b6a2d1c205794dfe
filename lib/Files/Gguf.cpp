//===- Gguf.cpp - Lookup and typed access ---------------------------------===//
//
// What callers ask of a file that GgufParser has checked. Values were checked
// for size there, so that only their kind and their range matter here.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Files/Gguf.h"

#include "ByteReader.h"
#include "QuotedName.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>

namespace pagoda {

namespace {

template <typename T>
T load(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// How messages call a wanted type, alone and in an array.
struct Wanted {
  const char *one;
  const char *many;
  const char *exactly;
};

template <typename T>
constexpr Wanted wanted() {
  if constexpr (std::same_as<T, bool>)
    return {"a bool", "bools", "bool"};
  else if constexpr (std::same_as<T, std::string_view>)
    return {"a string", "strings", "string"};
  else if constexpr (std::floating_point<T>)
    return {"a float", "floats", sizeof(T) == 4 ? "f32" : "f64"};
  else if constexpr (std::is_signed_v<T>)
    return {"an integer", "integers", sizeof(T) == 4 ? "i32" : "i64"};
  else
    return {"an integer", "integers", sizeof(T) == 4 ? "u32" : "u64"};
}

/// Whether values of `type` may be asked for as T.
template <typename T>
bool convertible(GgufValueType type) {
  if (type == GgufValueType::Bool)
    return std::same_as<T, bool>;
  if (type == GgufValueType::String)
    return std::same_as<T, std::string_view>;
  if (type == GgufValueType::F32 || type == GgufValueType::F64)
    return std::floating_point<T>;
  return std::integral<T> && !std::same_as<T, bool>;
}

/// Passes the integer at `at` to `use`, in its own type.
template <typename Use>
auto withInteger(GgufValueType type, const std::byte *at, Use use) {
  switch (type) {
  case GgufValueType::U8:
    return use(load<uint8_t>(at));
  case GgufValueType::I8:
    return use(load<int8_t>(at));
  case GgufValueType::U16:
    return use(load<uint16_t>(at));
  case GgufValueType::I16:
    return use(load<int16_t>(at));
  case GgufValueType::U32:
    return use(load<uint32_t>(at));
  case GgufValueType::I32:
    return use(load<int32_t>(at));
  case GgufValueType::U64:
    return use(load<uint64_t>(at));
  default:
    return use(load<int64_t>(at));
  }
}

/// The number at `at`; an empty text, or the number where it does not fit T.
template <typename T>
std::string convert(GgufValueType type, const std::byte *at, T &result) {
  if constexpr (std::same_as<T, bool>) {
    result = load<uint8_t>(at) != 0;
    return "";
  } else if constexpr (std::floating_point<T>) {
    double number =
        type == GgufValueType::F32 ? double(load<float>(at)) : load<double>(at);
    result = static_cast<T>(number);
    bool fits = std::isfinite(result) || !std::isfinite(number);
    return fits ? "" : concat(number);
  } else {
    return withInteger(type, at, [&](auto stored) -> std::string {
      auto number = +stored; // bytes shall print as numbers
      result = static_cast<T>(number);
      return std::in_range<T>(number) ? "" : concat(number);
    });
  }
}

std::string kindOf(const GgufValue &value) {
  std::string_view name = ggufValueTypeName(value.type);
  return value.isArray ? concat("an array of type ", name)
                       : concat("of type ", name);
}

} // namespace

const GgufValue *GgufFile::findValue(std::string_view key) const {
  auto keyOf = [&](uint32_t i) { return entries[i].key; };
  auto found = std::ranges::lower_bound(entriesByKey, key, {}, keyOf);
  if (found == entriesByKey.end() || keyOf(*found) != key)
    return nullptr;
  return &entries[*found];
}

const GgufTensor *GgufFile::findTensor(std::string_view name) const {
  auto nameOf = [&](uint32_t i) { return table[i].name; };
  auto found = std::ranges::lower_bound(tensorsByName, name, {}, nameOf);
  if (found == tensorsByName.end() || nameOf(*found) != name)
    return nullptr;
  return &table[*found];
}

StatusOr<const GgufTensor *> GgufFile::tensor(std::string_view wanted) const {
  if (const GgufTensor *found = findTensor(wanted))
    return found;
  return notFound(name, ": no tensor ", quotedName(wanted));
}

StatusOr<ElementType> GgufFile::elementType(const GgufTensor &tensor) const {
  if (tensor.type->element)
    return *tensor.type->element;
  return unsupported(name, ": tensor ", quotedName(tensor.name), " has type ",
                     tensor.type->name, ", which Pagoda does not read yet");
}

template <typename T>
StatusOr<T> GgufFile::get(std::string_view key,
                          std::optional<T> otherwise) const {
  const GgufValue *value = findValue(key);
  if (!value && otherwise)
    return *otherwise;
  if (!value)
    return notFound(name, ": no key ", quotedName(key));
  if (value->isArray || !convertible<T>(value->type))
    return corruptData(name, ": key ", quotedName(key), " is ", kindOf(*value),
                       "; ", wanted<T>().one, " is expected");
  if constexpr (std::same_as<T, std::string_view>) {
    return std::string_view(reinterpret_cast<const char *>(value->bytes.data()),
                            value->bytes.size());
  } else {
    T result;
    std::string misfit = convert(value->type, value->bytes.data(), result);
    if (!misfit.empty())
      return corruptData(name, ": key ", quotedName(key), " is ", misfit,
                         ", which does not fit ", wanted<T>().exactly);
    return result;
  }
}

template <typename T>
StatusOr<std::vector<T>> GgufFile::getArray(std::string_view key) const {
  const GgufValue *value = findValue(key);
  if (!value)
    return notFound(name, ": no key ", quotedName(key));
  if (!value->isArray || !convertible<T>(value->type))
    return corruptData(name, ": key ", quotedName(key), " is ", kindOf(*value),
                       "; an array of ", wanted<T>().many, " is expected");
  std::vector<T> result;
  result.reserve(value->count);
  ByteReader reader(value->bytes);
  for (uint64_t i = 0; i < value->count; ++i) {
    if constexpr (std::same_as<T, std::string_view>) {
      uint64_t length = 0;
      std::span<const std::byte> text;
      reader.read(length);
      reader.take(length, text);
      result.emplace_back(reinterpret_cast<const char *>(text.data()),
                          text.size());
    } else {
      std::span<const std::byte> bytes;
      reader.take(ggufValueBytes(value->type), bytes);
      T element;
      std::string misfit = convert(value->type, bytes.data(), element);
      if (!misfit.empty())
        return corruptData(name, ": key ", quotedName(key), " holds ", misfit,
                           " at position ", i, ", which does not fit ",
                           wanted<T>().exactly);
      result.push_back(element);
    }
  }
  return result;
}

StatusOr<bool> GgufFile::getBool(std::string_view key,
                                 std::optional<bool> otherwise) const {
  return get(key, otherwise);
}
StatusOr<uint32_t> GgufFile::getU32(std::string_view key,
                                    std::optional<uint32_t> otherwise) const {
  return get(key, otherwise);
}
StatusOr<int32_t> GgufFile::getI32(std::string_view key,
                                   std::optional<int32_t> otherwise) const {
  return get(key, otherwise);
}
StatusOr<uint64_t> GgufFile::getU64(std::string_view key,
                                    std::optional<uint64_t> otherwise) const {
  return get(key, otherwise);
}
StatusOr<int64_t> GgufFile::getI64(std::string_view key,
                                   std::optional<int64_t> otherwise) const {
  return get(key, otherwise);
}
StatusOr<float> GgufFile::getF32(std::string_view key,
                                 std::optional<float> otherwise) const {
  return get(key, otherwise);
}
StatusOr<double> GgufFile::getF64(std::string_view key,
                                  std::optional<double> otherwise) const {
  return get(key, otherwise);
}
StatusOr<std::string_view>
GgufFile::getString(std::string_view key,
                    std::optional<std::string_view> otherwise) const {
  return get(key, otherwise);
}

StatusOr<std::vector<bool>> GgufFile::getBools(std::string_view key) const {
  return getArray<bool>(key);
}
StatusOr<std::vector<int32_t>> GgufFile::getI32s(std::string_view key) const {
  return getArray<int32_t>(key);
}
StatusOr<std::vector<int64_t>> GgufFile::getI64s(std::string_view key) const {
  return getArray<int64_t>(key);
}
StatusOr<std::vector<float>> GgufFile::getF32s(std::string_view key) const {
  return getArray<float>(key);
}
StatusOr<std::vector<double>> GgufFile::getF64s(std::string_view key) const {
  return getArray<double>(key);
}
StatusOr<std::vector<std::string_view>>
GgufFile::getStrings(std::string_view key) const {
  return getArray<std::string_view>(key);
}

} // namespace pagoda
