#include "Printing.h"
#include "TextTools.h"

#include <algorithm>

namespace pagoda::rt::chat {

namespace {

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

const Text &selfText(const Call &call) { return call.self.asText(); }

StatusOr<const Text *> textArgument(const Call &call, size_t parameter) {
  if (!call.bound[parameter]->isString())
    return invalidArgument("a text is expected, not a ",
                           typeName(*call.bound[parameter]));
  return &call.bound[parameter]->asText();
}

template <Side From>
StatusOr<Value> stripMethod(Call &call) {
  const std::string *characters = nullptr;
  if (call.has(0) && !call.bound[0]->is(Kind::None)) {
    PAGODA_ASSIGN_OR_RETURN(const Text *text, textArgument(call, 0));
    characters = &text->bytes;
  }
  return call.context.string(strip(selfText(call), characters, From));
}

template <Case To>
StatusOr<Value> caseMethod(Call &call) {
  TextBuilder out = call.context.builder();
  changeCase(selfText(call), To, out);
  return call.context.string(std::move(out));
}

StatusOr<Value> listOf(Call &call, std::vector<Text> parts) {
  std::vector<Value> items;
  if (!call.context.budget.spendBytes(parts.size() * 64))
    return overBudget();
  for (Text &part : parts) {
    PAGODA_ASSIGN_OR_RETURN(Value item, call.context.string(std::move(part)));
    items.push_back(item);
  }
  return call.context.arena.list(std::move(items));
}

template <bool FromRight>
StatusOr<Value> splitMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(int64_t count, call.integerOr(1, -1));
  if (!call.has(0) || call.bound[0]->is(Kind::None))
    return listOf(call, split(selfText(call), nullptr, count, FromRight));
  PAGODA_ASSIGN_OR_RETURN(const Text *separator, textArgument(call, 0));
  if (separator->bytes.empty())
    return invalidArgument("the separator of 'split' is empty");
  return listOf(call,
                split(selfText(call), &separator->bytes, count, FromRight));
}

StatusOr<Value> splitLinesMethod(Call &call) {
  return listOf(call, splitLines(selfText(call), call.truthOr(0, false)));
}

template <bool FromRight>
StatusOr<Value> partitionMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *separator, textArgument(call, 0));
  if (separator->bytes.empty())
    return invalidArgument("the separator of 'partition' is empty");
  std::vector<Text> parts =
      split(selfText(call), &separator->bytes, 1, FromRight);
  if (parts.size() == 2)
    parts.insert(parts.begin() + 1, *separator);
  else if (FromRight)
    parts.insert(parts.begin(), 2, Text());
  else
    parts.insert(parts.end(), 2, Text());
  PAGODA_ASSIGN_OR_RETURN(Value list, listOf(call, std::move(parts)));
  return Value::list(&list.asList(), Kind::Tuple);
}

/// startswith and endswith, with one text or a tuple of some.
template <bool AtEnd>
StatusOr<Value> affixMethod(Call &call) {
  std::vector<Value> options = {*call.bound[0]};
  if (call.bound[0]->is(Kind::Tuple))
    options = call.bound[0]->asList().items;
  std::string_view text = selfText(call).bytes;
  for (const Value &option : options) {
    if (!option.isString())
      return invalidArgument("a text is expected, not a ", typeName(option));
    std::string_view affix = option.asBytes();
    if (AtEnd ? text.ends_with(affix) : text.starts_with(affix))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

template <bool AtEnd>
StatusOr<Value> removeAffixMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *affix, textArgument(call, 0));
  const Text &text = selfText(call);
  size_t size = text.bytes.size(), cut = affix->bytes.size();
  if (AtEnd ? text.bytes.ends_with(affix->bytes)
            : text.bytes.starts_with(affix->bytes))
    return call.context.string(AtEnd ? text.slice(0, size - cut)
                                     : text.slice(cut, size));
  return call.self;
}

StatusOr<Value> replaceMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *old, textArgument(call, 0));
  PAGODA_ASSIGN_OR_RETURN(const Text *by, textArgument(call, 1));
  PAGODA_ASSIGN_OR_RETURN(int64_t count, call.integerOr(2, -1));
  TextBuilder out = call.context.builder();
  replace(selfText(call), *old, *by, count, out);
  return call.context.string(std::move(out));
}

template <bool FromRight, bool MustExist>
StatusOr<Value> findMethodOf(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *part, textArgument(call, 0));
  const std::string &text = selfText(call).bytes;
  size_t at = FromRight ? text.rfind(part->bytes) : text.find(part->bytes);
  call.context.budget.spend(text.size() / 64);
  if (at != text.npos)
    return Value::integer(static_cast<int64_t>(
        characterCount(std::string_view(text).substr(0, at))));
  if (MustExist)
    return invalidArgument("the text that is looked for is not there");
  return Value::integer(-1);
}

StatusOr<Value> countMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(const Text *part, textArgument(call, 0));
  const Text &text = selfText(call);
  if (part->bytes.empty())
    return Value::integer(static_cast<int64_t>(characterCount(text.bytes) + 1));
  return Value::integer(
      static_cast<int64_t>(split(text, &part->bytes, -1, false).size() - 1));
}

StatusOr<Value> joinMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, *call.bound[0]));
  TextBuilder out = call.context.builder();
  for (size_t i = 0; i < elements.size() && !out.overflowed(); ++i) {
    if (!elements[i].isString())
      return invalidArgument("'join' joins texts, not a value of type ",
                             typeName(elements[i]));
    if (i > 0)
      out.append(selfText(call));
    out.append(elements[i].asText());
  }
  return call.context.string(std::move(out));
}

StatusOr<Value> formatMethod(Call &call) {
  TextBuilder out = call.context.builder();
  PAGODA_RETURN_IF_ERROR(format(call, selfText(call), out));
  return call.context.string(std::move(out));
}

/// Whether the text is not empty and all bytes are in one of two ranges.
template <char A, char B, char C, char D>
StatusOr<Value> allInMethod(Call &call) {
  const std::string &text = selfText(call).bytes;
  return Value::boolean(!text.empty() &&
                        std::all_of(text.begin(), text.end(), [](char c) {
                          return (c >= A && c <= B) || (c >= C && c <= D);
                        }));
}

template <bool Upper>
StatusOr<Value> isCaseMethod(Call &call) {
  // The text is in a case if changing to it changes nothing, and changing to
  // the other does.
  TextBuilder same = call.context.builder(), other = call.context.builder();
  changeCase(selfText(call), Upper ? Case::Upper : Case::Lower, same);
  changeCase(selfText(call), Upper ? Case::Lower : Case::Upper, other);
  const std::string &text = selfText(call).bytes;
  return Value::boolean(same.view().bytes == text &&
                        other.view().bytes != text);
}

StatusOr<Value> isSpaceMethod(Call &call) {
  Text rest = strip(selfText(call), nullptr, Side::Both);
  return Value::boolean(rest.bytes.empty() && !selfText(call).bytes.empty());
}

constexpr NativeFunction stringMethods[] = {
    {"capitalize", "", 0, caseMethod<Case::Capital>},
    {"count", "sub", 1, countMethod},
    {"endswith", "suffix", 1, affixMethod<true>},
    {"find", "sub", 1, findMethodOf<false, false>},
    {"format", "*", 0, formatMethod},
    {"index", "sub", 1, findMethodOf<false, true>},
    {"isalpha", "", 0, allInMethod<'a', 'z', 'A', 'Z'>},
    {"isdigit", "", 0, allInMethod<'0', '9', '0', '9'>},
    {"islower", "", 0, isCaseMethod<false>},
    {"isspace", "", 0, isSpaceMethod},
    {"isupper", "", 0, isCaseMethod<true>},
    {"join", "iterable", 1, joinMethod},
    {"lower", "", 0, caseMethod<Case::Lower>},
    {"lstrip", "chars", 0, stripMethod<Side::Left>},
    {"partition", "sep", 1, partitionMethod<false>},
    {"removeprefix", "prefix", 1, removeAffixMethod<false>},
    {"removesuffix", "suffix", 1, removeAffixMethod<true>},
    {"replace", "old new count", 2, replaceMethod},
    {"rfind", "sub", 1, findMethodOf<true, false>},
    {"rpartition", "sep", 1, partitionMethod<true>},
    {"rsplit", "sep maxsplit", 0, splitMethod<true>},
    {"rstrip", "chars", 0, stripMethod<Side::Right>},
    {"split", "sep maxsplit", 0, splitMethod<false>},
    {"splitlines", "keepends", 0, splitLinesMethod},
    {"startswith", "prefix", 1, affixMethod<false>},
    {"strip", "chars", 0, stripMethod<Side::Both>},
    {"title", "", 0, caseMethod<Case::Title>},
    {"upper", "", 0, caseMethod<Case::Upper>},
};

//===----------------------------------------------------------------------===//
// Lists and tuples
//===----------------------------------------------------------------------===//

StatusOr<Value> appendMethod(Call &call) {
  if (!call.context.budget.spendBytes(sizeof(Value)))
    return overBudget();
  call.self.asList().items.push_back(*call.bound[0]);
  return Value::none();
}

StatusOr<Value> extendMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, *call.bound[0]));
  if (!call.context.budget.spendBytes(elements.size() * sizeof(Value)))
    return overBudget();
  auto &items = call.self.asList().items;
  items.insert(items.end(), elements.begin(), elements.end());
  return Value::none();
}

StatusOr<Value> insertMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(int64_t index, call.integerOr(0, 0));
  auto &items = call.self.asList().items;
  auto size = static_cast<int64_t>(items.size());
  if (!call.context.budget.spendBytes(sizeof(Value)) ||
      !call.context.budget.spend(items.size() / 16))
    return overBudget();
  if (index < 0)
    index += size;
  items.insert(items.begin() + std::clamp<int64_t>(index, 0, size),
               *call.bound[1]);
  return Value::none();
}

StatusOr<Value> popListMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(int64_t index, call.integerOr(0, -1));
  auto &items = call.self.asList().items;
  if (index < 0)
    index += static_cast<int64_t>(items.size());
  if (index < 0 || index >= static_cast<int64_t>(items.size()))
    return invalidArgument("'pop' from a list of ", items.size(),
                           " elements with index ", index);
  call.context.budget.spend(items.size() / 16);
  Value item = items[static_cast<size_t>(index)];
  items.erase(items.begin() + index);
  return item;
}

StatusOr<Value> countListMethod(Call &call) {
  int64_t count = 0;
  for (const Value &item : call.self.asList().items)
    count += equal(item, *call.bound[0], call.context.budget);
  return Value::integer(count);
}

StatusOr<Value> indexListMethod(Call &call) {
  const auto &items = call.self.asList().items;
  for (size_t i = 0; i < items.size(); ++i)
    if (equal(items[i], *call.bound[0], call.context.budget))
      return Value::integer(static_cast<int64_t>(i));
  return invalidArgument("the element that is looked for is not there");
}

StatusOr<Value> copyListMethod(Call &call) {
  PAGODA_ASSIGN_OR_RETURN(std::vector<Value> elements,
                          elementsOf(call.context, call.self));
  return call.context.arena.list(std::move(elements));
}

constexpr NativeFunction listMethods[] = {
    // What tuples have too comes first.
    {"count", "value", 1, countListMethod},
    {"index", "value", 1, indexListMethod},
    {"append", "object", 1, appendMethod},
    {"copy", "", 0, copyListMethod},
    {"extend", "iterable", 1, extendMethod},
    {"insert", "index object", 2, insertMethod},
    {"pop", "index", 0, popListMethod},
};
constexpr size_t tupleMethods = 2;

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

enum class Part : uint8_t { Keys, Values, Both };

template <Part Which>
StatusOr<Value> membersMethod(Call &call) {
  std::vector<Value> items;
  for (auto &[key, value] : call.self.asDict().members)
    items.push_back(Which == Part::Keys ? key
                    : Which == Part::Values
                        ? value
                        : call.context.arena.list({key, value}, Kind::Tuple));
  if (!call.context.budget.spend(items.size()) ||
      !call.context.budget.spendBytes(items.size() * 64))
    return overBudget();
  return call.context.arena.list(std::move(items));
}

StatusOr<Value> getMethod(Call &call) {
  const Value *value =
      find(call.self.asDict(), *call.bound[0], call.context.budget);
  return value ? *value : call.valueOr(1, Value::none());
}

StatusOr<Value> popDictMethod(Call &call) {
  auto &members = call.self.asDict().members;
  for (auto at = members.begin(); at != members.end(); ++at)
    if (equal(at->first, *call.bound[0], call.context.budget)) {
      Value value = at->second;
      members.erase(at);
      return value;
    }
  if (call.has(1))
    return *call.bound[1];
  return invalidArgument("'pop' finds no such key");
}

StatusOr<Value> setDefaultMethod(Call &call) {
  if (const Value *value =
          find(call.self.asDict(), *call.bound[0], call.context.budget))
    return *value;
  Value value = call.valueOr(1, Value::none());
  call.self.asDict().members.emplace_back(*call.bound[0], value);
  return value;
}

StatusOr<Value> updateMethod(Call &call) {
  for (const Value &other : call.positional) {
    if (!other.is(Kind::Dict))
      return invalidArgument("'update' takes mappings, not a ",
                             typeName(other));
    // Not while walking the mapping itself.
    auto members = other.asDict().members;
    for (auto &[key, value] : members)
      set(call.self.asDict(), key, value, call.context.budget);
  }
  for (auto &[name, value] : call.named) {
    PAGODA_ASSIGN_OR_RETURN(Value key,
                            call.context.trustedString(std::string(name)));
    set(call.self.asDict(), key, value, call.context.budget);
  }
  return Value::none();
}

StatusOr<Value> copyDictMethod(Call &call) {
  Value copy = call.context.arena.dict();
  copy.asDict().members = call.self.asDict().members;
  if (!call.context.budget.spendBytes(copy.asDict().members.size() * 32))
    return overBudget();
  return copy;
}

constexpr NativeFunction dictMethods[] = {
    {"copy", "", 0, copyDictMethod},
    {"get", "key default", 1, getMethod},
    {"items", "", 0, membersMethod<Part::Both>},
    {"keys", "", 0, membersMethod<Part::Keys>},
    {"pop", "key default", 1, popDictMethod},
    {"setdefault", "key default", 1, setDefaultMethod},
    {"update", "*", 0, updateMethod},
    {"values", "", 0, membersMethod<Part::Values>},
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

StatusOr<Value> cycleMethod(Call &call) {
  if (call.positional.empty())
    return invalidArgument("'cycle' needs values");
  return call.positional[call.self.asLoop().index % call.positional.size()];
}

StatusOr<Value> changedMethod(Call &call) {
  Loop &loop = call.self.asLoop();
  bool same = loop.watched && loop.watched->size() == call.positional.size();
  for (size_t i = 0; same && i < call.positional.size(); ++i)
    same = equal((*loop.watched)[i], call.positional[i], call.context.budget);
  loop.watched = call.positional;
  return Value::boolean(!same);
}

constexpr NativeFunction loopMethods[] = {
    {"changed", "*", 0, changedMethod},
    {"cycle", "*", 0, cycleMethod},
};

} // namespace

const NativeFunction *findMethod(const Value &self, std::string_view name) {
  switch (self.kind()) {
  case Kind::String:
    return findIn(stringMethods, name);
  case Kind::List:
    return findIn(listMethods, name);
  case Kind::Tuple:
    return findIn(std::span(listMethods).first(tupleMethods), name);
  case Kind::Dict:
    return findIn(dictMethods, name);
  case Kind::Loop:
    return findIn(loopMethods, name);
  default:
    return nullptr;
  }
}

} // namespace pagoda::rt::chat
