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

/// A number that float32 put on the other side of a rounding edge is stored as
/// the other neighbour: for f16 that is at most 2^-10 of it, and for the
/// smallest ones 2^-24.
inline constexpr double kHalfUnit = 0x1p-10;
inline constexpr double kSmallestHalf = 0x1p-24;

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_FLOATERROR_H
