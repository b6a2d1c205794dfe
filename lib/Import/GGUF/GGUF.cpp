#include "GGUF.h"

#include "../Decoder.h"
#include "../RopeFrequencies.h"
#include "pagoda/Files/Gguf.h"

#include <cstring>
#include <filesystem>

namespace pagoda {

namespace {

std::string tensorName(DecoderTensor which, int64_t layer) {
  std::string prefix = concat("blk.", layer, ".");
  switch (which) {
  case DecoderTensor::Embedding:
    return "token_embd";
  case DecoderTensor::FinalNorm:
    return "output_norm";
  case DecoderTensor::Head:
    return "output";
  case DecoderTensor::AttentionNorm:
    return prefix + "attn_norm";
  case DecoderTensor::Query:
    return prefix + "attn_q";
  case DecoderTensor::Key:
    return prefix + "attn_k";
  case DecoderTensor::Value:
    return prefix + "attn_v";
  case DecoderTensor::Output:
    return prefix + "attn_output";
  case DecoderTensor::QueryNorm:
    return prefix + "attn_q_norm";
  case DecoderTensor::KeyNorm:
    return prefix + "attn_k_norm";
  case DecoderTensor::MlpNorm:
    return prefix + "ffn_norm";
  case DecoderTensor::Gate:
    return prefix + "ffn_gate";
  case DecoderTensor::Up:
    return prefix + "ffn_up";
  case DecoderTensor::Down:
    return prefix + "ffn_down";
  }
  return {};
}

/// Metadata of one architecture, with the keys' prefix put in front.
class Metadata {
public:
  Metadata(const GgufFile &file, std::string prefix)
      : file(file), prefix(std::move(prefix) + ".") {}

  std::string key(const char *name) const { return prefix + name; }
  bool has(const char *name) const { return file.findValue(key(name)); }

  StatusOr<int64_t> size(const char *name,
                         std::optional<int64_t> otherwise = {}) const {
    if (otherwise && !has(name))
      return *otherwise;
    PAGODA_ASSIGN_OR_RETURN(int64_t value, file.getI64(key(name)));
    if (value <= 0 || value > (int64_t(1) << 31))
      return corruptData("'", key(name), "' is ", value,
                         ", which is no size of a model");
    return value;
  }
  StatusOr<double> number(const char *name,
                          std::optional<double> otherwise = {}) const {
    return file.getF64(key(name), otherwise);
  }

private:
  const GgufFile &file;
  std::string prefix;
};

StatusOr<RopeDescription> readRope(const GgufFile &file,
                                   const Metadata &metadata,
                                   const DecoderDescription &model) {
  RopeDescription rope;
  PAGODA_ASSIGN_OR_RETURN(double theta,
                          metadata.number("rope.freq_base", 10000));
  PAGODA_ASSIGN_OR_RETURN(int64_t dims,
                          metadata.size("rope.dimension_count", model.headDim));
  if (!(theta > 1 && theta < 1e12))
    return corruptData("'", metadata.key("rope.freq_base"),
                       "' must be greater than 1");
  if (dims > model.headDim || dims % 2 != 0)
    return corruptData("'", metadata.key("rope.dimension_count"), "' is ", dims,
                       " of heads with ", model.headDim, " elements");
  rope.frequencies = ropeFrequencies(theta, dims);

  PAGODA_ASSIGN_OR_RETURN(
      std::string_view rule,
      file.getString(metadata.key("rope.scaling.type"), "none"));
  if (rule == "linear" || rule == "yarn") {
    PAGODA_ASSIGN_OR_RETURN(double factor,
                            metadata.number("rope.scaling.factor"));
    if (!(factor >= 1 && factor < 1e6))
      return corruptData("'", metadata.key("rope.scaling.factor"), "' is ",
                         factor, ", which is not at least 1");
    if (rule == "linear") {
      scaleLinear(rope.frequencies, factor);
    } else {
      PAGODA_ASSIGN_OR_RETURN(
          int64_t original,
          metadata.size("rope.scaling.original_context_length",
                        model.contextLength));
      scaleYarn(rope.frequencies, theta, {factor, original});
      PAGODA_ASSIGN_OR_RETURN(double attention,
                              metadata.number("rope.scaling.attn_factor", 1.0));
      rope.magnitude = static_cast<float>(yarnMagnitude(factor) * attention);
    }
  } else if (rule != "none") {
    return unsupported("'", metadata.key("rope.scaling.type"), "' is '", rule,
                       "', which Pagoda does not compute");
  }

  // Llama 3 files carry a divisor for each frequency.
  if (const GgufTensor *factors = file.findTensor("rope_freqs.weight")) {
    PAGODA_ASSIGN_OR_RETURN(ElementType type, file.elementType(*factors));
    if (!(type == ElementType(DType::F32)) ||
        factors->bytes.size() != rope.frequencies.size() * sizeof(float))
      return corruptData("'rope_freqs.weight' must hold ",
                         rope.frequencies.size(), " numbers of f32");
    for (size_t i = 0; i < rope.frequencies.size(); ++i) {
      float factor;
      std::memcpy(&factor, factors->bytes.data() + i * sizeof factor,
                  sizeof factor);
      if (!(factor > 0))
        return corruptData("'rope_freqs.weight' must be positive");
      rope.frequencies[i] /= factor;
    }
  }
  return rope;
}

StatusOr<DecoderDescription> readDecoder(const GgufFile &file,
                                         const std::string &architecture) {
  if (architecture != "llama" && architecture != "qwen2" &&
      architecture != "qwen3")
    return unsupported("'general.architecture' is '", architecture,
                       "', which Pagoda does not import; it imports llama "
                       "(with mistral), qwen2 and qwen3");
  Metadata metadata(file, architecture);
  DecoderDescription model;
  model.architecture = architecture;
  const GgufTensor *table = file.findTensor("token_embd.weight");
  if (!table || table->shape().size() != 2)
    return corruptData("there is no matrix 'token_embd.weight'");
  model.vocabulary = table->shape()[0];
  PAGODA_ASSIGN_OR_RETURN(model.hidden, metadata.size("embedding_length"));
  PAGODA_ASSIGN_OR_RETURN(model.layers, metadata.size("block_count"));
  PAGODA_ASSIGN_OR_RETURN(model.mlp, metadata.size("feed_forward_length"));
  PAGODA_ASSIGN_OR_RETURN(model.heads, metadata.size("attention.head_count"));
  PAGODA_ASSIGN_OR_RETURN(
      model.kvHeads, metadata.size("attention.head_count_kv", model.heads));
  PAGODA_ASSIGN_OR_RETURN(
      model.headDim,
      metadata.size("attention.key_length", model.hidden / model.heads));
  PAGODA_ASSIGN_OR_RETURN(
      int64_t valueDim, metadata.size("attention.value_length", model.headDim));
  PAGODA_ASSIGN_OR_RETURN(model.contextLength, metadata.size("context_length"));
  PAGODA_ASSIGN_OR_RETURN(model.epsilon,
                          metadata.number("attention.layer_norm_rms_epsilon"));
  if (model.layers > 4096 || model.heads % model.kvHeads != 0 ||
      valueDim != model.headDim || model.headDim % 2 != 0 ||
      !(model.epsilon >= 0 && model.epsilon < 1))
    return corruptData("the sizes under '", architecture,
                       ".' do not belong to one model");
  for (const char *key :
       {"expert_count", "attn_logit_softcapping", "logit_scale",
        "attention.sliding_window_pattern", "residual_scale", "embedding_scale",
        "attention.scale"})
    if (metadata.has(key)) {
      PAGODA_ASSIGN_OR_RETURN(double value, metadata.number(key, 0.0));
      if (value != 0)
        return unsupported("the setting '", metadata.key(key),
                           "' is not understood and would change the result");
    }
  model.windows.assign(static_cast<size_t>(model.layers), std::nullopt);
  if (metadata.has("attention.sliding_window")) {
    PAGODA_ASSIGN_OR_RETURN(int64_t window,
                            metadata.size("attention.sliding_window"));
    model.windows.assign(static_cast<size_t>(model.layers), window);
  }
  // The converter stores llama's queries and keys for pairs side by side.
  PAGODA_ASSIGN_OR_RETURN(model.rope, readRope(file, metadata, model));
  model.rope.style = architecture == "llama" ? llm::RopeStyle::Interleaved
                                             : llm::RopeStyle::Half;
  model.tiedHead = !file.findTensor("output.weight");
  model.headNorms = architecture == "qwen3";
  auto hasBias = [&](DecoderTensor which) {
    return file.findTensor(tensorName(which, 0) + ".bias") != nullptr;
  };
  model.qkvBias = hasBias(DecoderTensor::Query);
  model.outputBias = hasBias(DecoderTensor::Output);
  model.mlpBias = hasBias(DecoderTensor::Gate);

  PAGODA_ASSIGN_OR_RETURN(
      model.bos, file.getI64("tokenizer.ggml.bos_token_id", int64_t(-1)));
  for (const char *key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    PAGODA_ASSIGN_OR_RETURN(int64_t id, file.getI64(key, int64_t(-1)));
    if (id >= model.vocabulary)
      return corruptData("'", key, "' is ", id, " of ", model.vocabulary,
                         " tokens");
    if (id >= 0)
      model.stopTokens.push_back(static_cast<int32_t>(id));
  }
  return model;
}

StatusOr<ImportedModel> import(const std::string &name,
                               mlir::MLIRContext &context,
                               const ImportOptions &options) {
  PAGODA_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open(name));
  PAGODA_ASSIGN_OR_RETURN(std::string_view architecture,
                          file.getString("general.architecture"));
  PAGODA_ASSIGN_OR_RETURN(DecoderDescription model,
                          readDecoder(file, std::string(architecture)));
  if (options.contextLength)
    model.contextLength = *options.contextLength;
  std::filesystem::path path =
      std::filesystem::absolute(name).lexically_normal();
  model.name = path.stem().string();
  PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<TensorSource> source,
                          TensorSource::open(name));
  auto mayIgnore = [](std::string_view name) {
    return name == "rope_freqs.weight";
  };
  ImportedModel imported;
  imported.sourceFolder = path.parent_path().string();
  PAGODA_ASSIGN_OR_RETURN(imported.module,
                          buildDecoder(model, tensorName, *source,
                                       path.filename().string(), context,
                                       mayIgnore));
  return imported;
}

} // namespace

StatusOr<ImportedModel> importGguf(const std::string &path,
                                   mlir::MLIRContext &context,
                                   const ImportOptions &options) {
  return import(path, context, options).withPath(path);
}

} // namespace pagoda
