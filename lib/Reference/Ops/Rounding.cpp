#include "pagoda/Reference/Ops/Rounding.h"

#include <cmath>
#include <limits>

namespace pagoda::reference {

namespace {

/// `digits` binary digits, the last of which never stands for less than it
/// does at `minExponent`. All steps but nearbyint are exact.
double roundToDigits(double value, int digits, int minExponent,
                     double largest) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int exponent = std::max(std::ilogb(value), minExponent);
  int last = exponent - (digits - 1);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  if (std::abs(rounded) > largest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

} // namespace

double roundTo(DType type, double value) {
  switch (type) {
  case DType::F32:
    if (std::abs(value) <= std::numeric_limits<float>::max())
      return static_cast<float>(value);
    return roundToDigits(value, 24, -126, 0x1.fffffep127);
  case DType::F16:
    return roundToDigits(value, 11, -14, 65504);
  case DType::BF16:
    return roundToDigits(value, 8, -126, 0x1.fep127);
  default:
    return value;
  }
}

} // namespace pagoda::reference
