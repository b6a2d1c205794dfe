// Elementary functions on the lanes of a target. Our own, so that a lane, a
// tail and another template give the same bits, and so that an image needs no
// libm. Errors are relative and in u = 2^-24, half the distance of 1 and the
// next float; test/kernels/MathTest.cpp holds the functions to them. Results
// below 1.2e-38, times |x| where that is larger than 1, may come out as 0.

#ifndef PAGODA_KERNELS_CORE_MATH_H
#define PAGODA_KERNELS_CORE_MATH_H

#include "core/target.h"

namespace pagoda {

using F = Lanes::F;
using I = Lanes::I;

// NaN if either is NaN, as arith.maximumf and arith.minimumf say.
PG_FN F maximum(F a, F b) {
  return select(a != a, a, select(b != b, b, max(a, b)));
}
PG_FN F minimum(F a, F b) {
  return select(a != a, a, select(b != b, b, min(a, b)));
}

// 2^n for integral n in [-126, 127].
PG_FN F exp2_int(F n) { return as_float((to_int(n) + 127) << 23); }

// 2^n e^(x - n ln 2) for n near x / ln 2: Cody and Waite's reduction, Taylor's
// polynomial of degree 7 on [-ln2/2, ln2/2].
PG_FN F exp_about(F x, F n) {
  F r = fma(n, splat(-0.693359375f), x);
  r = fma(n, splat(2.12194440e-4f), r);
  F p = splat(1.98412698e-4f);
  p = fma(p, r, splat(1.38888889e-3f));
  p = fma(p, r, splat(8.33333333e-3f));
  p = fma(p, r, splat(4.16666667e-2f));
  p = fma(p, r, splat(1.66666667e-1f));
  p = fma(p, r, splat(0.5f));
  p = fma(p, r, splat(1.0f));
  p = fma(p, r, splat(1.0f));
  return p * exp2_int(n);
}

// e^x within 1.5 u; above 88.37, where 2^n stops to follow, within 14 u. 0
// below -87.33 (where results turn subnormal), infinity above 88.72.
PG_FN F exp(F x) {
  F n = round_even(x * 1.44269504f);
  n = min(max(n, splat(-126.0f)), splat(127.0f));
  F y = select(x < splat(-87.33f), splat(0.0f), exp_about(x, n));
  return select(x > splat(88.722839f), splat(bits_to_float(0x7f800000u)), y);
}

// The same for x that is not above 0, with the same bits.
PG_FN F exp_nonpositive(F x) {
  F n = max(round_even(x * 1.44269504f), splat(-126.0f));
  return select(x < splat(-87.33f), splat(0.0f), exp_about(x, n));
}

// tanh(x) within 4 u, by its exponential; odd Taylor terms near 0, where that
// cancels.
PG_FN F tanh(F x) {
  F magnitude = abs(x);
  F e = exp(magnitude * -2.0f);
  F large = (splat(1.0f) - e) / (splat(1.0f) + e);
  F s = x * x;
  F p = splat(2.18694885e-2f);           // 62/2835
  p = fma(p, s, splat(-5.39682540e-2f)); // -17/315
  p = fma(p, s, splat(1.33333333e-1f));
  p = fma(p, s, splat(-3.33333333e-1f));
  F small = fma(p * s, x, x);
  F signedLarge = select(x < splat(0.0f), splat(0.0f) - large, large);
  return select(magnitude < splat(0.2f), small, signedLarge);
}

// The complementary error function (Chebyshev fit of Numerical Recipes, 2nd
// ed., section 6.2, itself within 2 u), within (10 + x^2) u: x^2 is rounded on
// its way into the exponential.
PG_FN F erfc(F x) {
  F z = abs(x);
  F t = splat(1.0f) / fma(z, splat(0.5f), splat(1.0f));
  F p = splat(0.17087277f);
  p = fma(p, t, splat(-0.82215223f));
  p = fma(p, t, splat(1.48851587f));
  p = fma(p, t, splat(-1.13520398f));
  p = fma(p, t, splat(0.27886807f));
  p = fma(p, t, splat(-0.18628806f));
  p = fma(p, t, splat(0.09678418f));
  p = fma(p, t, splat(0.37409196f));
  p = fma(p, t, splat(1.00002368f));
  p = fma(p, t, splat(-1.26551223f));
  F y = t * exp(fma(splat(0.0f) - z, z, p));
  return select(x < splat(0.0f), splat(2.0f) - y, y);
}

// x / (1 + e^-x) within 4 u, for x < -88.37 within 16 u.
PG_FN F silu(F x) { return x / (splat(1.0f) + exp(splat(0.0f) - x)); }

// x * Phi(x) within (12 + 2 x^2) u.
PG_FN F gelu(F x) { return x * 0.5f * erfc(x * -0.70710678f); }

// x * (1 + tanh y) / 2 with y = sqrt(2 / pi) (x + 0.044715 x^3), taken as
// x / (1 + e^-2y), which cancels nothing; within (4 + 5 |2y|) u.
PG_FN F gelu_tanh(F x) {
  F inner = fma(x * x * x, splat(0.044715f), x) * -1.59576912f;
  return x / (splat(1.0f) + exp(inner));
}

PG_FN F relu(F x) { return max(x, splat(0.0f)); }

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_MATH_H
