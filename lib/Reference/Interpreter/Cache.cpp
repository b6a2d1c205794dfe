#include "pagoda/Reference/Interpreter/Cache.h"

#include <algorithm>
#include <limits>

namespace pagoda::reference {

Status Cache::append(const Batch &batch, int64_t layer, const Tensor &key,
                     const Tensor &value) {
  ++appends;
  auto row = [](const Tensor &tensor, int64_t t) {
    int64_t width = tensor.elements() / tensor.shape[0];
    auto first = tensor.numbers.begin() + t * width;
    return std::vector<double>(first, first + width);
  };
  for (int64_t t = 0; t < batch.tokens(); ++t) {
    PAGODA_ASSIGN_OR_RETURN(Entry * entry, place(batch, t, layer));
    *entry = {row(key, t), row(value, t), appends};
  }
  return {};
}

KeyAndValue Cache::read(const Batch &batch, int64_t s, int64_t index,
                        int64_t layer, uint64_t version, int64_t width) const {
  const Entry *entry = find(batch, s, index, layer);
  if (entry && entry->version <= version &&
      static_cast<int64_t>(entry->key.size()) == width)
    return {entry->key, entry->value};
  nothing.resize(std::max<size_t>(nothing.size(), width),
                 std::numeric_limits<double>::quiet_NaN());
  std::span<const double> nan(nothing.data(), width);
  return {nan, nan};
}

StatusOr<Cache::Entry *> AbstractCache::place(const Batch &batch, int64_t t,
                                              int64_t layer) {
  int64_t s = batch.sequenceOf(t);
  std::vector<Entry> &list = lists[{batch.sequence[s], layer}];
  int64_t index = batch.kvLength[s] - (batch.qStart[s + 1] - t);
  if (index != static_cast<int64_t>(list.size()))
    return invalidArgument("layer ", layer, " has ", list.size(),
                           " keys of a sequence where token ", index,
                           " is to be appended");
  return &list.emplace_back();
}

const Cache::Entry *AbstractCache::find(const Batch &batch, int64_t s,
                                        int64_t index, int64_t layer) const {
  auto list = lists.find({batch.sequence[s], layer});
  if (list == lists.end() || index >= static_cast<int64_t>(list->second.size()))
    return nullptr;
  return &list->second[index];
}

StatusOr<Cache::Entry *> PagedCache::place(const Batch &batch, int64_t t,
                                           int64_t layer) {
  int64_t slot = batch.slot[t];
  if (slot < 0 || slot >= blockSize * blockCount)
    return invalidArgument("slot ", slot, " is not in the pool");
  return &slots[{layer, slot}];
}

const Cache::Entry *PagedCache::find(const Batch &batch, int64_t s,
                                     int64_t index, int64_t layer) const {
  int64_t column = index / blockSize;
  if (column >= batch.tableWidth)
    return nullptr;
  int64_t block = batch.blockTable[s * batch.tableWidth + column];
  auto entry = slots.find({layer, block * blockSize + index % blockSize});
  return block < 0 || entry == slots.end() ? nullptr : &entry->second;
}

} // namespace pagoda::reference
