//===- FlatFormat.h - The tokenizer as tables ready to map ------*- C++ -*-===//
//
// What Tokenizer::bytes() holds: a header, a directory of sections and the
// sections, all little-endian, all offsets from the start of the blob, which
// itself is aligned to 8 bytes. Nothing has to be built when it is opened.
//
//   FlatHeader | FlatSection[sections] | tables and text, each at 8 bytes
//
// A reader trusts nothing: the directory is checked once, what the tables hold
// (offsets of text, ids) where it is used. A change of anything here, of the
// hash functions too, raises `version`.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_FLATFORMAT_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_FLATFORMAT_H

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pagoda::rt::flat {

static_assert(std::endian::native == std::endian::little,
              "the tables are read where they lie");

constexpr uint64_t magic = 0x314b4f5444475031; // "1PGDTOK1"
constexpr uint32_t version = 1;
constexpr uint32_t maxSections = 64;
/// No id, or an empty slot.
constexpr uint32_t none = 0xffffffff;

/// Kinds of sections, in the order in which they stand.
enum class Section : uint32_t {
  /// One Summary.
  Summary = 1,
  /// Text that records refer to.
  Strings,
  /// uint32_t[tokens + 1]: where each token's bytes begin in TokenBytes.
  TokenOffsets,
  /// What each token stands for: for a byte-level model the bytes themselves.
  TokenBytes,
  /// uint8_t[tokens] of TokenFlag.
  TokenFlags,
  /// uint32_t[2^n]: ids by the hash of (bytes, spelling).
  TokenIndex,
  /// StageRecord[]: the steps in the order in which they run.
  Stages,
  /// AddedToken[], sorted by text: those looked for before normalisation, and
  /// those after it.
  AddedVerbatim,
  AddedNormalized,
  /// uint32_t[]: ids before and behind a text that is encoded with special
  /// tokens.
  PrefixIds,
  SuffixIds,
  /// ChatTemplate[].
  ChatTemplates,

  /// Byte-pair encoding: one PairSummary, uint32_t[256] ids of single bytes,
  /// and PairSlot[2^n].
  PairSummary = 32,
  PairBytes,
  PairTable,
};

struct Header {
  uint64_t magic;
  uint32_t version;
  uint32_t sections;
  /// Of the whole blob.
  uint64_t bytes;
};

struct SectionEntry {
  Section kind;
  uint32_t reserved;
  uint64_t offset;
  uint64_t bytes;
};

/// Of the Strings section.
struct Text {
  uint32_t offset;
  uint32_t bytes;
};

/// A hash table that is searched linearly from a slot that the hash names.
struct TableShape {
  /// Picked by the builder so that no search is longer than `maxProbes`.
  uint32_t seed;
  uint32_t maxProbes;
};

struct Summary {
  uint32_t tokens;
  TableShape tokenIndex;
  uint32_t beginId, endId, endOfTurnId, padId, unknownId;
};

enum TokenFlag : uint8_t {
  /// The id has a token.
  Present = 1,
  /// The token is spelt as its bytes, not in the model's alphabet.
  Verbatim = 2,
  /// Left out by decode() on request; not found in untrusted text.
  Special = 4,
  /// The model's own (not only an added token).
  InModel = 8,
};

enum class Step : uint16_t { Normalizer = 1, PreTokenizer, Model, Decoder };

enum class Normalizer : uint16_t { Composed = 1 };
enum class PreTokenizer : uint16_t {
  /// `text` is a pattern (PCRE2), `flags` a Split.
  Split = 1,
  /// A space goes before a piece that begins with another character.
  PrefixSpace,
};
enum class Model : uint16_t { BytePair = 1 };
enum class Decoder : uint16_t {
  /// A token adds its bytes.
  Bytes = 1,
};

/// Flags of a Split: what becomes of the matches.
enum class Behaviour : uint32_t {
  Isolated = 0,
  Removed,
  MergedWithPrevious,
  MergedWithNext,
  Contiguous,
};
constexpr uint32_t behaviourMask = 7;
/// Matches and what lies between them change places.
constexpr uint32_t invertFlag = 8;

struct StageRecord {
  Step step;
  uint16_t kind;
  uint32_t flags;
  Text text;
};

struct AddedToken {
  Text text;
  uint32_t id;
  uint32_t flags;
};
/// Flags of an AddedToken.
constexpr uint32_t singleWord = 1;
constexpr uint32_t stripLeft = 2;
constexpr uint32_t stripRight = 4;
constexpr uint32_t addedSpecial = 8;

struct ChatTemplate {
  Text name;
  Text text;
};

struct PairSummary {
  TableShape table;
  uint32_t unknownId;
  uint32_t flags;
};
/// Flag: a piece that is a token is not taken apart.
constexpr uint32_t wholePieces = 1;
/// Flag: neighbouring unknown bytes become one unknown token.
constexpr uint32_t fuseUnknown = 2;

/// `left` is none in an empty slot.
struct PairSlot {
  uint32_t left, right;
  /// The lower, the earlier the merge.
  uint32_t rank;
  uint32_t merged;
};

//===----------------------------------------------------------------------===//
// Hash functions. Part of the format.
//===----------------------------------------------------------------------===//

inline uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t hashFactor = 0x9e3779b97f4a7c15;
constexpr uint64_t hashFactor2 = 0xd6e8feb86659fd93;

inline uint64_t hashPair(uint32_t left, uint32_t right, uint32_t seed) {
  uint64_t key = static_cast<uint64_t>(left) << 32 | right;
  return mix(key ^ hashFactor2, hashFactor + 2 * uint64_t(seed));
}

template <typename Word>
Word load(const char *at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline uint64_t hashBytes(std::string_view bytes, uint64_t seed) {
  const char *at = bytes.data();
  size_t size = bytes.size();
  uint64_t state = (seed + 1) * hashFactor2 ^ size;
  if (size > 8) {
    const char *last = at + size - 8;
    for (; at < last; at += 8)
      state = mix(state ^ load<uint64_t>(at), hashFactor);
    return mix(state ^ load<uint64_t>(last), hashFactor);
  }
  // Loads that overlap cover every length without a loop.
  uint64_t word = 0;
  if (size >= 4)
    word = load<uint32_t>(at) | uint64_t(load<uint32_t>(at + size - 4)) << 32;
  else if (size > 0)
    word = load<uint8_t>(at) | load<uint8_t>(at + size / 2) << 8 |
           load<uint8_t>(at + size - 1) << 16;
  return mix(state ^ word, hashFactor);
}

} // namespace pagoda::rt::flat

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_FLATFORMAT_H
