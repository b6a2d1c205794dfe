#include "AddedTokens.h"

#include "Utf8.h"

#include <algorithm>

namespace pagoda::rt {

bool Trust::covers(size_t begin, size_t end) const {
  auto overlap = std::partition_point(
      untrusted.begin(), untrusted.end(),
      [&](const Range &range) { return range.end <= begin; });
  return overlap == untrusted.end() || overlap->begin >= end;
}

Trust Trust::slice(size_t begin, size_t end, bool changed) const {
  if (untrusted.empty())
    return everything();
  if (changed)
    return covers(begin, end) ? everything() : nothing();
  std::vector<Range> ranges;
  auto range = std::partition_point(
      untrusted.begin(), untrusted.end(),
      [&](const Range &range) { return range.end <= begin; });
  for (; range != untrusted.end() && range->begin < end; ++range)
    ranges.push_back({std::max(range->begin, begin) - begin,
                      std::min(range->end, end) - begin});
  return Trust(std::move(ranges));
}

StatusOr<AddedTokens> AddedTokens::open(const FlatReader &reader,
                                        flat::Section section) {
  PAGODA_ASSIGN_OR_RETURN(std::span<const flat::AddedToken> records,
                          reader.array<flat::AddedToken>(section));
  AddedTokens added;
  added.entries.reserve(records.size());
  for (const flat::AddedToken &record : records) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view text, reader.text(record.text));
    // The search relies on the order, and all behind it on whole characters.
    if (text.empty() || validUtf8Prefix(text) != text.size() ||
        (!added.entries.empty() && added.entries.back().text >= text))
      return corruptData("tokenizer tables: added tokens are out of order");
    ++added.first[static_cast<uint8_t>(text[0]) + 1];
    added.entries.push_back({text, record.id, record.flags});
  }
  for (size_t byte = 0; byte < 256; ++byte)
    added.first[byte + 1] += added.first[byte];
  if (!added.entries.empty() &&
      added.entries.front().text[0] == added.entries.back().text[0])
    added.onlyByte = added.entries.front().text[0];
  return added;
}

size_t AddedTokens::nextCandidate(std::string_view text, size_t from) const {
  if (onlyByte)
    return std::min(text.find(*onlyByte, from), text.size());
  while (from < text.size()) {
    auto byte = static_cast<uint8_t>(text[from]);
    if (first[byte] != first[byte + 1])
      break;
    ++from;
  }
  return from;
}

const AddedTokens::Entry *AddedTokens::longestAt(std::string_view text,
                                                 size_t at,
                                                 const Trust &trust) const {
  auto byte = static_cast<uint8_t>(text[at]);
  const Entry *low = entries.data() + first[byte];
  const Entry *high = entries.data() + first[byte + 1];
  const Entry *best = nullptr;
  // All in [low, high) begin with the `depth` bytes at `at`. One that has no
  // more bytes comes first.
  for (size_t depth = 1; low != high; ++depth) {
    if (low->text.size() == depth) {
      if (!(low->flags & flat::addedSpecial) || trust.covers(at, at + depth))
        best = low;
      if (++low == high)
        break;
    }
    if (at + depth == text.size())
      break;
    auto next = static_cast<uint8_t>(text[at + depth]);
    auto byteOf = [&](const Entry &entry) {
      return static_cast<uint8_t>(entry.text[depth]);
    };
    low = std::partition_point(
        low, high, [&](const Entry &entry) { return byteOf(entry) < next; });
    high = std::partition_point(
        low, high, [&](const Entry &entry) { return byteOf(entry) == next; });
  }
  return best;
}

void AddedTokens::cut(std::string_view text, const Trust &trust,
                      std::vector<Segment> &segments) const {
  segments.clear();
  size_t done = 0;
  if (!entries.empty()) {
    size_t at = nextCandidate(text, 0);
    while (at < text.size()) {
      const Entry *entry = longestAt(text, at, trust);
      if (!entry) {
        at = nextCandidate(text, at + 1);
        continue;
      }
      size_t begin = at, end = at + entry->text.size();
      at = nextCandidate(text, end);
      if ((entry->flags & flat::singleWord) &&
          ((begin > 0 &&
            isWordCharacter(lastCodePoint(text.substr(0, begin)).value)) ||
           (end < text.size() &&
            isWordCharacter(firstCodePoint(text.substr(end)).value))))
        continue;
      if (entry->flags & flat::stripLeft)
        while (begin > done) {
          CodePoint c = lastCodePoint(text.substr(0, begin));
          if (!isSpace(c.value))
            break;
          begin -= c.bytes;
        }
      if (entry->flags & flat::stripRight)
        while (end < text.size()) {
          CodePoint c = firstCodePoint(text.substr(end));
          if (!isSpace(c.value))
            break;
          end += c.bytes;
        }
      if (done < begin)
        segments.push_back({done, begin, flat::none});
      segments.push_back({begin, end, entry->id});
      done = end;
    }
  }
  if (done < text.size())
    segments.push_back({done, text.size(), flat::none});
}

} // namespace pagoda::rt
