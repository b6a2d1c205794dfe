#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include "ByteAlphabet.h"
#include "EncodeRun.h"
#include "GgufReader.h"
#include "JsonReader.h"
#include "Utf8.h"
#include "pagoda/Base/MappedFile.h"

#include <algorithm>

namespace pagoda::rt {

namespace {

std::optional<TokenId> known(uint32_t id, const TokenTable &tokens) {
  if (!(tokens.flagsOf(id) & flat::Present))
    return std::nullopt;
  return static_cast<TokenId>(id);
}

/// The token that ends a turn in a family of chat models, for files that do
/// not name it.
uint32_t guessEndOfTurn(const TokenizerBuilder &builder) {
  for (std::string_view name :
       {"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|eot|>"})
    if (auto id = builder.find(name))
      return *id;
  return flat::none;
}

} // namespace

//===----------------------------------------------------------------------===//
// Building and opening
//===----------------------------------------------------------------------===//

static StatusOr<Tokenizer> finishAndOpen(TokenizerBuilder &builder) {
  if (builder.endOfTurnId == flat::none)
    builder.endOfTurnId = guessEndOfTurn(builder);
  PAGODA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, builder.finish());
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return Tokenizer::fromBytes(*owner, owner);
}

StatusOr<Tokenizer> Tokenizer::fromJson(const JsonDocument &tokenizer,
                                        const JsonDocument *config) {
  PAGODA_ASSIGN_OR_RETURN(TokenizerBuilder builder,
                          readTokenizerJson(tokenizer.root()));
  if (config)
    PAGODA_RETURN_IF_ERROR(readTokenizerConfig(config->root(), builder));
  return finishAndOpen(builder).withContext(tokenizer.name());
}

StatusOr<Tokenizer> Tokenizer::fromJsonFile(const std::string &path) {
  std::string folder = path.substr(0, path.find_last_of('/') + 1);
  PAGODA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::parseFile(path));
  PAGODA_ASSIGN_OR_RETURN(TokenizerBuilder builder,
                          readTokenizerJson(document.root()));
  auto config = JsonDocument::parseFile(folder + "tokenizer_config.json");
  if (config.ok())
    PAGODA_RETURN_IF_ERROR(readTokenizerConfig(config->root(), builder));
  else if (config.status().code() != StatusCode::NotFound)
    return config.status();
  auto chat = readTextFile(folder + "chat_template.jinja");
  if (chat.ok())
    builder.addChatTemplate("default", *chat);
  else if (chat.status().code() != StatusCode::NotFound)
    return chat.status();
  return finishAndOpen(builder).withContext(document.name());
}

StatusOr<Tokenizer> Tokenizer::fromGguf(const GgufTokenizerFields &fields) {
  auto builder = readGguf(fields);
  if (!builder.ok())
    return std::move(builder).status().withContext(fields.source);
  return finishAndOpen(*builder).withContext(fields.source);
}

StatusOr<Tokenizer> Tokenizer::fromBytes(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> owner) {
  auto impl = std::make_shared<TokenizerImpl>();
  impl->blob = bytes;
  impl->owner = std::move(owner);
  PAGODA_ASSIGN_OR_RETURN(FlatReader reader, FlatReader::open(bytes));
  PAGODA_ASSIGN_OR_RETURN(impl->summary,
                          reader.record<flat::Summary>(flat::Section::Summary));
  PAGODA_ASSIGN_OR_RETURN(impl->tokens,
                          TokenTable::open(reader, *impl->summary));
  PAGODA_ASSIGN_OR_RETURN(
      std::span<const flat::StageRecord> stages,
      reader.array<flat::StageRecord>(flat::Section::Stages));
  for (const flat::StageRecord &stage : stages) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view text, reader.text(stage.text));
    StageArguments arguments = {stage.kind, stage.flags, text};
    switch (stage.step) {
    case flat::Step::Normalizer: {
      PAGODA_ASSIGN_OR_RETURN(auto normalizer, makeNormalizer(arguments));
      impl->normalizers.push_back(std::move(normalizer));
      continue;
    }
    case flat::Step::PreTokenizer: {
      PAGODA_ASSIGN_OR_RETURN(auto preTokenizer, makePreTokenizer(arguments));
      impl->preTokenizers.push_back(std::move(preTokenizer));
      continue;
    }
    case flat::Step::Model: {
      PAGODA_ASSIGN_OR_RETURN(impl->model,
                              makeModel(arguments, reader, impl->tokens));
      continue;
    }
    case flat::Step::Decoder: {
      PAGODA_ASSIGN_OR_RETURN(impl->decoder,
                              makeDecoder(arguments, impl->tokens));
      continue;
    }
    }
    return unsupported("tokenizer tables: there is an unknown kind of stage");
  }
  if (!impl->model || !impl->decoder)
    return corruptData("tokenizer tables: the model or the decoder is missing");

  PAGODA_ASSIGN_OR_RETURN(
      impl->addedVerbatim,
      AddedTokens::open(reader, flat::Section::AddedVerbatim));
  PAGODA_ASSIGN_OR_RETURN(
      impl->addedNormalized,
      AddedTokens::open(reader, flat::Section::AddedNormalized));
  PAGODA_ASSIGN_OR_RETURN(impl->prefix,
                          reader.array<uint32_t>(flat::Section::PrefixIds));
  PAGODA_ASSIGN_OR_RETURN(impl->suffix,
                          reader.array<uint32_t>(flat::Section::SuffixIds));
  PAGODA_ASSIGN_OR_RETURN(
      std::span<const flat::ChatTemplate> templates,
      reader.array<flat::ChatTemplate>(flat::Section::ChatTemplates));
  for (const flat::ChatTemplate &record : templates) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view name, reader.text(record.name));
    PAGODA_ASSIGN_OR_RETURN(std::string_view text, reader.text(record.text));
    impl->templates.emplace_back(name, text);
  }
  return Tokenizer(std::move(impl));
}

std::span<const std::byte> Tokenizer::bytes() const { return impl->blob; }

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

static StatusOr<std::vector<TokenId>> checkIds(const std::vector<uint32_t> &ids,
                                               uint32_t tokens) {
  std::vector<TokenId> result;
  result.reserve(ids.size());
  uint32_t largest = 0;
  for (uint32_t id : ids) {
    largest = std::max(largest, id);
    result.push_back(static_cast<TokenId>(id));
  }
  // Only tables that are not what a builder wrote get here.
  if (!ids.empty() && largest >= tokens)
    return corruptData("tokenizer tables: id ", largest, " of ", tokens);
  return result;
}

StatusOr<std::vector<TokenId>> Tokenizer::encode(std::string_view text,
                                                 EncodeOptions options) const {
  TextPiece piece = {text, true};
  return encodePieces({&piece, 1}, options);
}

StatusOr<std::vector<TokenId>>
Tokenizer::encodePieces(std::span<const TextPiece> pieces,
                        EncodeOptions options) const {
  // Words and tokens may begin in one piece and end in the next.
  std::string joined;
  std::string_view text;
  std::vector<Trust::Range> untrusted;
  if (pieces.size() == 1) {
    text = pieces[0].text;
    if (!pieces[0].trusted)
      untrusted.push_back({0, text.size()});
  } else {
    for (const TextPiece &piece : pieces) {
      if (!piece.trusted && !piece.text.empty())
        untrusted.push_back({joined.size(), joined.size() + piece.text.size()});
      joined += piece.text;
    }
    text = joined;
  }
  if (size_t valid = validUtf8Prefix(text); valid != text.size())
    return invalidArgument("the text is not UTF-8 at byte ", valid);

  PAGODA_ASSIGN_OR_RETURN(EncodeRun run, EncodeRun::start(*impl, text.size()));
  std::vector<uint32_t> ids;
  ids.reserve(text.size() / 3 + 8);
  if (options.addSpecialTokens)
    ids.assign(impl->prefix.begin(), impl->prefix.end());
  PAGODA_RETURN_IF_ERROR(run.encode(text,
                                    options.parseSpecialTokens
                                        ? Trust(std::move(untrusted))
                                        : Trust::nothing(),
                                    ids));
  if (options.addSpecialTokens)
    ids.insert(ids.end(), impl->suffix.begin(), impl->suffix.end());
  return checkIds(ids, impl->tokens.size());
}

//===----------------------------------------------------------------------===//
// Decoding and looking up
//===----------------------------------------------------------------------===//

std::string Tokenizer::decode(std::span<const TokenId> ids,
                              bool skipSpecialTokens) const {
  std::string bytes;
  for (TokenId id : ids)
    if (!skipSpecialTokens || !isSpecial(id))
      impl->decoder->append(static_cast<uint32_t>(id), bytes);
  if (validUtf8Prefix(bytes) == bytes.size())
    return bytes;
  std::string text;
  if (appendReplacingBroken(bytes, text) != 0)
    text += "\xef\xbf\xbd";
  return text;
}

size_t Tokenizer::vocabularySize() const { return impl->tokens.size(); }

std::string Tokenizer::tokenBytes(TokenId id) const {
  std::string bytes;
  impl->decoder->append(static_cast<uint32_t>(id), bytes);
  return bytes;
}

std::optional<TokenId> Tokenizer::tokenId(std::string_view spelling) const {
  if (validUtf8Prefix(spelling) != spelling.size())
    return std::nullopt;
  std::optional<std::string> bytes = bytesFromAlphabet(spelling);
  auto id = impl->tokens.find(bytes ? *bytes : spelling, !bytes);
  return id ? std::optional(static_cast<TokenId>(*id)) : std::nullopt;
}

bool Tokenizer::isSpecial(TokenId id) const {
  return impl->tokens.flagsOf(static_cast<uint32_t>(id)) & flat::Special;
}

std::optional<TokenId> Tokenizer::beginId() const {
  return known(impl->summary->beginId, impl->tokens);
}
std::optional<TokenId> Tokenizer::endId() const {
  return known(impl->summary->endId, impl->tokens);
}
std::optional<TokenId> Tokenizer::endOfTurnId() const {
  return known(impl->summary->endOfTurnId, impl->tokens);
}
std::optional<TokenId> Tokenizer::padId() const {
  return known(impl->summary->padId, impl->tokens);
}
std::optional<TokenId> Tokenizer::unknownId() const {
  return known(impl->summary->unknownId, impl->tokens);
}

std::optional<std::string_view>
Tokenizer::chatTemplate(std::string_view name) const {
  // The last of a name counts: a file beside the configuration overrides it.
  for (auto at = impl->templates.rbegin(); at != impl->templates.rend(); ++at)
    if (at->first == name)
      return at->second;
  return std::nullopt;
}

std::vector<std::string_view> Tokenizer::chatTemplateNames() const {
  std::vector<std::string_view> names;
  for (auto &[name, text] : impl->templates)
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  return names;
}

} // namespace pagoda::rt
