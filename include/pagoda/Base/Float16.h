//===- Float16.h - Half-precision scalars by their bits ---------*- C++ -*-===//
//
// Conversions between float and the bits of IEEE binary16 and bfloat16,
// rounding to nearest, ties to even. NaN stays NaN. For weights, references
// and tests; kernels have their own vector forms.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_FLOAT16_H
#define PAGODA_BASE_FLOAT16_H

#include <bit>
#include <cstdint>

namespace pagoda {

/// Exact: every binary16 is a float.
inline float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 31) // infinity or NaN
    return std::bit_cast<float>(sign | 0x7f800000 | (fraction << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                                (fraction << 13));
  // Subnormal: fraction * 2^-24 is exact in float.
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

inline uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) // NaN: keep it quiet
    return sign | 0x7e00 | static_cast<uint16_t>((magnitude >> 13) & 0x3ff);
  if (magnitude >= 0x477ff000) // rounds to 65536 or more
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below 2^-14: adding 0.5 leaves the rounded multiple of 2^-24 in the low
    // bits of the sum, because 0.5 has that spacing.
    float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return sign |
           static_cast<uint16_t>(std::bit_cast<uint32_t>(sum) - 0x3f000000);
  }
  uint32_t odd = (magnitude >> 13) & 1;
  return sign |
         static_cast<uint16_t>((magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

inline float bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

inline uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

} // namespace pagoda

#endif // PAGODA_BASE_FLOAT16_H
