//===- EncodeRun.h - One text on its way through the stages -----*- C++ -*-===//
//
// Takes a text through added tokens, normalizers, pre-tokenizers and the
// model, and remembers the ids of pieces that it has seen: most pieces of a
// text are words that come again.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_ENCODERUN_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_ENCODERUN_H

#include "AddedTokens.h"
#include "Stages.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

namespace pagoda::rt {

/// What Tokenizer works with: views of the tables, and the stages.
struct TokenizerImpl {
  std::span<const std::byte> blob;
  std::shared_ptr<const void> owner;

  const flat::Summary *summary = nullptr;
  TokenTable tokens;
  std::vector<std::unique_ptr<const Normalizer>> normalizers;
  std::vector<std::unique_ptr<const PreTokenizer>> preTokenizers;
  std::unique_ptr<const Model> model;
  std::unique_ptr<const Decoder> decoder;
  AddedTokens addedVerbatim, addedNormalized;
  std::span<const uint32_t> prefix, suffix;
  std::vector<std::pair<std::string_view, std::string_view>> templates;
};

/// Pieces to their ids, for one text. Pieces are kept by reference.
class PieceCache {
public:
  /// For a text of that size.
  explicit PieceCache(size_t textBytes);

  /// The place of `piece`: where its ids are, or where they are to go.
  struct Slot {
    const char *text = nullptr;
    uint32_t bytes = 0;
    /// The id itself if count is 1, else where the ids begin.
    uint32_t ids = 0;
    uint32_t count = 0;
    uint32_t tag = 0;
  };
  Slot &slotFor(std::string_view piece, bool &found);
  void fill(Slot &slot, std::span<const uint32_t> ids);
  std::span<const uint32_t> idsOf(const Slot &slot) const {
    if (slot.count == 1)
      return {&slot.ids, 1};
    return {pool.data() + slot.ids, slot.count};
  }

private:
  void resize(size_t size);

  std::vector<Slot> slots;
  size_t used = 0;
  std::vector<uint32_t> pool;
};

class EncodeRun {
public:
  /// `bytes` is the size of all the text to come.
  static StatusOr<EncodeRun> start(const TokenizerImpl &tokenizer,
                                   size_t bytes);

  /// Appends the ids of `text`, which must stay where it is.
  Status encode(std::string_view text, const Trust &trust,
                std::vector<uint32_t> &ids);

private:
  EncodeRun(const TokenizerImpl &tokenizer, size_t bytes)
      : tokenizer(tokenizer), cache(bytes) {}
  Status encodePlain(std::string_view text, const Trust &trust,
                     std::vector<uint32_t> &ids);
  Status encodePieces(std::string_view text, std::vector<uint32_t> &ids);

  const TokenizerImpl &tokenizer;
  std::vector<std::unique_ptr<PreTokenizer::Run>> preTokenizers;
  std::unique_ptr<Model::Run> model;
  PieceCache cache;
  Pieces pieces;
  std::vector<uint32_t> fresh;
  std::vector<AddedTokens::Segment> segments, innerSegments;
  /// Normalised text; the cache refers to it.
  std::deque<std::string> normalised;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_ENCODERUN_H
