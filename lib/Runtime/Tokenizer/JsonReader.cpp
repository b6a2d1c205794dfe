#include "JsonReader.h"

namespace pagoda::rt {

namespace {

Status unsupportedAt(JsonValue value, std::string_view message) {
  return Status(StatusCode::Unsupported, value.error(message).message());
}

/// What the builder finds wrong, with the file's name.
Status inFile(JsonValue value, Status status) {
  return std::move(status).withContext(value.documentName());
}

Status readVocabulary(JsonValue model, TokenizerBuilder &builder) {
  PAGODA_ASSIGN_OR_RETURN(JsonValue vocabulary, model.getObject("vocab"));
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(uint64_t id, vocabulary[i].asUnsigned());
    if (id >= flat::none)
      return vocabulary[i].error("is too large for an id");
    PAGODA_RETURN_IF_ERROR(
        inFile(vocabulary, builder.addToken(static_cast<uint32_t>(id),
                                            vocabulary.keyAt(i))));
  }
  return Status();
}

Status readAddedTokens(JsonValue root, TokenizerBuilder &builder) {
  auto list = root.find("added_tokens");
  if (!list || list->isNull())
    return Status();
  if (!list->isArray())
    return list->error("must be an array");
  for (size_t i = 0; i < list->size(); ++i) {
    JsonValue entry = (*list)[i];
    AddedTokenSpec token;
    PAGODA_ASSIGN_OR_RETURN(std::string_view content,
                            entry.getString("content"));
    token.text = content;
    PAGODA_ASSIGN_OR_RETURN(uint64_t id, entry.getUnsigned("id"));
    if (id >= flat::none)
      return entry.error("has an id that is too large");
    token.id = static_cast<uint32_t>(id);
    PAGODA_ASSIGN_OR_RETURN(token.special, entry.getBoolOr("special", false));
    PAGODA_ASSIGN_OR_RETURN(token.normalized,
                            entry.getBoolOr("normalized", !token.special));
    PAGODA_ASSIGN_OR_RETURN(token.singleWord,
                            entry.getBoolOr("single_word", false));
    PAGODA_ASSIGN_OR_RETURN(token.stripLeft, entry.getBoolOr("lstrip", false));
    PAGODA_ASSIGN_OR_RETURN(token.stripRight, entry.getBoolOr("rstrip", false));
    PAGODA_RETURN_IF_ERROR(
        inFile(entry, builder.addAddedToken(std::move(token))));
  }
  return Status();
}

/// A merge is a pair of texts, or in older files one text with a space.
Status readMerge(JsonValue merge, TokenizerBuilder &builder) {
  if (merge.isArray() && merge.size() == 2) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view left, merge[0].asString());
    PAGODA_ASSIGN_OR_RETURN(std::string_view right, merge[1].asString());
    return inFile(merge, builder.addMerge(left, right));
  }
  if (!merge.isString())
    return merge.error("must be a pair of strings");
  PAGODA_ASSIGN_OR_RETURN(std::string_view text, merge.asString());
  if (text.substr(0, 8) == "#version")
    return Status();
  size_t space = text.find(' ');
  if (space == text.npos || text.find(' ', space + 1) != text.npos)
    return merge.error("must be two tokens with a space between them");
  return inFile(
      merge, builder.addMerge(text.substr(0, space), text.substr(space + 1)));
}

Status readBytePairModel(JsonValue model, TokenizerBuilder &builder) {
  // What these would change is left out by byte-level models.
  if (auto dropout = model.find("dropout")) {
    PAGODA_ASSIGN_OR_RETURN(double chance, model.getNumberOr("dropout", 0));
    if (chance != 0)
      return unsupportedAt(*dropout, "makes encoding random; it is for "
                                     "training only");
  }
  for (const char *key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view affix, model.getStringOr(key, ""));
    if (!affix.empty())
      return unsupportedAt(*model.find(key),
                           "is not supported with the BPE model yet");
  }
  PAGODA_ASSIGN_OR_RETURN(bool fallback,
                          model.getBoolOr("byte_fallback", false));
  if (fallback)
    return unsupportedAt(*model.find("byte_fallback"),
                         "belongs to SentencePiece models, which are not "
                         "supported yet");

  PAGODA_ASSIGN_OR_RETURN(std::string_view unknown,
                          model.getStringOr("unk_token", ""));
  if (!unknown.empty()) {
    auto id = builder.find(unknown);
    if (!id)
      return model.find("unk_token")->error("is not in the vocabulary");
    builder.setUnknownInModel(*id);
    builder.unknownId = *id;
  }
  PAGODA_ASSIGN_OR_RETURN(bool whole, model.getBoolOr("ignore_merges", false));
  PAGODA_ASSIGN_OR_RETURN(bool fuse, model.getBoolOr("fuse_unk", false));
  builder.setPairFlags((whole ? flat::wholePieces : 0) |
                       (fuse ? flat::fuseUnknown : 0));
  builder.addStage(flat::Step::Model,
                   static_cast<uint16_t>(flat::Model::BytePair));

  PAGODA_ASSIGN_OR_RETURN(JsonValue merges, model.getArray("merges"));
  for (size_t i = 0; i < merges.size(); ++i)
    PAGODA_RETURN_IF_ERROR(readMerge(merges[i], builder));
  return Status();
}

/// A special token of tokenizer_config.json: a text, or an object with one.
StatusOr<uint32_t> configToken(JsonValue root, std::string_view key,
                               const TokenizerBuilder &builder) {
  auto token = root.find(key);
  if (!token || token->isNull())
    return flat::none;
  StatusOr<std::string_view> text =
      token->isObject() ? token->getString("content") : token->asString();
  PAGODA_ASSIGN_OR_RETURN(std::string_view content, text);
  // Configurations name tokens that a vocabulary does not have; then the text
  // has no such token.
  return builder.find(content).value_or(flat::none);
}

} // namespace

StatusOr<TokenizerBuilder> readTokenizerJson(JsonValue root) {
  PAGODA_ASSIGN_OR_RETURN(JsonValue model, root.getObject("model"));
  // Files from before the field existed are told apart by their merges.
  PAGODA_ASSIGN_OR_RETURN(
      std::string_view type,
      model.getStringOr("type", model.find("merges") ? "BPE" : "WordLevel"));
  if (type != "BPE")
    return unsupportedAt(
        model, concat("is of type ", type,
                      "; of tokenizer models only BPE is supported yet"));
  auto addedList = root.find("added_tokens");
  auto vocabulary = model.find("vocab");
  TokenizerBuilder builder((vocabulary ? vocabulary->size() : 0) +
                           (addedList ? addedList->size() : 0));
  PAGODA_RETURN_IF_ERROR(readVocabulary(model, builder));
  PAGODA_RETURN_IF_ERROR(readAddedTokens(root, builder));
  PAGODA_RETURN_IF_ERROR(inFile(root, builder.indexTokens()));
  // The stages first: they decide whether this is a byte-level model at all.
  PAGODA_RETURN_IF_ERROR(readStages(root, builder));
  PAGODA_RETURN_IF_ERROR(readBytePairModel(model, builder));
  return builder;
}

Status readTokenizerConfig(JsonValue root, TokenizerBuilder &builder) {
  struct {
    std::string_view key;
    uint32_t &id;
  } tokens[] = {{"bos_token", builder.beginId},
                {"eos_token", builder.endId},
                {"pad_token", builder.padId},
                {"unk_token", builder.unknownId}};
  for (auto &[key, id] : tokens) {
    PAGODA_ASSIGN_OR_RETURN(uint32_t found, configToken(root, key, builder));
    if (found != flat::none)
      id = found;
  }

  // A configuration that says whether a text begins with the begin token
  // overrides the post-processor.
  if (auto add = root.find("add_bos_token"); add && !add->isNull()) {
    PAGODA_ASSIGN_OR_RETURN(bool wanted, add->asBool());
    bool there =
        !builder.prefix.empty() && builder.prefix[0] == builder.beginId;
    if (wanted && !there && builder.beginId != flat::none)
      builder.prefix.insert(builder.prefix.begin(), builder.beginId);
    else if (!wanted && there)
      builder.prefix.erase(builder.prefix.begin());
  }
  if (auto add = root.find("add_eos_token"); add && !add->isNull()) {
    PAGODA_ASSIGN_OR_RETURN(bool wanted, add->asBool());
    bool there =
        !builder.suffix.empty() && builder.suffix.back() == builder.endId;
    if (wanted && !there && builder.endId != flat::none)
      builder.suffix.push_back(builder.endId);
    else if (!wanted && there)
      builder.suffix.pop_back();
  }

  auto chat = root.find("chat_template");
  if (!chat || chat->isNull())
    return Status();
  if (!chat->isArray()) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view text, chat->asString());
    builder.addChatTemplate("default", text);
    return Status();
  }
  for (size_t i = 0; i < chat->size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view name,
                            (*chat)[i].getString("name"));
    PAGODA_ASSIGN_OR_RETURN(std::string_view text,
                            (*chat)[i].getString("template"));
    builder.addChatTemplate(name, text);
  }
  return Status();
}

} // namespace pagoda::rt
