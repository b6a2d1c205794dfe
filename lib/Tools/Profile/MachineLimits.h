//===- MachineLimits.h - What this machine can do at most -------*- C++ -*-===//
//
// Measures what programs are held against: how fast the cores read together,
// each a stream of its own, and how fast they multiply.
//
//   MachineLimits limits = measureLimits(/*threads=*/2, /*readBytes=*/98 <<
//   20);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_PROFILE_MACHINELIMITS_H
#define PAGODA_LIB_TOOLS_PROFILE_MACHINELIMITS_H

#include <cstdint>

namespace pagoda {

/// All threads together.
struct MachineLimits {
  double readBytesPerSecond = 0;
  /// A multiplication and an addition are two operations. For 8-bit integers
  /// the best of VNNI and AVX2 that the CPU has; 0 on other architectures.
  double int8OperationsPerSecond = 0;
  double floatOperationsPerSecond = 0;
};

/// The best of some runs, about a quarter of a second each kind. `readBytes` is
/// the size of what is read: what fits a cache is read faster.
MachineLimits measureLimits(unsigned threads, uint64_t readBytes);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_PROFILE_MACHINELIMITS_H
