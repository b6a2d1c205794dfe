//===- TokenCounts.h - Which tokens a sequence has used ---------*- C++ -*-===//
//
// The history that penalties need: each distinct token of a sequence, once,
// with its count. Small beside a vocabulary, so that one per sequence is cheap
// and a penalty touches only what occurred.
//
//   TokenCounts counts;
//   counts.addPrompt(prompt);
//   counts.addGenerated(17);
//   for (const TokenCounts::Entry &entry : counts.entries()) ...
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_SAMPLER_TOKENCOUNTS_H
#define PAGODA_RUNTIME_SAMPLER_TOKENCOUNTS_H

#include <cstdint>
#include <span>
#include <vector>

namespace pagoda::rt {

class TokenCounts {
public:
  struct Entry {
    int32_t id;
    /// Times it was generated; 0 if it only stands in the prompt.
    int32_t generated;
  };

  void addPrompt(std::span<const int32_t> ids);
  void addGenerated(int32_t id) { ++find(id).generated; }

  /// In order of first occurrence.
  std::span<const Entry> entries() const { return list; }

private:
  Entry &find(int32_t id);
  void grow();

  std::vector<Entry> list;
  /// [power of two, at most half full] Open addressing: an index into `list`
  /// plus one, 0 where empty.
  std::vector<uint32_t> table;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_SAMPLER_TOKENCOUNTS_H
