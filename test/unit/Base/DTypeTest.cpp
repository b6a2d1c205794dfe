#include "pagoda/Base/DType.h"

#include <gtest/gtest.h>

using namespace pagoda;

TEST(DType, NamesAndSizesAgree) {
  for (DType type :
       {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32,
        DType::I16, DType::I8, DType::U8, DType::Bool})
    EXPECT_EQ(dtypeByName(dtypeName(type)), type) << dtypeName(type);
  EXPECT_EQ(dtypeBytes(DType::F64), 8u);
  EXPECT_EQ(dtypeBytes(DType::BF16), 2u);
  EXPECT_FALSE(dtypeByName("f8"));
}

// Block sizes as GGUF stores them (type ids 2, 3, 8, 12, 14).
TEST(QuantFormat, BlocksHaveTheSizesOfGguf) {
  struct Row {
    const char *name;
    unsigned elements, bytes;
  } rows[] = {{"q4_0", 32, 18},
              {"q4_1", 32, 20},
              {"q8_0", 32, 34},
              {"q4_k", 256, 144},
              {"q6_k", 256, 210}};
  for (const Row &row : rows) {
    auto format = quantFormatByName(row.name);
    ASSERT_TRUE(format) << row.name;
    EXPECT_EQ(format->blockElements(), row.elements) << row.name;
    EXPECT_EQ(format->blockBytes(), row.bytes) << row.name;
    EXPECT_EQ(format->name(), row.name);
  }
}

TEST(QuantFormat, CodesSpanTheirBits) {
  EXPECT_EQ(QuantFormat::q8_0().minCode(), -128);
  EXPECT_EQ(QuantFormat::q8_0().maxCode(), 127);
  EXPECT_EQ(QuantFormat::q6_k().minCode(), 0);
  EXPECT_EQ(QuantFormat::q6_k().maxCode(), 63);
}

TEST(QuantFormat, UnnamedFormatsAreSpeltOut) {
  QuantFormat format{8, 64, ScaleKind::F32, ZeroKind::Signed};
  EXPECT_EQ(format.name(), "q<i8, group = 64, scale = f32>");
  EXPECT_EQ(ElementType::quantised(format).rowBytes(128), 2u * (64 + 4));
}
