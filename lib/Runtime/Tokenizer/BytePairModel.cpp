#include "BytePairModel.h"

#include <algorithm>
#include <functional>

namespace pagoda::rt {

namespace {

/// Up to this many symbols scanning for the best pair beats a heap.
constexpr size_t maxScanned = 64;

} // namespace

class BytePairModel::PairRun final : public Model::Run {
public:
  explicit PairRun(const BytePairModel &model) : model(model) {}

  void tokenize(std::string_view piece, std::vector<uint32_t> &ids) override {
    if (model.summary.flags & flat::wholePieces) {
      auto whole = model.tokens.find(piece, /*verbatim=*/false);
      if (whole && (model.tokens.flagsOf(*whole) & flat::InModel)) {
        ids.push_back(*whole);
        return;
      }
    }
    symbols.clear();
    addBytes(piece);
    if (symbols.size() > maxScanned)
      mergeByHeap();
    else if (symbols.size() > 1)
      mergeByScan();
    ids.insert(ids.end(), symbols.begin(), symbols.end());
  }

private:
  void addBytes(std::string_view piece) {
    bool unknownBefore = false;
    for (char c : piece) {
      uint32_t id = model.bytes[static_cast<uint8_t>(c)];
      bool unknown = id == flat::none;
      if (unknown) {
        // Without a token for the unknown, the byte is dropped.
        id = model.summary.unknownId;
        bool fused = unknownBefore && (model.summary.flags & flat::fuseUnknown);
        if (id == flat::none || fused)
          continue;
      }
      unknownBefore = unknown;
      symbols.push_back(id);
    }
  }

  /// The pair of `left` and `right`, ready to be compared.
  struct Candidate {
    uint32_t rank;
    uint32_t merged;
  };
  Candidate candidate(uint32_t left, uint32_t right) const {
    const flat::PairSlot *slot = model.pairs.find(left, right);
    return slot ? Candidate{slot->rank, slot->merged}
                : Candidate{flat::none, flat::none};
  }

  void mergeByScan() {
    size_t count = symbols.size();
    Candidate candidates[maxScanned];
    for (size_t i = 0; i + 1 < count; ++i)
      candidates[i] = candidate(symbols[i], symbols[i + 1]);
    while (count > 1) {
      size_t best = 0;
      for (size_t i = 1; i + 1 < count; ++i)
        if (candidates[i].rank < candidates[best].rank)
          best = i;
      if (candidates[best].rank == flat::none)
        break;
      symbols[best] = candidates[best].merged;
      std::copy(symbols.begin() + best + 2, symbols.begin() + count,
                symbols.begin() + best + 1);
      std::copy(candidates + best + 1, candidates + count - 1,
                candidates + best);
      --count;
      if (best > 0)
        candidates[best - 1] = candidate(symbols[best - 1], symbols[best]);
      if (best + 1 < count)
        candidates[best] = candidate(symbols[best], symbols[best + 1]);
    }
    symbols.resize(count);
  }

  void mergeByHeap() {
    auto count = static_cast<uint32_t>(symbols.size());
    links.resize(count);
    heap.clear();
    for (uint32_t i = 0; i < count; ++i) {
      links[i] = {i - 1, i + 1, {flat::none, flat::none}};
      if (i + 1 < count)
        offer(i, i + 1);
    }
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      auto [rank, at] = heap.back();
      heap.pop_back();
      // The pair at `at` may have changed since it was offered; its own offer
      // is then elsewhere in the heap.
      if (links[at].pair.rank != rank)
        continue;
      uint32_t eaten = links[at].next;
      symbols[at] = links[at].pair.merged;
      links[at].next = links[eaten].next;
      links[eaten].pair.rank = flat::none;
      links[at].pair.rank = flat::none;
      if (links[at].next < count) {
        links[links[at].next].previous = at;
        offer(at, links[at].next);
      }
      if (links[at].previous < count)
        offer(links[at].previous, at);
    }
    uint32_t kept = 0;
    for (uint32_t at = 0; at < count; at = links[at].next)
      symbols[kept++] = symbols[at];
    symbols.resize(kept);
  }

  void offer(uint32_t left, uint32_t right) {
    links[left].pair = candidate(symbols[left], symbols[right]);
    if (links[left].pair.rank == flat::none)
      return;
    heap.push_back({links[left].pair.rank, left});
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }

  const BytePairModel &model;
  std::vector<uint32_t> symbols;
  /// A symbol's neighbours (an index out of range where there is none) and
  /// its pair with the next.
  struct Link {
    uint32_t previous, next;
    Candidate pair;
  };
  std::vector<Link> links;
  /// (rank, position of the left symbol), the least on top.
  std::vector<std::pair<uint32_t, uint32_t>> heap;
};

std::unique_ptr<Model::Run> BytePairModel::start() const {
  return std::make_unique<PairRun>(*this);
}

StatusOr<std::unique_ptr<const Model>>
BytePairModel::open(const FlatReader &reader, const TokenTable &tokens) {
  PAGODA_ASSIGN_OR_RETURN(
      const flat::PairSummary *summary,
      reader.record<flat::PairSummary>(flat::Section::PairSummary));
  PAGODA_ASSIGN_OR_RETURN(std::span<const uint32_t> bytes,
                          reader.array<uint32_t>(flat::Section::PairBytes));
  if (bytes.size() != 256)
    return corruptData("tokenizer tables: there are ", bytes.size(),
                       " byte tokens, not 256");
  PAGODA_ASSIGN_OR_RETURN(
      std::span<const flat::PairSlot> slots,
      reader.array<flat::PairSlot>(flat::Section::PairTable));
  PAGODA_ASSIGN_OR_RETURN(PairTable pairs,
                          PairTable::open(slots, summary->table));
  return std::unique_ptr<const Model>(
      new BytePairModel(*summary, bytes, pairs, tokens));
}

} // namespace pagoda::rt
