// The packed layout: single elements at the bytes that docs/packing.md gives.

#include "pagoda/Base/Random.h"
#include "pagoda/Reference/Ops/Storage.h"

#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::reference;

namespace {

/// A matrix of zeros but for one number or code.
Tensor single(const ElementType &type, int64_t rows, int64_t columns,
              int64_t row, int64_t column, int code) {
  Tensor matrix = Tensor::zeros(type, {rows, columns});
  if (type.isQuantised())
    matrix.codes[row * columns + column] = static_cast<int16_t>(code);
  else
    matrix.numbers[row * columns + column] = code;
  return matrix;
}

/// Packs, and checks that the one byte that is not 0 is the expected one.
void expectByte(const Tensor &matrix, size_t bytes, size_t place, int value) {
  auto packed = packTile32(matrix);
  ASSERT_TRUE(packed.ok()) << packed.status().message();
  ASSERT_EQ(packed->size(), bytes);
  for (size_t i = 0; i < bytes; ++i)
    ASSERT_EQ(std::to_integer<int>((*packed)[i]), i == place ? value : 0)
        << "byte " << i;
}

const ElementType kNibblesAndMinimum =
    ElementType::quantised(QuantFormat::q4_1());
const ElementType kBytes = ElementType::quantised(QuantFormat::q8_0());
const ElementType kSuperNibbles = ElementType::quantised(QuantFormat::q4_k());
const ElementType kSuperSixBits = ElementType::quantised(QuantFormat::q6_k());

// 2.0 has one byte that is not 0, the last: of f32, f16 and bf16 alike.
TEST(Tile32, Floats) {
  // Row 35 is lane 3 of tile 1; column 40 is input 8 of record 1.
  expectByte(single(DType::F32, 64, 64, 35, 40, 2), size_t{2} * 2 * 4096,
             2 * 4096 + (40 * 32 + 3) * 4 + 3, 0x40);
  expectByte(single(DType::F16, 64, 64, 35, 40, 2), size_t{2} * 2 * 2048,
             2 * 2048 + (40 * 32 + 3) * 2 + 1, 0x40);
  // Columns 40 and 41 of a lane are neighbours.
  expectByte(single(DType::BF16, 64, 64, 35, 41, 2), size_t{2} * 2 * 2048,
             2 * 2048 + 20 * 128 + 3 * 4 + 2 + 1, 0x40);
}

TEST(Tile32, Nibbles) {
  // Column 5: word 1, byte 1, low nibble. Column 21 is in the high one.
  expectByte(single(kNibblesAndMinimum, 32, 32, 3, 5, 9), 640, 128 + 3 * 4 + 1,
             0x09);
  expectByte(single(kNibblesAndMinimum, 32, 32, 3, 21, 9), 640, 128 + 3 * 4 + 1,
             0x90);
  // The second record.
  expectByte(single(kNibblesAndMinimum, 32, 64, 3, 37, 9), 1280,
             640 + 128 + 3 * 4 + 1, 0x09);
  Tensor numbers = Tensor::zeros(kNibblesAndMinimum, {32, 32});
  numbers.scales[7] = 2;
  expectByte(numbers, 640, 512 + 7 * 2 + 1, 0x40);
  numbers.scales[7] = 0;
  numbers.minimums[7] = -2;
  expectByte(numbers, 640, 576 + 7 * 2 + 1, 0xc0);
}

// Codes of 8 bits are stored with 128 added, in rows that exist.
TEST(Tile32, Bytes) {
  auto packed = packTile32(single(kBytes, 31, 32, 3, 21, -3));
  ASSERT_TRUE(packed.ok());
  ASSERT_EQ(packed->size(), 1088u);
  EXPECT_EQ((*packed)[5u * 128 + 3 * 4 + 1], std::byte(125));
  EXPECT_EQ((*packed)[5u * 128 + 3 * 4 + 2], std::byte(128));
  EXPECT_EQ((*packed)[31u * 4], std::byte(0)); // row 31 fills up the tile
}

TEST(Tile32, SuperBlocks) {
  // Column 69 is input 5 of part 2.
  expectByte(single(kSuperNibbles, 32, 256, 3, 69, 9), 4736,
             128 + 2 * 576 + 128 + 3 * 4 + 1, 0x09);
  Tensor k = Tensor::zeros(kSuperNibbles, {32, 256});
  k.scales[3 * 8 + 2] = 33;
  expectByte(k, 4736, 128 + 2 * 576 + 512 + 3, 33);
  k.scales[3 * 8 + 2] = 0;
  k.minimums[3 * 8 + 2] = 34;
  expectByte(k, 4736, 128 + 2 * 576 + 544 + 3, 34);
  k.minimums[3 * 8 + 2] = 0;
  k.superMinimums[3] = 2;
  expectByte(k, 4736, 64 + 3 * 2 + 1, 0x40);

  // Column 77 is input 13 of part 2; 16 has only upper bits: pair 01, in bits
  // 2 and 3 because 13 / 8 = 1.
  expectByte(single(kSuperSixBits, 32, 256, 3, 77, 16), 6720,
             64 + 2 * 832 + 512 + 128 + 3 * 4 + 1, 0x04);
  expectByte(single(kSuperSixBits, 32, 256, 3, 77, 9), 6720,
             64 + 2 * 832 + 3 * 128 + 3 * 4 + 1, 0x09);
  Tensor q = Tensor::zeros(kSuperSixBits, {32, 256});
  q.scales[3 * 16 + 5] = -2; // the second half of part 2
  expectByte(q, 6720, 64 + 2 * 832 + 768 + 32 + 3, 0xfe);
}

TEST(Tile32, UnpackingAnyRowsUndoesPacking) {
  for (ElementType type :
       {ElementType(DType::F32), ElementType(DType::F16),
        ElementType(DType::BF16), ElementType::quantised(QuantFormat::q4_0()),
        kNibblesAndMinimum, kBytes, kSuperNibbles, kSuperSixBits}) {
    int64_t rows = 77, columns = 512;
    std::vector<std::byte> bytes(rows * type.rowBytes(columns));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = std::byte(mix64(i) & 0x3b); // no infinities, no NaN
    auto matrix = loadRows(type, {rows, columns}, bytes);
    ASSERT_TRUE(matrix.ok());
    auto packed = packTile32(*matrix);
    ASSERT_TRUE(packed.ok()) << packed.status().message();
    auto some = unpackTile32(type, columns, *packed, 30, 40);
    ASSERT_TRUE(some.ok());
    auto back = storeRows(*some);
    ASSERT_TRUE(back.ok());
    size_t rowBytes = type.rowBytes(columns);
    EXPECT_TRUE(
        std::equal(back->begin(), back->end(), bytes.begin() + 30 * rowBytes))
        << type.name();
  }
}

TEST(Tile32, OddRequestsAreErrors) {
  EXPECT_EQ(tile32Bytes(DType::I8, 64).status().message(),
            "matrices of i8 have no tile32 form");
  std::vector<std::byte> one(4096);
  EXPECT_TRUE(unpackTile32(DType::F32, 32, one, 0, 32).ok());
  EXPECT_EQ(unpackTile32(DType::F32, 32, one, 31, 2).status().message(),
            "row 32 lies behind the packed tiles");
}

} // namespace
