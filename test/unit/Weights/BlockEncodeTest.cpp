#include "pagoda/Weights/BlockCodec.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace pagoda;

namespace {

std::string hex(const std::vector<std::byte> &bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::byte b : bytes) {
    text += digits[unsigned(b) >> 4];
    text += digits[unsigned(b) & 15];
  }
  return text;
}

std::vector<std::byte> encoded(const QuantFormat &format,
                               const std::vector<float> &values) {
  std::vector<std::byte> row(
      ElementType::quantised(format).rowBytes(values.size()));
  Status status = encodeRow(format, values, row);
  EXPECT_TRUE(status.ok()) << status.message();
  return row;
}

std::vector<float> decoded(const QuantFormat &format,
                           const std::vector<float> &values) {
  std::vector<float> result(values.size());
  EXPECT_TRUE(decodeRow(format, encoded(format, values), result).ok());
  return result;
}

/// Root of the mean squared error, relative to that of the values.
double relativeError(const QuantFormat &format, float offset) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(offset, 1.0f);
  std::vector<float> values(1 << 15);
  for (float &value : values)
    value = normal(random);
  std::vector<float> result = decoded(format, values);
  double error = 0, power = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    error += std::pow(double(values[i]) - result[i], 2);
    power += std::pow(double(values[i]), 2);
  }
  return std::sqrt(error / power);
}

} // namespace

// Bytes of ggml's reference encoders for x_i = (i - 15.5) / 4.
TEST(BlockEncode, GoldenBlocks) {
  std::vector<float> ramp(32);
  for (int i = 0; i < 32; ++i)
    ramp[i] = (i - 15.5f) / 4;
  EXPECT_EQ(hex(encoded(QuantFormat::q4_0(), ramp)),
            "c037809191a2a2b3b3c4c4d5d5e6e6f7f7f8");
  EXPECT_EQ(hex(encoded(QuantFormat::q4_1(), ramp)),
            "2238c0c380809191a2a2b3b3c4c4d5d5e6e6f7f7");
  EXPECT_EQ(hex(encoded(QuantFormat::q8_0(), ramp)),
            "d0278189919aa2aab2bac3cbd3dbe3ecf4fc040c141d252d353d464e565e666f77"
            "7f");
}

// Four bits of a normal distribution carry about 7 to 9 % error, six 2 %,
// eight 0.5 %. A wrong nibble order would give more than 100 %.
TEST(BlockEncode, ErrorsAreThoseOfTheFormat) {
  EXPECT_LT(relativeError(QuantFormat::q4_0(), 0), 0.10);
  EXPECT_LT(relativeError(QuantFormat::q4_1(), 0), 0.09);
  EXPECT_LT(relativeError(QuantFormat::q8_0(), 0), 0.007);
  EXPECT_LT(relativeError(QuantFormat::q4_k(), 0), 0.09);
  EXPECT_LT(relativeError(QuantFormat::q6_k(), 0), 0.03);
  EXPECT_LT(relativeError({4, 64, ScaleKind::F32, ZeroKind::Signed}, 0), 0.15);
  EXPECT_LT(relativeError({8, 64, ScaleKind::F16, ZeroKind::Minimum}, 0),
            0.007);
  EXPECT_LT(relativeError({8, 64, ScaleKind::F32, ZeroKind::Middle}, 0), 0.01);
  // Minimums pay where the values lie off zero.
  EXPECT_LT(relativeError(QuantFormat::q4_1(), 4), 0.03);
  EXPECT_LT(relativeError(QuantFormat::q4_k(), -4), 0.03);
}

TEST(BlockEncode, ZerosAndConstantsAreExact) {
  for (const QuantFormat &format :
       {QuantFormat::q4_0(), QuantFormat::q4_1(), QuantFormat::q8_0(),
        QuantFormat::q4_k(), QuantFormat::q6_k()}) {
    std::vector<float> zeros(256, 0.0f);
    EXPECT_EQ(decoded(format, zeros), zeros) << format.name();
  }
  std::vector<float> ones(256, 1.0f);
  EXPECT_EQ(decoded(QuantFormat::q4_0(), ones), ones);
  EXPECT_EQ(decoded(QuantFormat::q4_1(), ones), ones);
}

TEST(BlockEncode, ExtremeValuesNeitherFaultNorLie) {
  float tiny = std::numeric_limits<float>::denorm_min();
  for (const QuantFormat &format :
       {QuantFormat::q4_0(), QuantFormat::q4_1(), QuantFormat::q8_0(),
        QuantFormat::q4_k(), QuantFormat::q6_k(),
        QuantFormat{8, 64, ScaleKind::F32, ZeroKind::Signed}}) {
    std::vector<float> values(256, tiny);
    values[3] = -3 * tiny;
    for (float value : decoded(format, values))
      EXPECT_NEAR(value, 0.0f, 1e-30f) << format.name();
  }
  // A group of tiny steps beside one with a large minimum.
  std::vector<float> mixed(256, -60000.0f);
  for (int i = 0; i < 32; ++i)
    mixed[i] = -1e-7f * float(i);
  decoded(QuantFormat::q4_k(), mixed);

  std::vector<float> values(256, 1.0f);
  std::vector<std::byte> row(8 * 18);
  values[70] = 1e9f;
  EXPECT_EQ(encodeRow(QuantFormat::q4_0(), values, row).message(),
            "elements 64 to 96 of a row are too large for the scales of q4_0");
  values[70] = NAN;
  EXPECT_EQ(encodeRow(QuantFormat::q4_0(), values, row).message(),
            "element 70 of a row is nan, which q4_0 cannot hold");
  for (const QuantFormat &format :
       {QuantFormat::q4_1(), QuantFormat::q8_0(), QuantFormat::q4_k(),
        QuantFormat::q6_k(),
        QuantFormat{4, 32, ScaleKind::F32, ZeroKind::Minimum}}) {
    std::vector<float> huge(256, -3e38f);
    huge[0] = 3e38f;
    std::vector<std::byte> bytes(
        ElementType::quantised(format).rowBytes(huge.size()));
    EXPECT_FALSE(encodeRow(format, huge, bytes).ok()) << format.name();
  }
}
