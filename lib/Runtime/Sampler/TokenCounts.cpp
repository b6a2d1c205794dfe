#include "pagoda/Runtime/Sampler/TokenCounts.h"

#include <algorithm>

namespace pagoda::rt {

namespace {

/// Multiplicative hashing: the product's high bits depend on all of the id's.
size_t place(int32_t id, size_t tableSize) {
  return (uint64_t(uint32_t(id)) * 0x9E3779B97F4A7C15u >> 32) & (tableSize - 1);
}

} // namespace

void TokenCounts::addPrompt(std::span<const int32_t> ids) {
  for (int32_t id : ids)
    find(id);
}

TokenCounts::Entry &TokenCounts::find(int32_t id) {
  if (table.size() < 2 * (list.size() + 1))
    grow();
  size_t at = place(id, table.size());
  for (; table[at] != 0; at = (at + 1) & (table.size() - 1))
    if (Entry &entry = list[table[at] - 1]; entry.id == id)
      return entry;
  list.push_back({id, 0});
  table[at] = static_cast<uint32_t>(list.size());
  return list.back();
}

void TokenCounts::grow() {
  table.assign(std::max<size_t>(64, 2 * table.size()), 0);
  for (size_t i = 0; i < list.size(); ++i) {
    size_t at = place(list[i].id, table.size());
    while (table[at] != 0)
      at = (at + 1) & (table.size() - 1);
    table[at] = static_cast<uint32_t>(i + 1);
  }
}

} // namespace pagoda::rt
