//===- AddedTokens.h - Tokens that are found before the model ---*- C++ -*-===//
//
// Control tokens and others that a vocabulary was extended with: looked for in
// the text before it is cut into pieces. Among those that begin at a position
// the longest wins.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_ADDEDTOKENS_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_ADDEDTOKENS_H

#include "FlatReader.h"

#include <array>
#include <vector>

namespace pagoda::rt {

/// Which bytes of a text may spell control tokens.
class Trust {
public:
  static Trust everything() { return Trust({}); }
  static Trust nothing() { return Trust({{0, SIZE_MAX}}); }
  struct Range {
    size_t begin, end;
  };
  /// `untrusted` ascends and does not overlap.
  explicit Trust(std::vector<Range> untrusted)
      : untrusted(std::move(untrusted)) {}

  bool covers(size_t begin, size_t end) const;
  /// The same for the text from `begin` to `end`. If `changed`, bytes no
  /// longer stand where they stood, so all are trusted or none.
  Trust slice(size_t begin, size_t end, bool changed) const;

private:
  std::vector<Range> untrusted;
};

class AddedTokens {
public:
  static StatusOr<AddedTokens> open(const FlatReader &reader,
                                    flat::Section section);

  struct Segment {
    size_t begin, end;
    /// The token that the segment is, or none.
    uint32_t id;
  };
  /// Cuts `text` at the tokens in it. No segment is empty, unless a token has
  /// lost all of its bytes to the one before, which stripped them.
  void cut(std::string_view text, const Trust &trust,
           std::vector<Segment> &segments) const;

private:
  struct Entry {
    std::string_view text;
    uint32_t id;
    uint32_t flags;
  };
  const Entry *longestAt(std::string_view text, size_t at,
                         const Trust &trust) const;
  size_t nextCandidate(std::string_view text, size_t from) const;

  /// Sorted by text, each text once.
  std::vector<Entry> entries;
  /// Entries by first byte: those of byte b begin at first[b].
  std::array<uint32_t, 257> first = {};
  /// The first byte of all entries, if they share it.
  std::optional<char> onlyByte;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_ADDEDTOKENS_H
