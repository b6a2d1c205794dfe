#include "BlockLayout.h"
#include "pagoda/Weights/BlockCodec.h"

#include <algorithm>
#include <cmath>

namespace pagoda {

using namespace blocks;

namespace {

/// 1 / step; 0 where the step is 0 or so small that its inverse overflows: all
/// codes then stand for zero.
float inverse(float step) {
  float result = step == 0.0f ? 0.0f : 1.0f / step;
  return std::isfinite(result) ? result : 0.0f;
}

/// The value of largest magnitude, the first one on ties, with its sign.
float signedExtreme(const float *values, unsigned count) {
  float extreme = 0.0f;
  for (unsigned i = 0; i < count; ++i)
    if (std::fabs(values[i]) > std::fabs(extreme))
      extreme = values[i];
  return extreme;
}

/// Clamped first: a tiny scale beside a large minimum gives steps beyond int.
int roundedCode(float value, int low, int high) {
  return static_cast<int>(std::clamp(std::round(value), static_cast<float>(low),
                                     static_cast<float>(high)));
}

/// The encoders return false where a scale is too large for its type.
template <typename Layout>
bool encode(Layout layout, const float *values, uint8_t *block) {
  unsigned group = layout.group();
  float scale, minimum = 0.0f;
  if constexpr (Layout::hasMinimum) {
    auto [low, high] = std::minmax_element(values, values + group);
    minimum = *low;
    scale = (*high - minimum) / Layout::maxCode;
    layout.storeNumber(block + Layout::scaleBytes, minimum);
  } else if constexpr (Layout::isSigned) {
    scale = std::fabs(signedExtreme(values, group)) / Layout::maxCode;
  } else {
    scale = signedExtreme(values, group) / -Layout::middle;
  }
  layout.storeNumber(block, scale);
  float stored[2];
  layout.loadScales(block, &stored[0]);
  layout.loadMinimums(block, &stored[1]);
  if (!std::isfinite(stored[0]) || !std::isfinite(stored[1]))
    return false;

  // Codes follow from the scale before it was rounded, as in ggml.
  float perStep = inverse(scale);
  layout.storeCodes(block, [&](unsigned i) {
    if constexpr (Layout::isSigned)
      return roundedCode(values[i] * perStep, -Layout::maxCode - 1,
                         Layout::maxCode);
    float steps = (values[i] - minimum) * perStep;
    return std::min(static_cast<int>(steps + (Layout::middle + 0.5f)),
                    Layout::maxCode);
  });
  return true;
}

/// Each group spans from its smallest value, or zero, to its largest; the
/// largest span and the largest minimum of the block set the super scales.
bool encode(Q4KLayout, const float *values, uint8_t *block) {
  using Q4K = Q4KLayout;
  float scales[Q4K::groups], minimums[Q4K::groups];
  for (unsigned g = 0; g < Q4K::groups; ++g) {
    const float *group = values + g * Q4K::groupSize;
    auto [low, high] = std::minmax_element(group, group + Q4K::groupSize);
    minimums[g] = std::max(-*low, 0.0f);
    scales[g] = std::max(*high + minimums[g], 0.0f) / 15;
  }
  float scale = storeHalf(block + Q4K::scaleAt,
                          *std::max_element(scales, std::end(scales)) / 63);
  float minimum =
      storeHalf(block + Q4K::minimumAt,
                *std::max_element(minimums, std::end(minimums)) / 63);
  if (!std::isfinite(scale) || !std::isfinite(minimum))
    return false;
  Q4K::SixBits pairs;
  for (unsigned g = 0; g < Q4K::groups; ++g) {
    int scaleCode = roundedCode(scales[g] * inverse(scale), 0, 63);
    int minimumCode = roundedCode(minimums[g] * inverse(minimum), 0, 63);
    pairs.scale[g] = static_cast<uint8_t>(scaleCode);
    pairs.minimum[g] = static_cast<uint8_t>(minimumCode);
    float perStep = inverse(scale * static_cast<float>(scaleCode));
    float offset = minimum * static_cast<float>(minimumCode);
    for (unsigned i = g * Q4K::groupSize; i < (g + 1) * Q4K::groupSize; ++i) {
      int code = roundedCode((values[i] + offset) * perStep, 0, 15);
      Q4K::addCode(block, i, static_cast<unsigned>(code));
    }
  }
  Q4K::storeSixBits(block, pairs);
  return true;
}

/// Each group's extreme becomes code 0, as in q4_0; the largest scale of the
/// block sets the super scale.
bool encode(Q6KLayout, const float *values, uint8_t *block) {
  using Q6K = Q6KLayout;
  float scales[Q6K::groups];
  float largest = 0.0f;
  for (unsigned g = 0; g < Q6K::groups; ++g) {
    scales[g] = signedExtreme(values + g * Q6K::groupSize, Q6K::groupSize) /
                -Q6K::middle;
    largest = std::max(largest, std::fabs(scales[g]));
  }
  float super = storeHalf(block + Q6K::scaleAt, largest / 127);
  if (!std::isfinite(super))
    return false;
  for (unsigned g = 0; g < Q6K::groups; ++g) {
    int factor = roundedCode(scales[g] * inverse(super), -127, 127);
    block[Q6K::scalesAt + g] = static_cast<uint8_t>(factor);
    float perStep = inverse(super * static_cast<float>(factor));
    for (unsigned i = g * Q6K::groupSize; i < (g + 1) * Q6K::groupSize; ++i) {
      int code =
          roundedCode(values[i] * perStep, -Q6K::middle, Q6K::middle - 1);
      Q6K::addCode(block, i, static_cast<unsigned>(code + Q6K::middle));
    }
  }
  return true;
}

} // namespace

Status encodeRow(const QuantFormat &format, std::span<const float> values,
                 std::span<std::byte> row) {
  PAGODA_RETURN_IF_ERROR(checkRow(format, row.size(), values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      return invalidArgument("element ", i, " of a row is ", values[i],
                             ", which ", format.name(), " cannot hold");
  std::ranges::fill(row, std::byte(0));
  auto *bytes = reinterpret_cast<uint8_t *>(row.data());
  size_t elements = format.blockElements();
  Status status;
  visitLayout(format, [&](auto layout) {
    for (size_t i = 0; i < values.size() && status.ok(); i += elements) {
      if (!encode(layout, values.data() + i,
                  bytes + i / elements * format.blockBytes()))
        status = invalidArgument("elements ", i, " to ", i + elements,
                                 " of a row are too large for the scales of ",
                                 format.name());
    }
  });
  return status;
}

} // namespace pagoda
