#include "HuggingFace.h"

#include "Config.h"

#include <cstring>
#include <filesystem>

namespace pagoda {

namespace {

std::string tensorName(DecoderTensor which, int64_t layer) {
  std::string prefix = concat("model.layers.", layer, ".");
  switch (which) {
  case DecoderTensor::Embedding:
    return "model.embed_tokens";
  case DecoderTensor::FinalNorm:
    return "model.norm";
  case DecoderTensor::Head:
    return "lm_head";
  case DecoderTensor::AttentionNorm:
    return prefix + "input_layernorm";
  case DecoderTensor::Query:
    return prefix + "self_attn.q_proj";
  case DecoderTensor::Key:
    return prefix + "self_attn.k_proj";
  case DecoderTensor::Value:
    return prefix + "self_attn.v_proj";
  case DecoderTensor::Output:
    return prefix + "self_attn.o_proj";
  case DecoderTensor::QueryNorm:
    return prefix + "self_attn.q_norm";
  case DecoderTensor::KeyNorm:
    return prefix + "self_attn.k_norm";
  case DecoderTensor::MlpNorm:
    return prefix + "post_attention_layernorm";
  case DecoderTensor::Gate:
    return prefix + "mlp.gate_proj";
  case DecoderTensor::Up:
    return prefix + "mlp.up_proj";
  case DecoderTensor::Down:
    return prefix + "mlp.down_proj";
  }
  return {};
}

/// Windows as Qwen's settings give them: for layers of the type
/// "sliding_attention", or, in older files, for those from max_window_layers.
Status readQwenWindows(Config &config, DecoderDescription &model) {
  PAGODA_ASSIGN_OR_RETURN(bool use,
                          config.getBoolOr("use_sliding_window", false));
  auto size = config.find("sliding_window");
  PAGODA_ASSIGN_OR_RETURN(int64_t first,
                          config.getIntOr("max_window_layers", 28));
  auto types = config.find("layer_types");
  if (!use || !size)
    return {};
  PAGODA_ASSIGN_OR_RETURN(int64_t window, config.getSize("sliding_window"));
  if (types && types->size() != static_cast<size_t>(model.layers))
    return types->error(
        concat("must name ", model.layers, " layers, found ", types->size()));
  for (int64_t layer = 0; layer < model.layers; ++layer) {
    bool slides = layer >= first;
    if (types) {
      PAGODA_ASSIGN_OR_RETURN(std::string_view type,
                              (*types)[static_cast<size_t>(layer)].asString());
      if (type != "sliding_attention" && type != "full_attention")
        return types->error(concat("has the unknown type '", type, "'"));
      slides = type == "sliding_attention";
    }
    if (slides)
      model.windows[static_cast<size_t>(layer)] = window;
  }
  return {};
}

Status readLlama(Config &config, DecoderDescription &model) {
  PAGODA_ASSIGN_OR_RETURN(model.qkvBias,
                          config.getBoolOr("attention_bias", false));
  model.outputBias = model.qkvBias;
  PAGODA_ASSIGN_OR_RETURN(model.mlpBias, config.getBoolOr("mlp_bias", false));
  return {};
}

Status readMistral(Config &config, DecoderDescription &model) {
  if (config.find("sliding_window")) {
    PAGODA_ASSIGN_OR_RETURN(int64_t window, config.getSize("sliding_window"));
    model.windows.assign(static_cast<size_t>(model.layers), window);
  }
  return {};
}

Status readQwen2(Config &config, DecoderDescription &model) {
  model.qkvBias = true;
  return readQwenWindows(config, model);
}

Status readQwen3(Config &config, DecoderDescription &model) {
  PAGODA_ASSIGN_OR_RETURN(model.qkvBias,
                          config.getBoolOr("attention_bias", false));
  model.outputBias = model.qkvBias;
  model.headNorms = true;
  return readQwenWindows(config, model);
}

/// What a `model_type` adds to the settings that all families share.
struct Family {
  std::string_view name;
  Status (*read)(Config &config, DecoderDescription &model);
};
constexpr Family kFamilies[] = {
    {"llama", readLlama},
    {"mistral", readMistral},
    {"qwen2", readQwen2},
    {"qwen3", readQwen3},
};

StatusOr<const Family *> findFamily(Config &config) {
  PAGODA_ASSIGN_OR_RETURN(std::string name,
                          config.getStringOr("model_type", ""));
  std::vector<std::string_view> known;
  for (const Family &family : kFamilies) {
    if (family.name == name)
      return &family;
    known.push_back(family.name);
  }
  return config.error("model_type",
                      concat("is '", name,
                             "', which Pagoda does not import; it imports ",
                             join(known)));
}

/// A tied model may carry its head a second time, but not a different one.
Status checkTiedHead(const DecoderDescription &model,
                     const TensorSource &source) {
  if (!model.tiedHead || !source.has("lm_head.weight"))
    return {};
  PAGODA_ASSIGN_OR_RETURN(SourceTensor head, source.tensor("lm_head.weight"));
  PAGODA_ASSIGN_OR_RETURN(SourceTensor table,
                          source.tensor("model.embed_tokens.weight"));
  if (head.bytes.size() != table.bytes.size() || !(head.type == table.type) ||
      std::memcmp(head.bytes.data(), table.bytes.data(), head.bytes.size()))
    return invalidArgument(
        "config.json: 'tie_word_embeddings' is true, but 'lm_head.weight' "
        "differs from 'model.embed_tokens.weight'; set it to false, or remove "
        "the tensor");
  return {};
}

/// Buffers that older files saved along and nobody reads.
bool mayIgnore(std::string_view name) {
  return name.ends_with(".rotary_emb.inv_freq");
}

StatusOr<ImportedModel> import(const std::string &folder,
                               mlir::MLIRContext &context,
                               const ImportOptions &options) {
  namespace fs = std::filesystem;
  PAGODA_ASSIGN_OR_RETURN(
      JsonDocument document,
      JsonDocument::parseFile((fs::path(folder) / "config.json").string()));
  Config config(document.root());
  PAGODA_ASSIGN_OR_RETURN(const Family *family, findFamily(config));
  if (config.find("quantization_config"))
    return config.error("quantization_config",
                        "describes quantised weights, which Pagoda does not "
                        "read from safetensors yet");
  PAGODA_ASSIGN_OR_RETURN(DecoderDescription model, readDecoderConfig(config));
  PAGODA_RETURN_IF_ERROR(family->read(config, model));
  PAGODA_RETURN_IF_ERROR(config.refuseUnread());
  if (options.contextLength)
    model.contextLength = *options.contextLength;

  fs::path path = fs::absolute(fs::path(folder)).lexically_normal();
  if (!path.has_filename())
    path = path.parent_path();
  model.name = path.filename().string();
  model.architecture = family->name;
  PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<TensorSource> source,
                          TensorSource::open(folder));
  PAGODA_RETURN_IF_ERROR(checkTiedHead(model, *source));
  ImportedModel imported;
  imported.sourceFolder = path.parent_path().string();
  PAGODA_ASSIGN_OR_RETURN(
      imported.module,
      buildDecoder(model, tensorName, *source, model.name, context, mayIgnore));
  return imported;
}

} // namespace

StatusOr<ImportedModel> importHuggingFace(const std::string &folder,
                                          mlir::MLIRContext &context,
                                          const ImportOptions &options) {
  return import(folder, context, options).withPath(folder);
}

} // namespace pagoda
