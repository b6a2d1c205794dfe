//===- FlatWriter.h - Laying tables out -------------------------*- C++ -*-===//
//
// Puts sections behind each other in FlatFormat, and items into hash tables
// whose searches are short.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_FLATWRITER_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_FLATWRITER_H

#include "FlatFormat.h"
#include "pagoda/Base/Status.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace pagoda::rt {

class FlatWriter {
public:
  /// Sections come in ascending order. `values` must live until finish().
  template <typename T>
  void add(flat::Section kind, std::span<const T> values) {
    sections.push_back({kind, std::as_bytes(values)});
  }
  template <typename T>
  void add(flat::Section kind, const std::vector<T> &values) {
    add(kind, std::span<const T>(values));
  }
  std::vector<std::byte> finish() const;

private:
  struct Part {
    flat::Section kind;
    std::span<const std::byte> bytes;
  };
  std::vector<Part> sections;
};

/// Places items 0 … count-1 into `slots` (flat::none where empty), each by
/// linear search from hashOf(item, seed). Tries seeds and sizes until no
/// search is long; items that defeat all of them were made to.
template <typename HashOf>
StatusOr<flat::TableShape> layOutTable(size_t count, HashOf hashOf,
                                       std::vector<uint32_t> &slots) {
  constexpr uint32_t maxProbes = 256, seeds = 8;
  size_t size = std::bit_ceil(std::max<size_t>(count + count / 2, 4));
  for (unsigned growth = 0; growth < 3; ++growth, size *= 2)
    for (uint32_t seed = 0; seed < seeds; ++seed) {
      slots.assign(size, flat::none);
      uint32_t longest = 0;
      for (size_t item = 0; item < count && longest <= maxProbes; ++item) {
        uint64_t slot = hashOf(item, seed);
        uint32_t probes = 1;
        while (slots[slot & (size - 1)] != flat::none && probes <= maxProbes) {
          ++slot;
          ++probes;
        }
        longest = std::max(longest, probes);
        if (probes <= maxProbes)
          slots[slot & (size - 1)] = static_cast<uint32_t>(item);
      }
      // One more probe sees the empty slot behind the longest run.
      if (longest <= maxProbes)
        return flat::TableShape{seed, longest + 1};
    }
  return corruptData("the vocabulary's entries collide in every hash table");
}

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_FLATWRITER_H
