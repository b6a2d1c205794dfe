// The products of linear/multiply_i8.h by the matrix unit of newer x86 servers
// (AMX): 16 rows of activations times 16 outputs for a group of 32 inputs are
// one instruction. The sums of a group are integers here as there and what
// follows has the same roundings, so the bits are the same.
//
// A tile register holds up to 16 rows of 64 bytes:
//   0 … 3  sums, 16 rows x 16 outputs of i32
//   4, 5   activations, 16 rows x 32 codes
//   6, 7   codes of weights, 8 rows of four inputs x 16 outputs: what
//          spread_tile makes of one group
// The result of an instruction comes some 50 cycles later and one can begin
// every 16, so two groups are on their way while two others are added up.

#ifndef PAGODA_KERNELS_LINEAR_MULTIPLY_AMX_H
#define PAGODA_KERNELS_LINEAR_MULTIPLY_AMX_H

#include "linear/multiply_i8.h"

namespace pagoda {

// Formats whose groups are what one instruction takes, at levels whose CPUs may
// have the unit.
#if defined(__AVX512VNNI__)
template <class Format>
inline constexpr bool kMatrixUnit = Format::kGroup == 32;
#else
template <class Format>
inline constexpr bool kMatrixUnit = false;
#endif

// Rows that go through it together.
inline constexpr int kMatrixRows = 16;

PG_FN bool has_matrix_unit(const PagodaLaunch &launch) {
  return (launch.features & PagodaMatrixUnit) != 0;
}

#if defined(__AVX512VNNI__)

#define PG_MATRIX_FN                                                           \
  [[gnu::always_inline, gnu::target("amx-tile,amx-int8")]] inline

// Shapes of the tile registers (palette 1): bytes of a row, rows.
struct alignas(64) MatrixShapes {
  u8 palette = 1, start = 0, reserved[14] = {};
  unsigned short rowBytes[16] = {64, 64, 64, 64, 32, 32, 64, 64};
  u8 rows[16] = {16, 16, 16, 16, 16, 16, 8, 8};
};
static_assert(sizeof(MatrixShapes) == 64);
inline constexpr MatrixShapes kMatrixShapes;

// The unit belongs to a kernel between these two.
[[gnu::target("amx-tile")]] inline void begin_matrix_unit() {
  __builtin_ia32_tile_loadconfig(&kMatrixShapes);
}
[[gnu::target("amx-tile")]] inline void end_matrix_unit() {
  __builtin_ia32_tilerelease();
}

// Sums of a group of 16 rows: [row][output].
struct MatrixSums {
  alignas(64) i32x16 of[kMatrixRows];
};

template <class Format, int K>
class MatrixProduct {
  using Row = QuantizedRow<K>;
  using Codes = Vectors<Format>;
  static constexpr int kGroups = K / 32;

public:
  // Half v of the outputs of a tile.
  PG_FN MatrixProduct(const TileCodes &tile, const u8 *rows, int v)
      : tile(tile), rows(rows), v(v) {}

  PG_MATRIX_FN void run(f32x16 (&total)[kMatrixRows]) {
    f32x16 sums[kMatrixRows] = {};
    start<0>(0);
    if constexpr (kGroups > 1)
      start<1>(1);
#pragma clang loop unroll(disable)
    for (int g = 0; g < kGroups; g += 4) {
      pass<0, 2>(g, sums);
      if (g + 2 < kGroups)
        pass<2, 0>(g + 2, sums);
    }
    for (int r = 0; r < kMatrixRows; ++r)
      total[r] = sums[r];
  }

private:
  // Begins group g in register C.
  template <int C>
  PG_MATRIX_FN void start(int g) {
    __builtin_ia32_tileloadd64(4 + C % 2, Row::codes(rows) + g * 32,
                               Row::kBytes);
    __builtin_ia32_tileloadd64(6 + C % 2, tile.spread + v * K * 16 + g * 512,
                               64);
    __builtin_ia32_tilezero(C);
    __builtin_ia32_tdpbsud(C, 4 + C % 2, 6 + C % 2);
  }

  // Adds groups g and g + 1, which are in registers Now and Now + 1, after the
  // next two have begun in Next and Next + 1.
  template <int Now, int Next>
  PG_MATRIX_FN void pass(int g, f32x16 (&sums)[kMatrixRows]) {
    MatrixSums products[2];
    __builtin_ia32_tilestored64(Now, &products[0], 64);
    if (g + 1 < kGroups)
      __builtin_ia32_tilestored64(Now + 1, &products[1], 64);
    if (g + 2 < kGroups)
      start<Next>(g + 2);
    if (g + 3 < kGroups)
      start<Next + 1>(g + 3);
    add(products[0], g, sums);
    if (g + 1 < kGroups)
      add(products[1], g + 1, sums);
  }

  PG_FN void add(const MatrixSums &products, int g,
                 f32x16 (&sums)[kMatrixRows]) {
    constexpr int kUndo = kDotBias<Format::kBits> - Format::kOffset;
    constexpr int kParts = Format::kBlock / 32;
    const u8 *record = tile.records + i64(g / kParts) * Format::kRecordBytes;
    f32x16 scale = Codes::scale(record, g % kParts, v);
    f32x16 minimum = Codes::minimum(record, g % kParts, v);
#pragma clang loop unroll(full)
    for (int r = 0; r < kMatrixRows; ++r) {
      const u8 *row = rows + r * Row::kBytes;
      f32x16 sum = to_float(products.of[r]);
      if constexpr (kUndo != 0) // exact
        sum = sum + splat(static_cast<float>(kUndo) * Row::sums(row)[g]);
      sum = sum * scale;
      if constexpr (Format::kMinimum)
        sum = fma(minimum, splat(Row::sums(row)[g]), sum);
      sums[r] = fma(sum, splat(Row::scales(row)[g]), sums[r]);
    }
  }

  const TileCodes &tile;
  const u8 *rows;
  int v;
};

// total[v][r] = the products of 16 rows with half v of the outputs of a tile,
// whose codes are spread.
template <class Format, int K>
[[gnu::noinline, gnu::target("amx-tile,amx-int8")]] void
multiply_by_matrix_unit(const TileCodes &tile, const u8 *rows,
                        f32x16 (&total)[2][kMatrixRows]) {
  for (int v = 0; v < 2; ++v)
    MatrixProduct<Format, K>(tile, rows, v).run(total[v]);
}

#undef PG_MATRIX_FN

#else

PG_FN void begin_matrix_unit() {}
PG_FN void end_matrix_unit() {}

#endif

} // namespace pagoda

#endif // PAGODA_KERNELS_LINEAR_MULTIPLY_AMX_H
