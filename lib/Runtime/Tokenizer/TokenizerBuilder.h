//===- TokenizerBuilder.h - From a vocabulary to tables ---------*- C++ -*-===//
//
// Collects what a tokenizer's file says and lays it out in FlatFormat. The
// readers of tokenizer.json and of GGUF's metadata drive it; the same calls
// give the same bytes.
//
//   1. addToken() for the model's vocabulary, addAddedToken() for the rest
//   2. indexTokens(); from then on find() works
//   3. addMerge(), addStage(), the rest in any order
//   4. finish()
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_TOKENIZERBUILDER_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_TOKENIZERBUILDER_H

#include "FlatFormat.h"
#include "pagoda/Base/Status.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt {

struct AddedTokenSpec {
  std::string text;
  uint32_t id;
  bool special = false, normalized = false, singleWord = false,
       stripLeft = false, stripRight = false;
};

class TokenizerBuilder {
public:
  /// `expected` tokens, model's and added. Ids may leave gaps, but not so many
  /// that a small file makes large tables.
  explicit TokenizerBuilder(size_t expected);

  /// A token of the model's own vocabulary, in the model's spelling. Errors:
  /// an id that stands twice or is out of range.
  Status addToken(uint32_t id, std::string_view text);
  /// If the model has a token of this text, it must have the same id.
  Status addAddedToken(AddedTokenSpec token);
  /// Errors: a text that stands twice; an added token with a taken id.
  Status indexTokens();
  std::optional<uint32_t> find(std::string_view text) const;
  size_t tokenCount() const { return tokens.size(); }

  /// Errors: a part, or the two together, that are no tokens of the model.
  Status addMerge(std::string_view left, std::string_view right);
  /// If a pair stands twice in the list of merges, this decides which counts.
  void setFirstMergeWins() { firstMergeWins = true; }
  void setPairFlags(uint32_t flags) { pairFlags = flags; }
  void setUnknownInModel(uint32_t id) { pairUnknown = id; }

  /// Stages run in the order in which they come.
  void addStage(flat::Step step, uint16_t kind, uint32_t flags = 0,
                std::string_view text = {});
  void addPattern(std::string_view expression,
                  flat::Behaviour behaviour = flat::Behaviour::Isolated,
                  bool invert = false);
  bool hasStage(flat::Step step) const;

  std::vector<uint32_t> prefix, suffix;
  uint32_t beginId = flat::none, endId = flat::none, endOfTurnId = flat::none,
           padId = flat::none, unknownId = flat::none;
  void addChatTemplate(std::string_view name, std::string_view text);

  /// The tables. Errors: what the tables cannot hold, patterns that do not
  /// compile.
  StatusOr<std::vector<std::byte>> finish();

private:
  struct Token {
    std::string bytes;
    uint8_t flags = 0;
  };
  struct Stage {
    flat::Step step;
    uint16_t kind;
    uint32_t flags;
    std::string text;
  };

  Status buildIndex();
  Status setToken(uint32_t id, std::string_view text, uint8_t flags);
  std::optional<uint32_t> lookUp(std::string_view bytes, bool verbatim) const;
  Status checkStages() const;
  StatusOr<std::string> normalize(std::string_view text) const;
  StatusOr<std::vector<flat::AddedToken>> layOutAdded(bool normalized);
  StatusOr<std::vector<flat::PairSlot>> layOutPairs(flat::TableShape &shape);
  flat::Text intern(std::string_view text);

  size_t expected, maxTokens;
  std::vector<Token> tokens;
  std::vector<AddedTokenSpec> added;
  std::vector<uint32_t> index;
  flat::TableShape indexShape = {};
  std::vector<flat::PairSlot> merges;
  bool firstMergeWins = false;
  uint32_t pairFlags = 0, pairUnknown = flat::none;
  std::vector<Stage> stages;
  std::vector<std::pair<std::string, std::string>> templates;
  std::string strings;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_TOKENIZERBUILDER_H
