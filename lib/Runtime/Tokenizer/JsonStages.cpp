#include "BuiltinPatterns.h"
#include "JsonReader.h"
#include "PatternSyntax.h"

namespace pagoda::rt {

namespace {

/// Reads one stage of tokenizer.json. A new stage is a function and a row.
struct StageReader {
  std::string_view type;
  Status (*read)(JsonValue stage, TokenizerBuilder &builder);
};

/// Reads `stage` by the row of its type. `what` is the kind of stage, for the
/// message.
Status readByType(JsonValue stage, std::string_view what,
                  std::span<const StageReader> readers,
                  TokenizerBuilder &builder) {
  PAGODA_ASSIGN_OR_RETURN(std::string_view type, stage.getString("type"));
  std::string known;
  for (const StageReader &reader : readers) {
    if (reader.type == type)
      return reader.read(stage, builder);
    known += concat(known.empty() ? "" : ", ", reader.type);
  }
  Status error =
      stage.error(concat("is the ", what, " ", type,
                         ", which is not supported yet (known: ", known, ")"));
  return Status(StatusCode::Unsupported, error.message());
}

/// The stages of a Sequence, whose list the different kinds name differently.
Status readSequence(JsonValue sequence, std::string_view key,
                    Status (*read)(JsonValue, TokenizerBuilder &),
                    TokenizerBuilder &builder) {
  PAGODA_ASSIGN_OR_RETURN(JsonValue list, sequence.getArray(key));
  for (size_t i = 0; i < list.size(); ++i)
    PAGODA_RETURN_IF_ERROR(read(list[i], builder));
  return Status();
}

//===----------------------------------------------------------------------===//
// Normalizers
//===----------------------------------------------------------------------===//

Status readNormalizer(JsonValue stage, TokenizerBuilder &builder) {
  static constexpr StageReader readers[] = {
      {"NFC",
       [](JsonValue, TokenizerBuilder &builder) {
         builder.addStage(flat::Step::Normalizer,
                          static_cast<uint16_t>(flat::Normalizer::Composed));
         return Status();
       }},
      {"Sequence",
       [](JsonValue stage, TokenizerBuilder &builder) {
         return readSequence(stage, "normalizers", readNormalizer, builder);
       }},
  };
  return readByType(stage, "normalizer", readers, builder);
}

//===----------------------------------------------------------------------===//
// Pre-tokenizers
//===----------------------------------------------------------------------===//

StatusOr<flat::Behaviour> readBehaviour(JsonValue stage) {
  static constexpr std::pair<std::string_view, flat::Behaviour> names[] = {
      {"Isolated", flat::Behaviour::Isolated},
      {"Removed", flat::Behaviour::Removed},
      {"MergedWithPrevious", flat::Behaviour::MergedWithPrevious},
      {"MergedWithNext", flat::Behaviour::MergedWithNext},
      {"Contiguous", flat::Behaviour::Contiguous},
  };
  PAGODA_ASSIGN_OR_RETURN(std::string_view name, stage.getString("behavior"));
  for (auto &[known, behaviour] : names)
    if (name == known)
      return behaviour;
  return stage.error(concat("has the unknown behavior '", name, "'"));
}

Status readSplit(JsonValue stage, TokenizerBuilder &builder) {
  PAGODA_ASSIGN_OR_RETURN(JsonValue pattern, stage.getObject("pattern"));
  PAGODA_ASSIGN_OR_RETURN(flat::Behaviour behaviour, readBehaviour(stage));
  PAGODA_ASSIGN_OR_RETURN(bool invert, stage.getBoolOr("invert", false));
  std::string expression;
  if (pattern.find("Regex")) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view regex, pattern.getString("Regex"));
    PAGODA_ASSIGN_OR_RETURN(
        expression, pcreFromOniguruma(regex).withContext(stage.documentName()));
  } else {
    PAGODA_ASSIGN_OR_RETURN(std::string_view text, pattern.getString("String"));
    if (text.empty())
      return pattern.error("is empty");
    expression = pcreFromLiteral(text);
  }
  builder.addPattern(expression, behaviour, invert);
  return Status();
}

Status readDigits(JsonValue stage, TokenizerBuilder &builder) {
  PAGODA_ASSIGN_OR_RETURN(bool individual,
                          stage.getBoolOr("individual_digits", false));
  PAGODA_ASSIGN_OR_RETURN(
      std::string expression,
      pcreFromOniguruma(individual ? R"(\p{N})" : R"(\p{N}+)"));
  builder.addPattern(expression);
  return Status();
}

Status readByteLevel(JsonValue stage, TokenizerBuilder &builder) {
  PAGODA_ASSIGN_OR_RETURN(bool prefix,
                          stage.getBoolOr("add_prefix_space", true));
  PAGODA_ASSIGN_OR_RETURN(bool split, stage.getBoolOr("use_regex", true));
  if (prefix)
    builder.addStage(flat::Step::PreTokenizer,
                     static_cast<uint16_t>(flat::PreTokenizer::PrefixSpace));
  if (split) {
    PAGODA_ASSIGN_OR_RETURN(std::string expression,
                            pcreFromOniguruma(patterns::gpt2));
    builder.addPattern(expression);
  }
  return Status();
}

Status readPreTokenizer(JsonValue stage, TokenizerBuilder &builder);

constexpr StageReader preTokenizers[] = {
    {"ByteLevel", readByteLevel},
    {"Split", readSplit},
    {"Digits", readDigits},
    {"Sequence",
     [](JsonValue stage, TokenizerBuilder &builder) {
       return readSequence(stage, "pretokenizers", readPreTokenizer, builder);
     }},
};

Status readPreTokenizer(JsonValue stage, TokenizerBuilder &builder) {
  return readByType(stage, "pre-tokenizer", preTokenizers, builder);
}

/// The stage that runs last, through sequences.
JsonValue lastStage(JsonValue stage) {
  auto list = stage.find("pretokenizers");
  return list && list->isArray() && list->size() > 0
             ? lastStage((*list)[list->size() - 1])
             : stage;
}

/// How many stages spell bytes in the byte alphabet.
size_t byteLevels(JsonValue stage) {
  auto list = stage.find("pretokenizers");
  size_t count = stage.getStringOr("type", "").ok() &&
                 *stage.getStringOr("type", "") == "ByteLevel";
  if (list)
    for (size_t i = 0; i < list->size(); ++i)
      count += byteLevels((*list)[i]);
  return count;
}

/// The model's alphabet is that of bytes only behind ByteLevel, and stages
/// behind it would see that alphabet instead of the text.
Status checkByteLevel(JsonValue root) {
  auto stage = root.find("pre_tokenizer");
  if (!stage || stage->isNull() || byteLevels(*stage) == 0) {
    Status error =
        root.error("has a BPE model without the pre-tokenizer "
                   "ByteLevel; only byte-level BPE is supported yet");
    return Status(StatusCode::Unsupported, error.message());
  }
  PAGODA_ASSIGN_OR_RETURN(std::string_view last,
                          lastStage(*stage).getString("type"));
  if (last != "ByteLevel" || byteLevels(*stage) > 1) {
    Status error = stage->error("has stages behind ByteLevel, which is not "
                                "supported yet");
    return Status(StatusCode::Unsupported, error.message());
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Post-processors
//===----------------------------------------------------------------------===//

/// The ids that a special token of a template stands for.
Status appendTemplateIds(JsonValue stage, JsonValue special,
                         const TokenizerBuilder &builder,
                         std::vector<uint32_t> &ids) {
  PAGODA_ASSIGN_OR_RETURN(std::string_view name, special.getString("id"));
  PAGODA_ASSIGN_OR_RETURN(JsonValue table, stage.getObject("special_tokens"));
  PAGODA_ASSIGN_OR_RETURN(JsonValue entry, table.getObject(name));
  PAGODA_ASSIGN_OR_RETURN(JsonValue list, entry.getArray("ids"));
  for (size_t i = 0; i < list.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(uint64_t id, list[i].asUnsigned());
    if (id >= builder.tokenCount())
      return list[i].error("is not an id of the vocabulary");
    ids.push_back(static_cast<uint32_t>(id));
  }
  return Status();
}

Status readTemplate(JsonValue stage, TokenizerBuilder &builder) {
  PAGODA_ASSIGN_OR_RETURN(JsonValue single, stage.getArray("single"));
  std::vector<uint32_t> prefix, suffix;
  unsigned sequences = 0;
  for (size_t i = 0; i < single.size(); ++i) {
    if (auto special = single[i].find("SpecialToken"))
      PAGODA_RETURN_IF_ERROR(appendTemplateIds(
          stage, *special, builder, sequences == 0 ? prefix : suffix));
    else if (single[i].find("Sequence"))
      ++sequences;
    else
      return single[i].error("must be a SpecialToken or a Sequence");
  }
  if (sequences != 1)
    return single.error(
        concat("must name the text once, but names it ", sequences, " times"));
  // A later template goes round what earlier ones added.
  builder.prefix.insert(builder.prefix.begin(), prefix.begin(), prefix.end());
  builder.suffix.insert(builder.suffix.end(), suffix.begin(), suffix.end());
  return Status();
}

Status readPostProcessor(JsonValue stage, TokenizerBuilder &builder) {
  static constexpr StageReader readers[] = {
      // Corrects offsets, which nobody asks for here.
      {"ByteLevel", [](JsonValue, TokenizerBuilder &) { return Status(); }},
      {"TemplateProcessing", readTemplate},
      {"Sequence",
       [](JsonValue stage, TokenizerBuilder &builder) {
         return readSequence(stage, "processors", readPostProcessor, builder);
       }},
  };
  return readByType(stage, "post-processor", readers, builder);
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

Status readDecoder(JsonValue stage, TokenizerBuilder &builder) {
  static constexpr StageReader readers[] = {
      {"ByteLevel",
       [](JsonValue stage, TokenizerBuilder &builder) {
         if (builder.hasStage(flat::Step::Decoder))
           return stage.error("comes behind another decoder");
         builder.addStage(flat::Step::Decoder,
                          static_cast<uint16_t>(flat::Decoder::Bytes));
         return Status();
       }},
      {"Sequence",
       [](JsonValue stage, TokenizerBuilder &builder) {
         return readSequence(stage, "decoders", readDecoder, builder);
       }},
  };
  return readByType(stage, "decoder", readers, builder);
}

} // namespace

Status readStages(JsonValue root, TokenizerBuilder &builder) {
  if (auto stage = root.find("normalizer"); stage && !stage->isNull())
    PAGODA_RETURN_IF_ERROR(readNormalizer(*stage, builder));
  PAGODA_RETURN_IF_ERROR(checkByteLevel(root));
  PAGODA_ASSIGN_OR_RETURN(JsonValue pre, root.getObject("pre_tokenizer"));
  PAGODA_RETURN_IF_ERROR(readPreTokenizer(pre, builder));
  if (auto stage = root.find("post_processor"); stage && !stage->isNull())
    PAGODA_RETURN_IF_ERROR(readPostProcessor(*stage, builder));
  // "truncation" and "padding" are settings of a batch, not of the tokenizer.
  PAGODA_ASSIGN_OR_RETURN(JsonValue decoder, root.getObject("decoder"));
  PAGODA_RETURN_IF_ERROR(readDecoder(decoder, builder));
  if (!builder.hasStage(flat::Step::Decoder))
    return decoder.error("is empty");
  return Status();
}

} // namespace pagoda::rt
