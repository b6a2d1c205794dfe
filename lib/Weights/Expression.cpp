#include "pagoda/Weights/Expression.h"

#include "pagoda/Base/Random.h"

#include <cmath>
#include <cstring>

namespace pagoda {

namespace {

class SourceWeight final : public WeightExpression {
public:
  SourceWeight(WeightShape shape, ElementType type,
               std::span<const std::byte> bytes)
      : WeightExpression(std::move(shape), type), bytes(bytes) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    std::memcpy(out, bytes.data() + first * rowBytes(), count * rowBytes());
    return {};
  }

private:
  std::span<const std::byte> bytes;
};

class ConstantWeight final : public WeightExpression {
public:
  ConstantWeight(WeightShape shape, std::vector<float> numbers)
      : WeightExpression(std::move(shape), DType::F32),
        numbers(std::move(numbers)) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    std::memcpy(out, numbers.data() + first * rowBytes() / sizeof(float),
                count * rowBytes());
    return {};
  }

private:
  std::vector<float> numbers;
};

class RandomWeight final : public WeightExpression {
public:
  RandomWeight(WeightShape shape, uint64_t stream, double deviation)
      : WeightExpression(std::move(shape), DType::F32), stream(stream),
        deviation(deviation) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    uint64_t elements = static_cast<uint64_t>(rowElements());
    for (uint64_t i = 0; i < count * elements; ++i) {
      float value = static_cast<float>(
          deviation * randomNormal(stream, first * elements + i));
      std::memcpy(out + i * 4, &value, 4);
    }
    return {};
  }

private:
  uint64_t stream;
  double deviation;
};

class RopeTableWeight final : public WeightExpression {
public:
  RopeTableWeight(int64_t positions, std::vector<float> frequencies,
                  float magnitude)
      : WeightExpression(
            {positions, static_cast<int64_t>(frequencies.size()), 2},
            DType::F32),
        frequencies(std::move(frequencies)), magnitude(magnitude) {}

  Status readRows(uint64_t first, uint64_t count,
                  std::byte *out) const override {
    for (uint64_t row = first; row < first + count; ++row) {
      float position = static_cast<float>(row / frequencies.size());
      float angle = position * frequencies[row % frequencies.size()];
      float pair[2] = {
          static_cast<float>(std::cos(double(angle)) * double(magnitude)),
          static_cast<float>(std::sin(double(angle)) * double(magnitude))};
      std::memcpy(out, pair, sizeof pair);
      out += sizeof pair;
    }
    return {};
  }

private:
  std::vector<float> frequencies;
  float magnitude;
};

} // namespace

uint64_t WeightExpression::rows() const {
  uint64_t rows = 1;
  for (size_t axis = 0; axis + 1 < extents.size(); ++axis)
    rows *= static_cast<uint64_t>(extents[axis]);
  return rows;
}

StatusOr<Weight> sourceWeight(WeightShape shape, ElementType type,
                              std::span<const std::byte> bytes) {
  auto weight = std::make_shared<SourceWeight>(std::move(shape), type, bytes);
  uint64_t needed = weight->rows() * weight->rowBytes();
  if (needed != bytes.size())
    return invalidArgument("a tensor of ", needed, " bytes has ", bytes.size());
  return Weight(std::move(weight));
}

Weight randomWeight(WeightShape shape, uint64_t seed, std::string_view name,
                    double deviation) {
  return std::make_shared<RandomWeight>(std::move(shape),
                                        randomStream(seed, name), deviation);
}

Weight constantWeight(WeightShape shape, std::vector<float> numbers) {
  return std::make_shared<ConstantWeight>(std::move(shape), std::move(numbers));
}

Weight ropeTableWeight(int64_t positions, std::vector<float> frequencies,
                       float magnitude) {
  return std::make_shared<RopeTableWeight>(positions, std::move(frequencies),
                                           magnitude);
}

} // namespace pagoda
