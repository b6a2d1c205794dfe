#include "pagoda/Runtime/Tokenizer/LoadTokenizer.h"

#include "pagoda/Files/Gguf.h"

#include <filesystem>

namespace pagoda::rt {

namespace {

StatusOr<std::optional<Tokenizer>> fromGguf(const std::string &path) {
  PAGODA_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open(path));
  if (!file.findValue("tokenizer.ggml.model"))
    return std::optional<Tokenizer>();
  GgufTokenizerFields fields;
  fields.source = path;
  PAGODA_ASSIGN_OR_RETURN(fields.model, file.getString("tokenizer.ggml.model"));
  PAGODA_ASSIGN_OR_RETURN(fields.pre, file.getString("tokenizer.ggml.pre", ""));
  PAGODA_ASSIGN_OR_RETURN(fields.tokens,
                          file.getStrings("tokenizer.ggml.tokens"));
  if (file.findValue("tokenizer.ggml.token_type")) {
    PAGODA_ASSIGN_OR_RETURN(fields.tokenTypes,
                            file.getI32s("tokenizer.ggml.token_type"));
  }
  if (file.findValue("tokenizer.ggml.merges")) {
    PAGODA_ASSIGN_OR_RETURN(fields.merges,
                            file.getStrings("tokenizer.ggml.merges"));
  }

  struct IdField {
    const char *key;
    std::optional<uint32_t> GgufTokenizerFields::*field;
  };
  for (const IdField &id :
       {IdField{"bos_token_id", &GgufTokenizerFields::beginId},
        IdField{"eos_token_id", &GgufTokenizerFields::endId},
        IdField{"eot_token_id", &GgufTokenizerFields::endOfTurnId},
        IdField{"unknown_token_id", &GgufTokenizerFields::unknownId},
        IdField{"padding_token_id", &GgufTokenizerFields::padId}}) {
    std::string key = concat("tokenizer.ggml.", id.key);
    if (!file.findValue(key))
      continue;
    PAGODA_ASSIGN_OR_RETURN(fields.*id.field, file.getU32(key));
  }
  struct FlagField {
    const char *key;
    std::optional<bool> GgufTokenizerFields::*field;
  };
  for (const FlagField &flag :
       {FlagField{"add_bos_token", &GgufTokenizerFields::addBegin},
        FlagField{"add_eos_token", &GgufTokenizerFields::addEnd},
        FlagField{"add_space_prefix", &GgufTokenizerFields::addSpacePrefix}}) {
    std::string key = concat("tokenizer.ggml.", flag.key);
    if (!file.findValue(key))
      continue;
    PAGODA_ASSIGN_OR_RETURN(fields.*flag.field, file.getBool(key));
  }

  constexpr std::string_view prefix = "tokenizer.chat_template";
  for (const GgufValue &value : file.values()) {
    if (!value.key.starts_with(prefix) || value.isArray)
      continue;
    PAGODA_ASSIGN_OR_RETURN(std::string_view text, file.getString(value.key));
    std::string_view name = value.key.substr(prefix.size());
    fields.chatTemplates.emplace_back(
        name.starts_with('.') ? name.substr(1) : "default", text);
  }
  PAGODA_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::fromGguf(fields));
  return std::optional(std::move(tokenizer));
}

} // namespace

StatusOr<std::optional<Tokenizer>> loadTokenizer(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    std::string file = (fs::path(path) / "tokenizer.json").string();
    if (!fs::exists(file, error))
      return std::optional<Tokenizer>();
    PAGODA_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::fromJsonFile(file));
    return std::optional(std::move(tokenizer));
  }
  if (path.ends_with(".json")) {
    PAGODA_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::fromJsonFile(path));
    return std::optional(std::move(tokenizer));
  }
  return fromGguf(path);
}

} // namespace pagoda::rt
