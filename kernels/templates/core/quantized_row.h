// Rows of activations in 8 bits: K codes; for each 32 of them a scale (f32);
// for each 32 their sum (f32); for each 16 their sum (i16); padded to 64 bytes.

#ifndef PAGODA_KERNELS_CORE_QUANTIZED_ROW_H
#define PAGODA_KERNELS_CORE_QUANTIZED_ROW_H

#include "core/launch.h"
#include "core/math.h"

namespace pagoda {

// Values that share a scale.
inline constexpr int kActivationGroup = 32;

template <int K>
struct QuantizedRow {
  static constexpr int kScales = K;
  static constexpr int kSums = kScales + K / kActivationGroup * 4;
  static constexpr int kHalfSums = kSums + K / kActivationGroup * 4;
  static constexpr i64 kBytes = (kHalfSums + K / 16 * 2 + 63) / 64 * 64;

  PG_FN static const i8 *codes(const u8 *row) {
    return reinterpret_cast<const i8 *>(row);
  }
  PG_FN static const float *scales(const u8 *row) {
    return reinterpret_cast<const float *>(row + kScales);
  }
  PG_FN static const float *sums(const u8 *row) {
    return reinterpret_cast<const float *>(row + kSums);
  }
  PG_FN static const i16 *half_sums(const u8 *row) {
    return reinterpret_cast<const i16 *>(row + kHalfSums);
  }

  // Quantises group `group` of a row, whose elements are value(at).
  template <class Value>
  PG_FN static void store(u8 *row, int group, Value value) {
    quantize_group(group, value, reinterpret_cast<i8 *>(row),
                   reinterpret_cast<float *>(row + kScales),
                   reinterpret_cast<float *>(row + kSums),
                   reinterpret_cast<i16 *>(row + kHalfSums));
  }
};

// Computes a row element by element: value(at) goes through the epilogue of
// Config (see linear/tiles.h), whose result is quantised where it asks for it.
template <class Config, class Value>
PG_FN void finish_elements(const PagodaLaunch &launch, i64 row, Value value) {
  if constexpr (Config::kQuantized >= 0) {
    using Row = QuantizedRow<Config::kK>;
    u8 *out = argument_row<u8>(launch, Config::kQuantized, row, Row::kBytes);
    for (int group = 0; group < Config::kK / kActivationGroup; ++group)
      Row::store(out, group, [&](auto at) {
        return Config::epilogue(launch, row, at, value(at));
      });
  } else {
    Lanes::each<Config::kK>(
        [&](auto at) { (void)Config::epilogue(launch, row, at, value(at)); });
  }
}

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_QUANTIZED_ROW_H
