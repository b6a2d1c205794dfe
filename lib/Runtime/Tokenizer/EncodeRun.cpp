#include "EncodeRun.h"

#include <algorithm>

namespace pagoda::rt {

namespace {

/// Longer pieces hardly come twice.
constexpr size_t maxCachedBytes = 64;
/// These slots and their ids stay within a second-level cache.
constexpr size_t maxSlots = 1 << 14;
/// Words that were made to collide find at most this many neighbours.
constexpr unsigned maxProbes = 8;

} // namespace

//===----------------------------------------------------------------------===//
// PieceCache
//===----------------------------------------------------------------------===//

PieceCache::PieceCache(size_t textBytes)
    // A slot for every piece of a short text; long ones repeat themselves.
    : slots(std::bit_ceil(std::clamp<size_t>(textBytes / 4, 8, 256))) {}

void PieceCache::resize(size_t size) {
  std::vector<Slot> old = std::exchange(slots, std::vector<Slot>(size));
  used = 0;
  for (const Slot &slot : old) {
    if (!slot.text)
      continue;
    bool found;
    slotFor({slot.text, slot.bytes}, found) = slot;
    ++used;
  }
}

PieceCache::Slot &PieceCache::slotFor(std::string_view piece, bool &found) {
  uint64_t hash = flat::hashBytes(piece, 0);
  auto tag = static_cast<uint32_t>(hash >> 32);
  size_t mask = slots.size() - 1;
  for (unsigned probe = 0; probe < maxProbes; ++probe) {
    Slot &slot = slots[(hash + probe) & mask];
    if (!slot.text ||
        (slot.tag == tag && slot.bytes == piece.size() &&
         std::memcmp(slot.text, piece.data(), piece.size()) == 0)) {
      found = slot.text;
      if (!found) {
        slot.tag = tag;
        slot.bytes = static_cast<uint32_t>(piece.size());
      }
      slot.text = piece.data();
      return slot;
    }
  }
  // The neighbourhood is full: the piece takes the first place in it.
  found = false;
  Slot &slot = slots[hash & mask];
  slot = {piece.data(), static_cast<uint32_t>(piece.size()), 0, 0, tag};
  return slot;
}

void PieceCache::fill(Slot &slot, std::span<const uint32_t> ids) {
  slot.count = static_cast<uint32_t>(ids.size());
  if (ids.size() == 1) {
    slot.ids = ids[0];
  } else {
    slot.ids = static_cast<uint32_t>(pool.size());
    pool.insert(pool.end(), ids.begin(), ids.end());
  }
  if (++used * 2 <= slots.size())
    return;
  if (slots.size() < maxSlots) {
    resize(slots.size() * 4);
  } else if (used > maxSlots * 2) {
    // Places have been taken over; start again before the pool grows on.
    slots.assign(slots.size(), Slot());
    pool.clear();
    used = 0;
  }
}

//===----------------------------------------------------------------------===//
// EncodeRun
//===----------------------------------------------------------------------===//

StatusOr<EncodeRun> EncodeRun::start(const TokenizerImpl &tokenizer,
                                     size_t bytes) {
  EncodeRun run(tokenizer, bytes);
  for (auto &preTokenizer : tokenizer.preTokenizers) {
    PAGODA_ASSIGN_OR_RETURN(auto started, preTokenizer->start(bytes));
    run.preTokenizers.push_back(std::move(started));
  }
  run.model = tokenizer.model->start();
  return run;
}

Status EncodeRun::encode(std::string_view text, const Trust &trust,
                         std::vector<uint32_t> &ids) {
  tokenizer.addedVerbatim.cut(text, trust, segments);
  for (const AddedTokens::Segment &segment : segments) {
    if (segment.id != flat::none)
      ids.push_back(segment.id);
    else
      PAGODA_RETURN_IF_ERROR(
          encodePlain(text.substr(segment.begin, segment.end - segment.begin),
                      trust.slice(segment.begin, segment.end, false), ids));
  }
  return Status();
}

/// Text without added tokens, as far as they are found before normalisation.
Status EncodeRun::encodePlain(std::string_view text, const Trust &trust,
                              std::vector<uint32_t> &ids) {
  std::string_view original = text;
  for (auto &normalizer : tokenizer.normalizers) {
    std::string storage;
    std::string_view result = normalizer->apply(text, storage);
    // Short text moves with its string: take the view from the new place.
    if (result.data() == storage.data())
      text = normalised.emplace_back(std::move(storage));
    else
      text = result;
  }
  bool changed = text.data() != original.data();
  tokenizer.addedNormalized.cut(
      text, changed ? trust.slice(0, original.size(), true) : trust,
      innerSegments);
  for (const AddedTokens::Segment &segment : innerSegments) {
    if (segment.id != flat::none)
      ids.push_back(segment.id);
    else
      PAGODA_RETURN_IF_ERROR(encodePieces(
          text.substr(segment.begin, segment.end - segment.begin), ids));
  }
  return Status();
}

Status EncodeRun::encodePieces(std::string_view text,
                               std::vector<uint32_t> &ids) {
  pieces.list.assign(1, text);
  for (auto &preTokenizer : preTokenizers)
    PAGODA_RETURN_IF_ERROR(preTokenizer->apply(pieces));
  for (std::string_view piece : pieces.list) {
    if (piece.size() > maxCachedBytes) {
      model->tokenize(piece, ids);
      continue;
    }
    bool found;
    PieceCache::Slot &slot = cache.slotFor(piece, found);
    if (found) {
      std::span<const uint32_t> known = cache.idsOf(slot);
      if (known.size() == 1)
        ids.push_back(known[0]);
      else
        ids.insert(ids.end(), known.begin(), known.end());
      continue;
    }
    fresh.clear();
    model->tokenize(piece, fresh);
    ids.insert(ids.end(), fresh.begin(), fresh.end());
    cache.fill(slot, fresh);
  }
  return Status();
}

} // namespace pagoda::rt
