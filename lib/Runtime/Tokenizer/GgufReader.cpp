#include "GgufReader.h"

#include "BuiltinPatterns.h"
#include "PatternSyntax.h"
#include "Utf8.h"

#include <algorithm>

namespace pagoda::rt {

namespace {

enum TokenType { Normal = 1, Unknown, Control, UserDefined, Unused, Byte };

Status checkModel(std::string_view model) {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"llama", "SentencePiece BPE"},
      {"bert", "WordPiece"},
      {"t5", "Unigram"},
      {"rwkv", "RWKV"},
      {"gemma4", "SentencePiece BPE"},
      {"plamo2", "PLaMo-2"}};
  if (model == "gpt2")
    return Status();
  if (model.empty())
    return corruptData("'tokenizer.ggml.model' is missing");
  for (auto &[name, kind] : others)
    if (model == name)
      return unsupported("'tokenizer.ggml.model' is ", model, " (", kind,
                         "), which is not supported yet; gpt2 is");
  return unsupported("'tokenizer.ggml.model' is ", model,
                     ", which is unknown; gpt2 is supported");
}

Status readTokens(const GgufTokenizerFields &fields,
                  TokenizerBuilder &builder) {
  if (fields.tokens.empty())
    return corruptData("'tokenizer.ggml.tokens' is missing");
  if (!fields.tokenTypes.empty() &&
      fields.tokenTypes.size() != fields.tokens.size())
    return corruptData("'tokenizer.ggml.token_type' has ",
                       fields.tokenTypes.size(), " entries for ",
                       fields.tokens.size(), " tokens");
  for (size_t i = 0; i < fields.tokens.size(); ++i) {
    auto id = static_cast<uint32_t>(i);
    if (validUtf8Prefix(fields.tokens[i]) != fields.tokens[i].size())
      return corruptData("'tokenizer.ggml.tokens[", i, "]' is not UTF-8");
    PAGODA_RETURN_IF_ERROR(builder.addToken(id, fields.tokens[i]));
    int32_t type = fields.tokenTypes.empty() ? Normal : fields.tokenTypes[i];
    if (type == Control || type == Unknown || type == UserDefined) {
      AddedTokenSpec added;
      added.text = fields.tokens[i];
      added.id = id;
      added.special = type != UserDefined;
      PAGODA_RETURN_IF_ERROR(builder.addAddedToken(std::move(added)));
    }
  }
  return builder.indexTokens();
}

Status readMerges(const GgufTokenizerFields &fields,
                  TokenizerBuilder &builder) {
  for (size_t i = 0; i < fields.merges.size(); ++i) {
    std::string_view merge = fields.merges[i];
    // A part may itself be one space, though no byte alphabet spells it so.
    size_t space = merge.find(' ', 1);
    if (space == merge.npos || validUtf8Prefix(merge) != merge.size())
      return corruptData("'tokenizer.ggml.merges[", i,
                         "]' is not two tokens with a space between them");
    PAGODA_RETURN_IF_ERROR(
        builder.addMerge(merge.substr(0, space), merge.substr(space + 1)));
  }
  // Where a merge stands twice, files of this format mean the first.
  builder.setFirstMergeWins();
  return Status();
}

Status readSpecialIds(const GgufTokenizerFields &fields,
                      TokenizerBuilder &builder) {
  struct {
    const char *key;
    std::optional<uint32_t> from;
    uint32_t &to;
  } ids[] = {{"bos", fields.beginId, builder.beginId},
             {"eos", fields.endId, builder.endId},
             {"eot", fields.endOfTurnId, builder.endOfTurnId},
             {"unknown", fields.unknownId, builder.unknownId},
             {"padding", fields.padId, builder.padId}};
  for (auto &[key, from, to] : ids) {
    if (!from)
      continue;
    if (*from >= builder.tokenCount())
      return corruptData("'tokenizer.ggml.", key, "_token_id' is ", *from,
                         ", but there are ", builder.tokenCount(), " tokens");
    to = *from;
  }
  return Status();
}

} // namespace

StatusOr<TokenizerBuilder> readGguf(const GgufTokenizerFields &fields) {
  PAGODA_RETURN_IF_ERROR(checkModel(fields.model));
  std::string_view name = fields.pre.empty() ? "default" : fields.pre;
  const GgufPreTokenizer *pre = findGgufPreTokenizer(name);
  if (!pre)
    return unsupported("'tokenizer.ggml.pre' is ", name,
                       ", which is not known; a guess would give wrong ids");

  TokenizerBuilder builder(fields.tokens.size());
  PAGODA_RETURN_IF_ERROR(readTokens(fields, builder));
  PAGODA_RETURN_IF_ERROR(readSpecialIds(fields, builder));

  if (fields.addSpacePrefix.value_or(false))
    builder.addStage(flat::Step::PreTokenizer,
                     static_cast<uint16_t>(flat::PreTokenizer::PrefixSpace));
  for (std::string_view pattern : pre->patterns) {
    PAGODA_ASSIGN_OR_RETURN(std::string expression, pcreFromOniguruma(pattern));
    builder.addPattern(expression);
  }
  builder.addStage(flat::Step::Model,
                   static_cast<uint16_t>(flat::Model::BytePair));
  builder.setPairFlags(pre->wholePieces ? flat::wholePieces : 0);
  PAGODA_RETURN_IF_ERROR(readMerges(fields, builder));
  builder.addStage(flat::Step::Decoder,
                   static_cast<uint16_t>(flat::Decoder::Bytes));

  if (fields.addBegin.value_or(pre->addsBegin) && builder.beginId != flat::none)
    builder.prefix.push_back(builder.beginId);
  if (fields.addEnd.value_or(false) && builder.endId != flat::none)
    builder.suffix.push_back(builder.endId);
  for (auto &[templateName, text] : fields.chatTemplates)
    builder.addChatTemplate(templateName, text);
  return builder;
}

} // namespace pagoda::rt
