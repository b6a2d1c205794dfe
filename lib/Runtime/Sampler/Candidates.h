//===- Candidates.h - The best tokens of a row ------------------*- C++ -*-===//
//
// A candidate is a logit and an id in one integer, the larger the better:
// higher logits first, lower ids first among equals. No two are equal, so every
// selection has one result whatever algorithm makes it. Nothing is sorted
// further than it is looked at.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_SAMPLER_CANDIDATES_H
#define PAGODA_LIB_RUNTIME_SAMPLER_CANDIDATES_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace pagoda::rt {

using Candidate = uint64_t;

inline Candidate makeCandidate(float logit, int32_t id) {
  uint32_t bits = std::bit_cast<uint32_t>(logit + 0.0f); // no negative zero
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return Candidate{bits} << 32 | ~static_cast<uint32_t>(id);
}
inline int32_t candidateId(Candidate candidate) {
  return static_cast<int32_t>(~static_cast<uint32_t>(candidate));
}
inline float candidateLogit(Candidate candidate) {
  uint32_t bits = static_cast<uint32_t>(candidate >> 32);
  return std::bit_cast<float>(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

/// The `count` best of a row, in no order; fewer if the rest are -inf. One pass
/// over the row, which is rarely left for `count` small beside it.
inline void selectBest(std::span<const float> logits, size_t count,
                       std::vector<Candidate> &best) {
  best.clear();
  if (count == 0)
    return;
  auto cut = [&] {
    std::nth_element(best.begin(), best.begin() + (count - 1), best.end(),
                     std::greater<>());
    best.resize(count);
  };
  // Twice the count is collected, then halved: each halving raises the floor
  // that a newcomer has to pass. Ids grow, so an equal logit does not pass it.
  size_t limit = std::max<size_t>(2 * count, 256);
  float floor = -std::numeric_limits<float>::infinity();
  for (size_t id = 0; id < logits.size(); ++id) {
    if (!(logits[id] > floor))
      continue;
    best.push_back(makeCandidate(logits[id], static_cast<int32_t>(id)));
    if (best.size() == limit) {
      cut();
      floor = candidateLogit(best.back());
    }
  }
  if (best.size() > count)
    cut();
}

/// Candidates in order, best first, sorted in growing portions as they are
/// looked at.
class Ranking {
public:
  explicit Ranking(std::vector<Candidate> &candidates)
      : candidates(candidates) {}

  size_t size() const { return candidates.size(); }
  Candidate operator[](size_t rank) {
    while (rank >= sorted)
      sortMore();
    return candidates[rank];
  }

private:
  void sortMore() {
    auto begin = candidates.begin() + sorted;
    sorted = std::min(candidates.size(), std::max<size_t>(64, 8 * sorted));
    auto end = candidates.begin() + sorted;
    if (end != candidates.end())
      std::nth_element(begin, end, candidates.end(), std::greater<>());
    std::sort(begin, end, std::greater<>());
  }

  std::vector<Candidate> &candidates;
  size_t sorted = 0;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_SAMPLER_CANDIDATES_H
