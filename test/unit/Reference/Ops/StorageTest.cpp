// Row-major bytes: small cases by hand, and lib/Weights' codec as a second
// opinion on whole blocks.

#include "pagoda/Reference/Ops/Storage.h"

#include "pagoda/Base/Random.h"
#include "pagoda/Weights/BlockCodec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::reference;
using testing::ElementsAre;

namespace {

std::vector<std::byte> bytesOf(std::initializer_list<int> list) {
  std::vector<std::byte> bytes;
  for (int value : list)
    bytes.push_back(std::byte(value));
  return bytes;
}

TEST(Storage, Scalars) {
  auto load = [](DType type, std::initializer_list<int> list) {
    return loadRows(type, {1}, bytesOf(list))->numbers[0];
  };
  EXPECT_EQ(load(DType::F32, {0, 0, 0x80, 0xbf}), -1);
  EXPECT_EQ(load(DType::F16, {0, 0x3e}), 1.5);
  EXPECT_EQ(load(DType::BF16, {0x40, 0xc0}), -3);
  EXPECT_EQ(load(DType::F64, {0, 0, 0, 0, 0, 0, 0, 0x40}), 2);
  EXPECT_EQ(load(DType::I32, {0xfe, 0xff, 0xff, 0xff}), -2);
  EXPECT_EQ(load(DType::I16, {0x34, 0x12}), 0x1234);
  EXPECT_EQ(load(DType::I8, {0x80}), -128);
  EXPECT_EQ(load(DType::U8, {0x80}), 128);
}

// i4, group 4, f16: scale 2.0, codes 1, -8, -1, 7.
TEST(Storage, SmallFormatsBitByBit) {
  QuantFormat i4{4, 4, ScaleKind::F16, ZeroKind::Signed};
  auto tensor =
      loadRows(ElementType::quantised(i4), {4}, bytesOf({0, 0x40, 0xf1, 0x78}));
  ASSERT_TRUE(tensor.ok());
  EXPECT_THAT(tensor->codes, ElementsAre(1, -8, -1, 7));
  EXPECT_THAT(tensor->values(), ElementsAre(2, -16, -2, 14));
  // u8 with a minimum, group 2, f16: scale 2.0, minimum -1.0, codes 0, 255.
  QuantFormat u8{8, 2, ScaleKind::F16, ZeroKind::Minimum};
  tensor = loadRows(ElementType::quantised(u8), {2},
                    bytesOf({0, 0x40, 0, 0xbc, 0, 0xff}));
  ASSERT_TRUE(tensor.ok());
  EXPECT_THAT(tensor->values(), ElementsAre(-1, 509));
}

// The last scale and minimum of a q4_k block, whose bits lie in three bytes.
TEST(Storage, SixBitScales) {
  std::vector<std::byte> block(144);
  block[1] = std::byte(0x3c);      // super scale 1.0
  block[3] = std::byte(0x3c);      // super minimum 1.0
  block[4 + 3] = std::byte(0x80);  // scale 7: upper bits 10
  block[4 + 7] = std::byte(0x40);  // minimum 7: upper bits 01
  block[4 + 11] = std::byte(0x95); // lower bits 0101 and 1001
  auto tensor =
      loadRows(ElementType::quantised(QuantFormat::q4_k()), {256}, block);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->scales[7], 0b100101);
  EXPECT_EQ(tensor->minimums[7], 0b011001);
  EXPECT_EQ(tensor->value(255), -0b011001);
}

TEST(Storage, AgreesWithTheCodecAndComesBack) {
  for (QuantFormat format :
       {QuantFormat::q4_0(), QuantFormat::q4_1(), QuantFormat::q8_0(),
        QuantFormat::q4_k(), QuantFormat::q6_k(),
        QuantFormat{4, 128, ScaleKind::F16, ZeroKind::Minimum},
        QuantFormat{4, 64, ScaleKind::F32, ZeroKind::Signed},
        QuantFormat{8, 32, ScaleKind::F32, ZeroKind::Middle}}) {
    int64_t elements = int64_t{3} * format.blockElements();
    std::vector<float> values(elements), decoded(elements);
    for (int64_t i = 0; i < elements; ++i)
      values[i] = static_cast<float>(randomNormal(5, i));
    ElementType type = ElementType::quantised(format);
    std::vector<std::byte> row(type.rowBytes(elements));
    ASSERT_TRUE(encodeRow(format, values, row).ok());
    ASSERT_TRUE(decodeRow(format, row, decoded).ok());
    auto tensor = loadRows(type, {elements}, row);
    ASSERT_TRUE(tensor.ok());
    for (int64_t i = 0; i < elements; ++i)
      ASSERT_EQ(static_cast<float>(tensor->value(i)), decoded[i])
          << format.name() << " element " << i;
    auto stored = storeRows(*tensor);
    ASSERT_TRUE(stored.ok());
    EXPECT_EQ(*stored, row) << format.name();
  }
}

TEST(Storage, StoringRounds) {
  auto bytes =
      storeRows(Tensor::ofNumbers({1}, {1 + 0x1p-11 + 0x1p-40}, DType::F16));
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(*bytes, ElementsAre(std::byte(0x01), std::byte(0x3c)));
}

TEST(Storage, OddRequestsAreErrors) {
  ElementType format = ElementType::quantised(QuantFormat::q4_1());
  EXPECT_EQ(
      loadRows(format, {64}, std::vector<std::byte>(39)).status().message(),
      "64 elements of q4_1 do not have 39 bytes");
  EXPECT_FALSE(loadRows(format, {33}, std::vector<std::byte>(20)).ok());
  ElementType odd =
      ElementType::quantised({3, 32, ScaleKind::F16, ZeroKind::Middle});
  EXPECT_FALSE(isStorable(odd));
  EXPECT_EQ(loadRows(odd, {32}, {}).status().code(), StatusCode::Unsupported);
}

} // namespace
