#include "Config.h"

#include <algorithm>
#include <array>

namespace pagoda {

namespace {

/// Settings that say how a model was trained or saved, not what it computes.
constexpr std::array<std::string_view, 38> kHarmless = {
    "_name_or_path",
    "_attn_implementation",
    "architectures",
    "attention_dropout",
    "auto_map",
    "bos_token_id",
    "chunk_size_feed_forward",
    "dtype",
    "eos_token_id",
    "gradient_checkpointing",
    "id2label",
    "initializer_range",
    "is_decoder",
    "is_encoder_decoder",
    "is_llama_config",
    "label2id",
    "language",
    "license",
    "max_window_layers",
    "model_type",
    "name",
    "output_attentions",
    "output_hidden_states",
    "pad_token_id",
    "pretraining_tp",
    "problem_type",
    "rope_interleaved",
    "return_dict",
    "summary",
    "tags",
    "task_specific_params",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "unsloth_fixed",
    "unsloth_version",
    "use_cache",
};

constexpr int64_t kLargest = int64_t(1) << 31;

} // namespace

StatusOr<int64_t> Config::getInt(const char *key) {
  read.insert(key);
  return root.getInt(key);
}
StatusOr<int64_t> Config::getIntOr(const char *key, int64_t fallback) {
  read.insert(key);
  return root.getIntOr(key, fallback);
}
StatusOr<double> Config::getNumber(const char *key) {
  read.insert(key);
  return root.getNumber(key);
}
StatusOr<double> Config::getNumberOr(const char *key, double fallback) {
  read.insert(key);
  return root.getNumberOr(key, fallback);
}
StatusOr<bool> Config::getBoolOr(const char *key, bool fallback) {
  read.insert(key);
  return root.getBoolOr(key, fallback);
}
StatusOr<std::string> Config::getStringOr(const char *key,
                                          const char *fallback) {
  read.insert(key);
  PAGODA_ASSIGN_OR_RETURN(std::string_view text,
                          root.getStringOr(key, fallback));
  return std::string(text);
}

std::optional<JsonValue> Config::find(const char *key) {
  read.insert(key);
  auto value = root.find(key);
  return value && !value->isNull() ? value : std::nullopt;
}

StatusOr<int64_t> Config::getSize(const char *key) {
  PAGODA_ASSIGN_OR_RETURN(int64_t value, getInt(key));
  if (value <= 0 || value > kLargest)
    return error(key, concat("must be a positive size, found ", value));
  return value;
}

StatusOr<int64_t> Config::getSizeOr(const char *key, int64_t fallback) {
  if (!find(key))
    return fallback;
  return getSize(key);
}

Status Config::refuseUnread() const {
  for (size_t i = 0; i < root.size(); ++i) {
    std::string_view key = root.keyAt(i);
    if (!read.count(key) && !root[i].isNull() &&
        std::find(kHarmless.begin(), kHarmless.end(), key) == kHarmless.end())
      return unsupported("config.json: the setting '", key,
                         "' is not understood and might change the result");
  }
  return {};
}

Status Config::error(const char *key, const std::string &message) const {
  if (auto value = root.find(key))
    return value->error(message);
  return root.error(concat("'", key, "' ", message));
}

StatusOr<DecoderDescription> readDecoderConfig(Config &config) {
  DecoderDescription model;
  PAGODA_ASSIGN_OR_RETURN(model.vocabulary, config.getSize("vocab_size"));
  PAGODA_ASSIGN_OR_RETURN(model.hidden, config.getSize("hidden_size"));
  PAGODA_ASSIGN_OR_RETURN(model.layers, config.getSize("num_hidden_layers"));
  PAGODA_ASSIGN_OR_RETURN(model.heads, config.getSize("num_attention_heads"));
  PAGODA_ASSIGN_OR_RETURN(model.kvHeads,
                          config.getSizeOr("num_key_value_heads", model.heads));
  PAGODA_ASSIGN_OR_RETURN(
      model.headDim, config.getSizeOr("head_dim", model.hidden / model.heads));
  PAGODA_ASSIGN_OR_RETURN(model.mlp, config.getSize("intermediate_size"));
  PAGODA_ASSIGN_OR_RETURN(model.contextLength,
                          config.getSize("max_position_embeddings"));
  PAGODA_ASSIGN_OR_RETURN(model.epsilon, config.getNumber("rms_norm_eps"));
  PAGODA_ASSIGN_OR_RETURN(model.tiedHead,
                          config.getBoolOr("tie_word_embeddings", false));
  if (model.layers > 4096)
    return config.error("num_hidden_layers",
                        concat("of ", model.layers, " is not a model"));
  if (!(model.epsilon >= 0 && model.epsilon < 1))
    return config.error("rms_norm_eps", "must lie between 0 and 1");
  if (model.heads % model.kvHeads != 0)
    return config.error("num_key_value_heads",
                        concat("must divide the ", model.heads, " heads"));
  if (model.headDim % 2 != 0)
    return config.error("head_dim", "must be even for rotary embeddings");

  PAGODA_ASSIGN_OR_RETURN(std::string act,
                          config.getStringOr("hidden_act", "silu"));
  if (act == "silu" || act == "swish")
    model.activation = llm::Activation::Silu;
  else if (act == "gelu_pytorch_tanh" || act == "gelu_new")
    model.activation = llm::Activation::GeluTanh;
  else if (act == "gelu")
    model.activation = llm::Activation::Gelu;
  else if (act == "relu")
    model.activation = llm::Activation::Relu;
  else
    return config.error("hidden_act", concat("is '", act,
                                             "', which Pagoda does not "
                                             "compute"));
  PAGODA_ASSIGN_OR_RETURN(model.rope,
                          readRope(config, model.headDim, model.contextLength));

  PAGODA_ASSIGN_OR_RETURN(model.bos, config.getIntOr("bos_token_id", -1));
  if (auto eos = config.find("eos_token_id")) {
    size_t count = eos->isArray() ? eos->size() : 1;
    for (size_t i = 0; i < count; ++i) {
      JsonValue element = eos->isArray() ? (*eos)[i] : *eos;
      PAGODA_ASSIGN_OR_RETURN(int64_t id, element.asInt());
      if (id < 0 || id >= model.vocabulary)
        return element.error("is no token of the vocabulary");
      model.stopTokens.push_back(static_cast<int32_t>(id));
    }
  }
  model.windows.assign(model.layers, std::nullopt);
  return model;
}

} // namespace pagoda
