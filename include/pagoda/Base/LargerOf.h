//===- LargerOf.h - A maximum that does not lose NaN ------------*- C++ -*-===//
//
// largerOf(a, b) is NaN if a or b is. For the largest difference of two
// tensors: std::max(a, b) forgets a NaN as soon as a number follows, and a
// comparison with a bound then passes. Check the result by !(largest <= bound).
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_LARGEROF_H
#define PAGODA_BASE_LARGEROF_H

namespace pagoda {

inline double largerOf(double a, double b) { return a >= b || a != a ? a : b; }

} // namespace pagoda

#endif // PAGODA_BASE_LARGEROF_H
