#include "pagoda/Weights/BlockCodec.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace pagoda;

namespace {

const QuantFormat formats[] = {
    QuantFormat::q4_0(),
    QuantFormat::q4_1(),
    QuantFormat::q8_0(),
    QuantFormat::q4_k(),
    QuantFormat::q6_k(),
    {4, 128, ScaleKind::F16, ZeroKind::Minimum},
    {4, 64, ScaleKind::F32, ZeroKind::Signed},
    {8, 32, ScaleKind::F32, ZeroKind::Middle},
    {8, 2, ScaleKind::F16, ZeroKind::Signed},
};

/// The block that the goldens were computed from: byte i is 37i + 11, the
/// scale 0.0625, the second half-precision field (if any) 0.03125.
std::vector<std::byte> goldenBlock(const QuantFormat &format) {
  std::vector<std::byte> block(format.blockBytes());
  for (size_t i = 0; i < block.size(); ++i)
    block[i] = std::byte((37 * i + 11) & 255);
  size_t scaleAt = format == QuantFormat::q6_k() ? 208 : 0;
  uint16_t scale = 0x2c00, minimum = 0x2800;
  std::memcpy(block.data() + scaleAt, &scale, 2);
  if (format.hasMinimum())
    std::memcpy(block.data() + 2, &minimum, 2);
  return block;
}

/// A row that stands for normally distributed values.
std::vector<std::byte> randomRow(const QuantFormat &format, size_t blocks,
                                 unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(blocks * format.blockElements());
  std::normal_distribution<float> normal(0.1f, 1.0f);
  for (float &value : values)
    value = normal(random);
  std::vector<std::byte> row(blocks * format.blockBytes());
  EXPECT_TRUE(encodeRow(format, values, row).ok());
  return row;
}

} // namespace

// Values computed with ggml's own formulas in another language.
TEST(BlockDecode, GoldenBlocks) {
  struct Golden {
    QuantFormat format;
    float first, second, eighteenth, last, sum;
  } goldens[] = {
      {QuantFormat::q4_0(), -0.1875f, 0.125f, -0.0625f, 0.0f, -1.3125f},
      {QuantFormat::q4_1(), 0.96875f, 0.28125f, 0.78125f, 0.78125f, 16.3125f},
      {QuantFormat::q8_0(), 5.3125f, 7.625f, -3.375f, -3.0f, -11.0f},
      {QuantFormat::q4_k(), 19.71875f, -1.59375f, -1.59375f, 3.03125f, 3402.5f},
      {QuantFormat::q6_k(), -89.4375f, 106.0f, 32.0f, -3.75f, 288.25f},
  };
  for (const Golden &golden : goldens) {
    std::vector<float> y(golden.format.blockElements());
    ASSERT_TRUE(decodeRow(golden.format, goldenBlock(golden.format), y).ok());
    EXPECT_EQ(y[0], golden.first) << golden.format.name();
    EXPECT_EQ(y[1], golden.second) << golden.format.name();
    EXPECT_EQ(y[17], golden.eighteenth) << golden.format.name();
    EXPECT_EQ(y.back(), golden.last) << golden.format.name();
    // Exact: all terms are multiples of 2^-5 or so.
    EXPECT_EQ(std::accumulate(y.begin(), y.end(), 0.0f), golden.sum)
        << golden.format.name();
  }
}

// A row is its parts, with one rounding.
TEST(BlockDecode, PartsAddUpToTheRow) {
  for (const QuantFormat &format : formats) {
    std::vector<std::byte> row = randomRow(format, 9, 1);
    size_t elements = 9 * format.blockElements();
    std::vector<float> values(elements), scales(elements / format.group),
        minimums(elements / format.group);
    std::vector<int16_t> codes(elements);
    ASSERT_TRUE(decodeRow(format, row, values).ok());
    ASSERT_TRUE(unpackCodes(format, row, codes).ok());
    ASSERT_TRUE(unpackScales(format, row, scales).ok());
    EXPECT_EQ(unpackMinimums(format, row, minimums).ok(), format.hasMinimum());
    int middle = format.zero == ZeroKind::Middle ? 1 << (format.bits - 1) : 0;
    for (size_t i = 0; i < elements; ++i) {
      double scale = scales[i / format.group];
      double minimum = format.hasMinimum() ? minimums[i / format.group] : 0;
      ASSERT_EQ(values[i],
                static_cast<float>(scale * (codes[i] - middle) + minimum))
          << format.name() << " element " << i;
      ASSERT_GE(codes[i], format.minCode());
      ASSERT_LE(codes[i], format.maxCode());
    }
  }
}

TEST(BlockDecode, SmallFormatsBitByBit) {
  // i4, group 4, f16: scale 2.0, codes 1, -8, -1, 7.
  QuantFormat i4{4, 4, ScaleKind::F16, ZeroKind::Signed};
  std::vector<std::byte> row = {std::byte(0x00), std::byte(0x40),
                                std::byte(0xf1), std::byte(0x78)};
  std::vector<float> values(4);
  ASSERT_TRUE(decodeRow(i4, row, values).ok());
  EXPECT_EQ(values, (std::vector<float>{2, -16, -2, 14}));
  // u8 with minimum, group 2, f16: scale 2.0, minimum -1.0, codes 0, 255.
  QuantFormat u8{8, 2, ScaleKind::F16, ZeroKind::Minimum};
  row = {std::byte(0x00), std::byte(0x40), std::byte(0x00),
         std::byte(0xbc), std::byte(0x00), std::byte(0xff)};
  values.resize(2);
  ASSERT_TRUE(decodeRow(u8, row, values).ok());
  EXPECT_EQ(values, (std::vector<float>{-1, 509}));
}

TEST(BlockDecode, OddRequestsAreErrors) {
  QuantFormat format = QuantFormat::q4_1();
  std::vector<std::byte> row(40);
  std::vector<float> values(64), few(32);
  EXPECT_TRUE(decodeRow(format, row, values).ok());
  EXPECT_TRUE(decodeRow(format, {}, {}).ok());
  EXPECT_EQ(decodeRow(format, row, few).message(),
            "a row of 32 elements of q4_1 cannot have 40 bytes");
  EXPECT_FALSE(decodeRow(format, std::span(row).first(39), values).ok());
  EXPECT_FALSE(decodeRow(format, row, std::span(values).first(63)).ok());
  EXPECT_FALSE(unpackScales(format, row, few).ok());
  EXPECT_EQ(unpackMinimums(QuantFormat::q8_0(), {}, {}).message(),
            "q8_0 has no minimums");

  for (QuantFormat odd :
       {QuantFormat{3, 32, ScaleKind::F16, ZeroKind::Middle},
        QuantFormat{4, 33, ScaleKind::F16, ZeroKind::Middle},
        QuantFormat{4, 0, ScaleKind::F16, ZeroKind::Middle},
        QuantFormat{5, 32, ScaleKind::SuperU6, ZeroKind::Minimum}})
    EXPECT_FALSE(hasBlockCodec(odd)) << odd.bits;
  QuantFormat odd{3, 32, ScaleKind::F16, ZeroKind::Middle};
  EXPECT_EQ(decodeRow(odd, {}, {}).code(), StatusCode::Unsupported);
  EXPECT_EQ(decodeRow(odd, {}, {}).message(),
            "there is no codec for q<u3, group = 32, scale = f16>");
  for (const QuantFormat &good : formats)
    EXPECT_TRUE(hasBlockCodec(good)) << good.name();
}

// Bytes from a damaged file decode to something, without fault.
TEST(BlockDecode, AnyBytesDecode) {
  std::mt19937 random(2);
  for (const QuantFormat &format : formats) {
    std::vector<std::byte> row(64 * format.blockBytes());
    for (std::byte &b : row)
      b = std::byte(random());
    std::vector<float> values(64 * format.blockElements());
    EXPECT_TRUE(decodeRow(format, row, values).ok());
  }
}
