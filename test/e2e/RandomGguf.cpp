#include "RandomGguf.h"

#include "pagoda/Base/Float16.h"
#include "pagoda/Base/Random.h"
#include "pagoda/Files/GgufWriter.h"
#include "pagoda/Weights/BlockCodec.h"

#include <cmath>
#include <cstring>
#include <deque>

namespace pagoda::test {

namespace {

/// Encodes rows of floats as `type`.
StatusOr<std::vector<std::byte>> encode(const std::vector<float> &values,
                                        int64_t columns,
                                        const ElementType &type) {
  uint64_t rowBytes = type.rowBytes(static_cast<uint64_t>(columns));
  size_t rows = values.size() / static_cast<size_t>(columns);
  std::vector<std::byte> bytes(rows * rowBytes);
  for (size_t row = 0; row < rows; ++row) {
    const float *in = values.data() + row * static_cast<size_t>(columns);
    std::byte *out = bytes.data() + row * rowBytes;
    if (type.isQuantised()) {
      PAGODA_RETURN_IF_ERROR(encodeRow(
          type.format(), {in, static_cast<size_t>(columns)}, {out, rowBytes}));
      continue;
    }
    for (int64_t k = 0; k < columns; ++k) {
      if (type.dtype() == DType::F32) {
        std::memcpy(out + k * 4, in + k, 4);
      } else {
        uint16_t bits = type.dtype() == DType::F16 ? floatToHalf(in[k])
                                                   : floatToBfloat(in[k]);
        std::memcpy(out + k * 2, &bits, 2);
      }
    }
  }
  return bytes;
}

} // namespace

Status RandomGguf::write(const std::string &path) const {
  GgufWriter writer;
  writer.addString("general.architecture", "llama");
  auto size = [&](const char *key, int64_t value) {
    writer.addU32(std::string("llama.") + key, static_cast<uint32_t>(value));
  };
  size("context_length", context);
  size("embedding_length", hidden);
  size("block_count", layers);
  size("feed_forward_length", mlp);
  size("attention.head_count", heads);
  size("attention.head_count_kv", kvHeads);
  size("attention.key_length", headDim);
  size("attention.value_length", headDim);
  size("rope.dimension_count", headDim);
  writer.addF32("llama.attention.layer_norm_rms_epsilon", 1e-5f);

  std::deque<std::vector<std::byte>> kept; // until the file is written
  auto matrix = [&](const std::string &name, int64_t rows, int64_t columns,
                    const ElementType &type) -> Status {
    uint64_t stream = randomStream(seed, name);
    double deviation = 1.5 / std::sqrt(static_cast<double>(columns));
    std::vector<float> values(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(deviation * randomNormal(stream, i));
    PAGODA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                            encode(values, columns, type));
    kept.push_back(std::move(bytes));
    return writer.addTensor(name + ".weight", {rows, columns}, type,
                            kept.back());
  };
  auto norm = [&](const std::string &name) -> Status {
    uint64_t stream = randomStream(seed, name);
    std::vector<std::byte> bytes(static_cast<size_t>(hidden) * 4);
    for (int64_t i = 0; i < hidden; ++i) {
      float value = static_cast<float>(
          1 + 0.1 * randomNormal(stream, static_cast<uint64_t>(i)));
      std::memcpy(bytes.data() + i * 4, &value, 4);
    }
    kept.push_back(std::move(bytes));
    return writer.addTensor(name + ".weight", {hidden}, DType::F32,
                            kept.back());
  };

  PAGODA_RETURN_IF_ERROR(matrix("token_embd", vocabulary, hidden, embedding));
  for (int64_t layer = 0; layer < layers; ++layer) {
    std::string prefix = concat("blk.", layer, ".");
    PAGODA_RETURN_IF_ERROR(norm(prefix + "attn_norm"));
    PAGODA_RETURN_IF_ERROR(norm(prefix + "ffn_norm"));
    PAGODA_RETURN_IF_ERROR(
        matrix(prefix + "attn_q", heads * headDim, hidden, linears));
    PAGODA_RETURN_IF_ERROR(
        matrix(prefix + "attn_k", kvHeads * headDim, hidden, linears));
    PAGODA_RETURN_IF_ERROR(
        matrix(prefix + "attn_v", kvHeads * headDim, hidden, sensitive));
    PAGODA_RETURN_IF_ERROR(
        matrix(prefix + "attn_output", hidden, heads * headDim, linears));
    PAGODA_RETURN_IF_ERROR(matrix(prefix + "ffn_gate", mlp, hidden, linears));
    PAGODA_RETURN_IF_ERROR(matrix(prefix + "ffn_up", mlp, hidden, linears));
    PAGODA_RETURN_IF_ERROR(matrix(prefix + "ffn_down", hidden, mlp, sensitive));
  }
  PAGODA_RETURN_IF_ERROR(norm("output_norm"));
  if (!tied)
    PAGODA_RETURN_IF_ERROR(matrix("output", vocabulary, hidden, embedding));
  return writer.write(path);
}

} // namespace pagoda::test
