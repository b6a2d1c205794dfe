//===- Rounding.h - To the nearest number of a type -------------*- C++ -*-===//
//
// Rounds a float64 once to what a narrower type can hold, ties to even. For
// the ops that round (cast, quantize) and for storage in narrower buffers.
//
//   roundTo(DType::F16, 1.0 + 0x1p-11 + 0x1p-40); // 1 + 2^-10
//
// Going through float32 on the way would give 1 there: its rounding ends on
// the tie of the second one.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_OPS_ROUNDING_H
#define PAGODA_REFERENCE_OPS_ROUNDING_H

#include "pagoda/Base/DType.h"

namespace pagoda::reference {

/// Float types; anything else comes back as it is. Beyond the largest finite
/// number lies infinity, as IEEE 754 has it.
double roundTo(DType type, double value);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_OPS_ROUNDING_H
