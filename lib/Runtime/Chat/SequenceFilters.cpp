#include "Filters.h"

#include "Operators.h"
#include "Printing.h"
#include "TextTools.h"

#include <algorithm>

namespace pagoda::rt::chat {

namespace {

//===----------------------------------------------------------------------===//
// Attributes and keys of elements
//===----------------------------------------------------------------------===//

/// Follows "a.b.0" from an element, as `attribute=` of many filters means it.
StatusOr<Value> follow(Call &call, const Value &element,
                       const Value &attribute) {
  if (attribute.isInteger())
    return getItem(call.context, element, attribute);
  if (!attribute.isString())
    return invalidArgument("an attribute must be a name, not a ",
                           typeName(attribute));
  Value value = element;
  std::string dot = ".";
  for (Text &part : split(attribute.asText(), &dot, -1, false)) {
    bool isIndex = !part.bytes.empty() && part.bytes.size() < 10 &&
                   std::all_of(
                       part.bytes.begin(), part.bytes.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
    Value key = isIndex ? Value::integer(std::stoll(part.bytes)) : Value();
    if (!isIndex) {
      PAGODA_ASSIGN_OR_RETURN(key, call.context.string(std::move(part)));
    }
    PAGODA_ASSIGN_OR_RETURN(value, getItem(call.context, value, key));
  }
  return value;
}

/// What an element is compared by: an attribute of it perhaps, and in lower
/// case unless case matters.
StatusOr<Value> keyOf(Call &call, Value element, const Value *attribute,
                      bool caseSensitive) {
  if (attribute && !attribute->is(Kind::None)) {
    PAGODA_ASSIGN_OR_RETURN(element, follow(call, element, *attribute));
  }
  if (caseSensitive || !element.isString())
    return element;
  TextBuilder out = call.context.builder();
  changeCase(element.asText(), Case::Lower, out);
  return call.context.string(std::move(out));
}

struct Keyed {
  Value key, element;
};

/// A merge sort of our own: it is stable, stops at an error, and stays within
/// bounds whatever the comparisons say.
Status sortByKey(Call &call, std::vector<Keyed> &items, bool reverse) {
  std::vector<Keyed> buffer(items.size());
  for (size_t width = 1; width < items.size(); width *= 2) {
    for (size_t begin = 0; begin < items.size(); begin += 2 * width) {
      size_t middle = std::min(begin + width, items.size());
      size_t end = std::min(begin + 2 * width, items.size());
      size_t left = begin, right = middle;
      for (size_t at = begin; at < end; ++at) {
        bool takeLeft = right == end;
        if (left < middle && right < end) {
          PAGODA_ASSIGN_OR_RETURN(
              int sign, order(call.context, items[left].key, items[right].key));
          takeLeft = reverse ? sign >= 0 : sign <= 0;
        }
        buffer[at] = takeLeft ? items[left++] : items[right++];
      }
    }
    items.swap(buffer);
  }
  return Status();
}

StatusOr<std::vector<Keyed>> keyedElements(Call &call, const Value *attribute,
                                           bool caseSensitive) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  std::vector<Keyed> keyed;
  for (const Value &element : elements) {
    PAGODA_ASSIGN_OR_RETURN(Value key,
                            keyOf(call, element, attribute, caseSensitive));
    keyed.push_back({key, element});
  }
  return keyed;
}

//===----------------------------------------------------------------------===//
// Filters of whole sequences
//===----------------------------------------------------------------------===//

StatusOr<Value> defaultFilter(Call &call) {
  bool falsy = call.truthOr(1, false) && !truthOf(call.self);
  if (!call.self.isUndefined() && !falsy)
    return call.self;
  return call.has(0) ? *call.bound[0] : call.context.trustedString("");
}

StatusOr<Value> lengthFilter(Call &call) {
  switch (call.self.kind()) {
  case Kind::Undefined:
    return Value::integer(0);
  case Kind::String:
    call.context.budget.spend(call.self.asBytes().size() / 64);
    return Value::integer(
        static_cast<int64_t>(characterCount(call.self.asBytes())));
  case Kind::List:
  case Kind::Tuple:
    return Value::integer(
        static_cast<int64_t>(call.self.asList().items.size()));
  case Kind::Dict:
    return Value::integer(
        static_cast<int64_t>(call.self.asDict().members.size()));
  default:
    return invalidArgument("a value of type ", typeName(call.self),
                           " has no length");
  }
}

StatusOr<Value> listFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  return call.context.arena.list(std::move(elements));
}

StatusOr<Value> firstFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  return elements.empty() ? Value::undefined() : elements.front();
}

StatusOr<Value> lastFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  return elements.empty() ? Value::undefined() : elements.back();
}

StatusOr<Value> reverseFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  std::reverse(elements.begin(), elements.end());
  if (!call.self.isString())
    return call.context.arena.list(std::move(elements));
  TextBuilder out = call.context.builder();
  for (const Value &element : elements)
    out.append(element.asText());
  return call.context.string(std::move(out));
}

StatusOr<Value> joinFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  Value separator;
  if (call.has(0)) {
    PAGODA_ASSIGN_OR_RETURN(separator, stringOf(call.context, *call.bound[0]));
  }
  TextBuilder out = call.context.builder();
  for (size_t i = 0; i < elements.size() && !out.overflowed(); ++i) {
    if (i > 0 && call.has(0))
      out.append(separator.asText());
    Value element = elements[i];
    if (call.has(1) && !call.bound[1]->is(Kind::None)) {
      PAGODA_ASSIGN_OR_RETURN(element, follow(call, element, *call.bound[1]));
    }
    PAGODA_RETURN_IF_ERROR(print(element, out, call.context.budget));
  }
  return call.context.string(std::move(out));
}

StatusOr<Value> itemsFilter(Call &call) {
  if (call.self.isUndefined())
    return call.context.arena.list({});
  if (!call.self.is(Kind::Dict))
    return invalidArgument("'items' takes a mapping, not a ",
                           typeName(call.self));
  std::vector<Value> items;
  for (auto &[key, value] : call.self.asDict().members)
    items.push_back(call.context.arena.list({key, value}, Kind::Tuple));
  return call.context.arena.list(std::move(items));
}

StatusOr<Value> dictSortFilter(Call &call) {
  if (!call.self.is(Kind::Dict))
    return invalidArgument("'dictsort' takes a mapping, not a ",
                           typeName(call.self));
  bool caseSensitive = call.truthOr(0, false);
  bool byValue = false;
  if (call.has(1)) {
    const Value &by = *call.bound[1];
    byValue = by.isString() && by.asBytes() == "value";
    if (!byValue && !(by.isString() && by.asBytes() == "key"))
      return invalidArgument("'dictsort' sorts by 'key' or by 'value'");
  }
  std::vector<Keyed> items;
  for (auto &[name, value] : call.self.asDict().members) {
    PAGODA_ASSIGN_OR_RETURN(
        Value key, keyOf(call, byValue ? value : name, nullptr, caseSensitive));
    items.push_back({key, call.context.arena.list({name, value}, Kind::Tuple)});
  }
  PAGODA_RETURN_IF_ERROR(sortByKey(call, items, call.truthOr(2, false)));
  std::vector<Value> result;
  for (const Keyed &item : items)
    result.push_back(item.element);
  return call.context.arena.list(std::move(result));
}

StatusOr<Value> sortFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(
      std::vector<Keyed> items,
      keyedElements(call, call.bound[2], call.truthOr(1, false)));
  PAGODA_RETURN_IF_ERROR(sortByKey(call, items, call.truthOr(0, false)));
  std::vector<Value> result;
  for (const Keyed &item : items)
    result.push_back(item.element);
  return call.context.arena.list(std::move(result));
}

StatusOr<Value> uniqueFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(
      std::vector<Keyed> items,
      keyedElements(call, call.bound[1], call.truthOr(0, false)));
  std::vector<Value> seen, result;
  for (const Keyed &item : items) {
    if (std::any_of(seen.begin(), seen.end(), [&](const Value &other) {
          return equal(other, item.key, call.context.budget);
        }))
      continue;
    seen.push_back(item.key);
    result.push_back(item.element);
  }
  return call.context.arena.list(std::move(result));
}

/// The least element, or with Sign -1 the greatest; the first of equals.
template <int Sign>
StatusOr<Value> extremeFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(
      std::vector<Keyed> items,
      keyedElements(call, call.bound[1], call.truthOr(0, false)));
  if (items.empty())
    return Value::undefined();
  const Keyed *best = &items[0];
  for (const Keyed &item : items) {
    PAGODA_ASSIGN_OR_RETURN(int sign, order(call.context, item.key, best->key));
    if (sign * Sign < 0)
      best = &item;
  }
  return best->element;
}

StatusOr<Value> sumFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  Value sum = call.valueOr(1, Value::integer(0));
  for (Value element : elements) {
    if (call.has(0) && !call.bound[0]->is(Kind::None)) {
      PAGODA_ASSIGN_OR_RETURN(element, follow(call, element, *call.bound[0]));
    }
    PAGODA_ASSIGN_OR_RETURN(
        sum, arithmetic(call.context, ExprKind::Add, sum, element));
  }
  return sum;
}

StatusOr<Value> attrFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(Value name, stringOf(call.context, *call.bound[0]));
  // Unlike a point in an expression, this looks for no elements.
  if (call.self.is(Kind::Dict) && !findMethod(call.self, name.asBytes()))
    return Value::undefined(&name.asBytes());
  return getAttribute(call.context, call.self, name);
}

//===----------------------------------------------------------------------===//
// Filters that apply others
//===----------------------------------------------------------------------===//

/// The elements of what is not empty: these filters take none and 0 too.
StatusOr<std::vector<Value>> elementsIfAny(Call &call) {
  if (!truthOf(call.self))
    return std::vector<Value>();
  return elementsOf(call.context, call.self);
}

StatusOr<Value> mapFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements, elementsIfAny(call));
  std::vector<Value> result;
  if (call.positional.empty()) {
    const Value *attribute = nullptr, *fallback = nullptr;
    for (auto &[name, value] : call.named) {
      if (name == "attribute")
        attribute = &value;
      else if (name == "default")
        fallback = &value;
      else
        return invalidArgument("'map' has no parameter '", name, "'");
    }
    if (!attribute)
      return invalidArgument("'map' needs a filter or an attribute");
    for (const Value &element : elements) {
      PAGODA_ASSIGN_OR_RETURN(Value value, follow(call, element, *attribute));
      result.push_back(fallback && value.isUndefined() ? *fallback : value);
    }
    return call.context.arena.list(std::move(result));
  }
  const Value &name = call.positional[0];
  const NativeFunction *filter =
      name.isString() ? findFilter(name.asBytes()) : nullptr;
  if (!filter)
    return unsupported("'map' names a filter that is not supported");
  for (const Value &element : elements) {
    Call inner{call.context, element};
    inner.positional.assign(call.positional.begin() + 1, call.positional.end());
    inner.named = call.named;
    PAGODA_ASSIGN_OR_RETURN(Value value, callNative(*filter, inner));
    result.push_back(value);
  }
  return call.context.arena.list(std::move(result));
}

/// select, reject, selectattr, rejectattr: the elements for which a test, or
/// the truth where none is named, comes out as `Wanted`.
template <bool Wanted, bool ByAttribute>
StatusOr<Value> selectFilter(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements, elementsIfAny(call));
  size_t testAt = ByAttribute ? 1 : 0;
  if (call.positional.size() < testAt)
    return invalidArgument("an attribute is needed to select by");
  const NativeFunction *test = nullptr;
  if (call.positional.size() > testAt) {
    const Value &name = call.positional[testAt];
    test = name.isString() ? findTest(name.asBytes()) : nullptr;
    if (!test)
      return unsupported("a filter names a test that is not supported");
  }
  std::vector<Value> result;
  for (const Value &element : elements) {
    Value subject = element;
    if (ByAttribute) {
      PAGODA_ASSIGN_OR_RETURN(subject,
                              follow(call, element, call.positional[0]));
    }
    bool truth = truthOf(subject);
    if (test) {
      Call inner{call.context, subject};
      inner.positional.assign(call.positional.begin() +
                                  static_cast<ptrdiff_t>(testAt) + 1,
                              call.positional.end());
      PAGODA_ASSIGN_OR_RETURN(Value outcome, callNative(*test, inner));
      truth = truthOf(outcome);
    }
    if (truth == Wanted)
      result.push_back(element);
  }
  return call.context.arena.list(std::move(result));
}

constexpr NativeFunction filters[] = {
    {"attr", "name", 1, attrFilter},
    {"count", "", 0, lengthFilter},
    {"d", "default_value boolean", 0, defaultFilter},
    {"default", "default_value boolean", 0, defaultFilter},
    {"dictsort", "case_sensitive by reverse", 0, dictSortFilter},
    {"first", "", 0, firstFilter},
    {"items", "", 0, itemsFilter},
    {"join", "d attribute", 0, joinFilter},
    {"last", "", 0, lastFilter},
    {"length", "", 0, lengthFilter},
    {"list", "", 0, listFilter},
    {"map", "*", 0, mapFilter},
    {"max", "case_sensitive attribute", 0, extremeFilter<-1>},
    {"min", "case_sensitive attribute", 0, extremeFilter<1>},
    {"reject", "*", 0, selectFilter<false, false>},
    {"rejectattr", "*", 0, selectFilter<false, true>},
    {"reverse", "", 0, reverseFilter},
    {"select", "*", 0, selectFilter<true, false>},
    {"selectattr", "*", 0, selectFilter<true, true>},
    {"sort", "reverse case_sensitive attribute", 0, sortFilter},
    {"sum", "attribute start", 0, sumFilter},
    {"unique", "case_sensitive attribute", 0, uniqueFilter},
};

} // namespace

std::span<const NativeFunction> sequenceFilters() { return filters; }

const NativeFunction *findFilter(std::string_view name) {
  const NativeFunction *filter = findIn(textFilters(), name);
  return filter ? filter : findIn(sequenceFilters(), name);
}

} // namespace pagoda::rt::chat
