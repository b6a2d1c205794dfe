#include "TokenizerBuilder.h"

#include "ByteAlphabet.h"
#include "FlatWriter.h"
#include "Stages.h"
#include "Utf8.h"

#include <algorithm>
#include <numeric>

namespace pagoda::rt {

namespace {

/// A text from the file on its way into a message.
std::string quoted(std::string_view text) {
  std::string clean = "'";
  for (char c : text.substr(0, 60))
    clean += static_cast<uint8_t>(c) < 0x20 || c == 0x7f ? '?' : c;
  return clean + "'";
}

} // namespace

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

TokenizerBuilder::TokenizerBuilder(size_t expected)
    : expected(expected),
      maxTokens(std::min(2 * expected + 65536, size_t(INT32_MAX))) {}

Status TokenizerBuilder::setToken(uint32_t id, std::string_view text,
                                  uint8_t flags) {
  if (id >= maxTokens)
    return corruptData("token ", quoted(text), " has id ", id,
                       ", far beyond the vocabulary's ", expected, " tokens");
  if (id >= tokens.size())
    tokens.resize(id + 1);
  Token &token = tokens[id];
  if (token.flags & flat::Present)
    return corruptData("token ", quoted(text), " has id ", id,
                       ", which another token has too");
  std::optional<std::string> bytes = bytesFromAlphabet(text);
  token.bytes = bytes ? std::move(*bytes) : std::string(text);
  token.flags = static_cast<uint8_t>(flat::Present | flags |
                                     (bytes ? 0 : flat::Verbatim));
  return Status();
}

Status TokenizerBuilder::addToken(uint32_t id, std::string_view text) {
  return setToken(id, text, flat::InModel);
}

Status TokenizerBuilder::addAddedToken(AddedTokenSpec token) {
  if (token.text.empty())
    return Status(); // can be found nowhere
  if (token.text.size() > 1024)
    return corruptData("added token ", quoted(token.text), " is ",
                       token.text.size(), " bytes long; 1024 are allowed");
  added.push_back(std::move(token));
  return Status();
}

std::optional<uint32_t> TokenizerBuilder::lookUp(std::string_view bytes,
                                                 bool verbatim) const {
  uint64_t slot = flat::hashBytes(bytes, indexShape.seed);
  for (uint32_t probe = 0; probe < indexShape.maxProbes; ++probe, ++slot) {
    uint32_t id = index[slot & (index.size() - 1)];
    if (id == flat::none)
      break;
    if (bool(tokens[id].flags & flat::Verbatim) == verbatim &&
        tokens[id].bytes == bytes)
      return id;
  }
  return std::nullopt;
}

std::optional<uint32_t> TokenizerBuilder::find(std::string_view text) const {
  if (auto bytes = bytesFromAlphabet(text))
    return lookUp(*bytes, false);
  return lookUp(text, true);
}

Status TokenizerBuilder::buildIndex() {
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < tokens.size(); ++id)
    if (tokens[id].flags & flat::Present)
      ids.push_back(id);
  PAGODA_ASSIGN_OR_RETURN(indexShape, layOutTable(
                                          ids.size(),
                                          [&](size_t item, uint32_t seed) {
                                            return flat::hashBytes(
                                                tokens[ids[item]].bytes, seed);
                                          },
                                          index));
  for (uint32_t &slot : index)
    if (slot != flat::none)
      slot = ids[slot];
  for (uint32_t id : ids) {
    const Token &token = tokens[id];
    auto found = lookUp(token.bytes, token.flags & flat::Verbatim);
    if (found != id)
      return corruptData("token ", quoted(token.bytes),
                         " has two ids: ", found.value_or(id), " and ", id);
  }
  return Status();
}

Status TokenizerBuilder::indexTokens() {
  PAGODA_RETURN_IF_ERROR(buildIndex());
  for (AddedTokenSpec &token : added) {
    if (auto known = find(token.text)) {
      if (*known != token.id)
        return corruptData("added token ", quoted(token.text), " has id ",
                           token.id, ", but id ", *known, " in the vocabulary");
    } else {
      PAGODA_RETURN_IF_ERROR(setToken(token.id, token.text, 0));
    }
    if (token.special)
      tokens[token.id].flags |= flat::Special;
  }
  return buildIndex();
}

//===----------------------------------------------------------------------===//
// Merges and stages
//===----------------------------------------------------------------------===//

Status TokenizerBuilder::addMerge(std::string_view left,
                                  std::string_view right) {
  auto inModel = [&](std::string_view text) -> std::optional<uint32_t> {
    auto id = find(text);
    return id && (tokens[*id].flags & flat::InModel) ? id : std::nullopt;
  };
  auto leftId = inModel(left), rightId = inModel(right);
  auto merged = inModel(concat(left, right));
  if (!leftId || !rightId || !merged)
    return corruptData("merge ", merges.size(), ": ",
                       quoted(!leftId    ? std::string(left)
                              : !rightId ? std::string(right)
                                         : concat(left, right)),
                       " is not in the vocabulary");
  merges.push_back(
      {*leftId, *rightId, static_cast<uint32_t>(merges.size()), *merged});
  return Status();
}

void TokenizerBuilder::addStage(flat::Step step, uint16_t kind, uint32_t flags,
                                std::string_view text) {
  stages.push_back({step, kind, flags, std::string(text)});
}

void TokenizerBuilder::addPattern(std::string_view expression,
                                  flat::Behaviour behaviour, bool invert) {
  addStage(flat::Step::PreTokenizer,
           static_cast<uint16_t>(flat::PreTokenizer::Split),
           static_cast<uint32_t>(behaviour) | (invert ? flat::invertFlag : 0),
           expression);
}

bool TokenizerBuilder::hasStage(flat::Step step) const {
  return std::any_of(stages.begin(), stages.end(),
                     [&](const Stage &stage) { return stage.step == step; });
}

void TokenizerBuilder::addChatTemplate(std::string_view name,
                                       std::string_view text) {
  templates.emplace_back(name, text);
}

Status TokenizerBuilder::checkStages() const {
  for (const Stage &stage : stages)
    if (stage.step == flat::Step::PreTokenizer) {
      PAGODA_ASSIGN_OR_RETURN(
          auto preTokenizer,
          makePreTokenizer({stage.kind, stage.flags, stage.text}));
      PAGODA_RETURN_IF_ERROR(preTokenizer->check());
    }
  return Status();
}

StatusOr<std::string> TokenizerBuilder::normalize(std::string_view text) const {
  std::string result(text);
  for (const Stage &stage : stages)
    if (stage.step == flat::Step::Normalizer) {
      PAGODA_ASSIGN_OR_RETURN(
          auto normalizer,
          makeNormalizer({stage.kind, stage.flags, stage.text}));
      std::string storage;
      result = std::string(normalizer->apply(result, storage));
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

flat::Text TokenizerBuilder::intern(std::string_view text) {
  flat::Text where = {static_cast<uint32_t>(strings.size()),
                      static_cast<uint32_t>(text.size())};
  strings += text;
  return where;
}

StatusOr<std::vector<flat::AddedToken>>
TokenizerBuilder::layOutAdded(bool normalized) {
  std::vector<std::pair<std::string, const AddedTokenSpec *>> found;
  for (const AddedTokenSpec &token : added)
    if (token.normalized == normalized) {
      std::string text = token.text;
      if (normalized) {
        PAGODA_ASSIGN_OR_RETURN(text, normalize(text));
        if (text.empty())
          continue;
      }
      found.emplace_back(std::move(text), &token);
    }
  // Of two with the same text the first counts: it has the lower address.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end(),
                          [](auto &a, auto &b) { return a.first == b.first; }),
              found.end());
  std::vector<flat::AddedToken> records;
  for (auto &[text, token] : found) {
    uint32_t flags = (token->singleWord ? flat::singleWord : 0) |
                     (token->stripLeft ? flat::stripLeft : 0) |
                     (token->stripRight ? flat::stripRight : 0) |
                     (token->special ? flat::addedSpecial : 0);
    records.push_back({intern(text), token->id, flags});
  }
  return records;
}

StatusOr<std::vector<flat::PairSlot>>
TokenizerBuilder::layOutPairs(flat::TableShape &shape) {
  auto key = [](const flat::PairSlot &merge) {
    return uint64_t(merge.left) << 32 | merge.right;
  };
  // Behind each other by pair; the one that counts comes first.
  std::sort(merges.begin(), merges.end(), [&](auto &a, auto &b) {
    if (key(a) != key(b))
      return key(a) < key(b);
    return firstMergeWins ? a.rank < b.rank : a.rank > b.rank;
  });
  merges.erase(std::unique(merges.begin(), merges.end(),
                           [&](auto &a, auto &b) { return key(a) == key(b); }),
               merges.end());
  // Frequent pairs have low ranks: they take the slots that are found first.
  std::sort(merges.begin(), merges.end(),
            [](auto &a, auto &b) { return a.rank < b.rank; });
  std::vector<uint32_t> items;
  PAGODA_ASSIGN_OR_RETURN(shape, layOutTable(
                                     merges.size(),
                                     [&](size_t item, uint32_t seed) {
                                       return flat::hashPair(merges[item].left,
                                                             merges[item].right,
                                                             seed);
                                     },
                                     items));
  std::vector<flat::PairSlot> slots;
  slots.reserve(items.size());
  for (uint32_t item : items)
    slots.push_back(item == flat::none
                        ? flat::PairSlot{flat::none, flat::none, 0, 0}
                        : merges[item]);
  return slots;
}

StatusOr<std::vector<std::byte>> TokenizerBuilder::finish() {
  PAGODA_RETURN_IF_ERROR(checkStages());
  std::vector<uint32_t> offsets = {0};
  std::string bytes;
  std::vector<uint8_t> flags;
  for (const Token &token : tokens) {
    bytes += token.bytes;
    offsets.push_back(static_cast<uint32_t>(bytes.size()));
    flags.push_back(token.flags);
  }
  std::vector<flat::StageRecord> stageRecords;
  for (const Stage &stage : stages)
    stageRecords.push_back(
        {stage.step, stage.kind, stage.flags, intern(stage.text)});
  PAGODA_ASSIGN_OR_RETURN(auto verbatim, layOutAdded(false));
  PAGODA_ASSIGN_OR_RETURN(auto normalized, layOutAdded(true));
  std::vector<flat::ChatTemplate> templateRecords;
  for (auto &[name, text] : templates)
    templateRecords.push_back({intern(name), intern(text)});

  flat::PairSummary pairs = {{}, pairUnknown, pairFlags};
  PAGODA_ASSIGN_OR_RETURN(auto pairSlots, layOutPairs(pairs.table));
  std::vector<uint32_t> byteIds(256, flat::none);
  for (unsigned byte = 0; byte < 256; ++byte) {
    char c = static_cast<char>(byte);
    if (auto id = lookUp({&c, 1}, false);
        id && (tokens[*id].flags & flat::InModel))
      byteIds[byte] = *id;
  }
  if (bytes.size() > UINT32_MAX || strings.size() > UINT32_MAX)
    return resourceExhausted("the vocabulary has more than 4 GiB of text");

  flat::Summary summary = {static_cast<uint32_t>(tokens.size()),
                           indexShape,
                           beginId,
                           endId,
                           endOfTurnId,
                           padId,
                           unknownId};
  FlatWriter writer;
  writer.add(flat::Section::Summary,
             std::span<const flat::Summary>(&summary, 1));
  writer.add(flat::Section::Strings, std::span<const char>(strings));
  writer.add(flat::Section::TokenOffsets, offsets);
  writer.add(flat::Section::TokenBytes, std::span<const char>(bytes));
  writer.add(flat::Section::TokenFlags, flags);
  writer.add(flat::Section::TokenIndex, index);
  writer.add(flat::Section::Stages, stageRecords);
  writer.add(flat::Section::AddedVerbatim, verbatim);
  writer.add(flat::Section::AddedNormalized, normalized);
  writer.add(flat::Section::PrefixIds, prefix);
  writer.add(flat::Section::SuffixIds, suffix);
  writer.add(flat::Section::ChatTemplates, templateRecords);
  writer.add(flat::Section::PairSummary,
             std::span<const flat::PairSummary>(&pairs, 1));
  writer.add(flat::Section::PairBytes, byteIds);
  writer.add(flat::Section::PairTable, pairSlots);
  return writer.finish();
}

} // namespace pagoda::rt
