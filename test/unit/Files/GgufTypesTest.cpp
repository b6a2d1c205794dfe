#include "pagoda/Files/GgufTypes.h"

#include <gtest/gtest.h>
#include <set>

using namespace pagoda;

TEST(GgufTypes, IdsAndNamesAreUnique) {
  std::set<uint32_t> ids;
  std::set<std::string_view> names;
  for (const GgufTensorType &type : ggufTensorTypes()) {
    EXPECT_TRUE(ids.insert(type.id).second) << type.id;
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    EXPECT_EQ(ggufTensorType(type.id), &type);
  }
  EXPECT_EQ(ggufTensorType(4), nullptr);
}

// Base states block sizes on its own; the two must not drift apart.
TEST(GgufTypes, SizesAgreeWithElementTypes) {
  unsigned known = 0;
  for (const GgufTensorType &type : ggufTensorTypes()) {
    if (!type.element)
      continue;
    ++known;
    EXPECT_EQ(type.element->blockElements(), type.blockElements) << type.name;
    EXPECT_EQ(type.element->blockBytes(), type.blockBytes) << type.name;
    EXPECT_EQ(ggufTensorType(*type.element), &type) << type.name;
  }
  EXPECT_EQ(known, 13u);
  EXPECT_EQ(ggufTensorType(ElementType(DType::U8)), nullptr);
}

TEST(GgufTypes, ValuesHaveNamesAndSizes) {
  EXPECT_EQ(ggufValueTypeName(GgufValueType::F64), "f64");
  EXPECT_EQ(ggufValueBytes(GgufValueType::F64), 8u);
  EXPECT_EQ(ggufValueBytes(GgufValueType::Bool), 1u);
  EXPECT_EQ(ggufValueBytes(GgufValueType::String), 0u);
}
