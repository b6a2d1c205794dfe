//===- FloatError.h - What compiled programs may differ by ------*- C++ -*-===//
//
// Bounds for float32 against float64, with their derivation. For the
// comparison of artifacts with their IR.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_FLOATERROR_H
#define PAGODA_LIB_VERIFY_FLOATERROR_H

namespace pagoda::verify {

/// Relative to the largest logit (or the largest number of a buffer), in a
/// program that rounds nothing narrower than float32. u = 2^-24. On its way to
/// a logit a number is rounded in some 12 places a layer (norms, linears,
/// rotation, scores, softmax, mix, sums, gate), in a linear once for each of
/// the B = 32 + K / 32 additions of the canonical order. Independent roundings
/// in N places amount to u sqrt(N B): for the 3 layers of the small models,
/// N = 40 and B = 34, that is 2.2e-6, and 2e-6 is what is measured; for the 30
/// layers of a 135M model, N = 360 and B = 50, it is 8e-6. The bound leaves
/// room for their sum.
inline constexpr double kFloatBound = 2e-5;

/// One number may come out on the other side of a rounding edge, because
/// float32 put it there: that is one unit of the narrower type, for f16 2^-10
/// of the number. Attention over values in f16 weighs them by probabilities
/// that sum to 1, so a unit in a value is at most that in the output; a unit in
/// a key is allowed as much again.
inline constexpr double kHalfUnits = 0x1p-9;

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_FLOATERROR_H
