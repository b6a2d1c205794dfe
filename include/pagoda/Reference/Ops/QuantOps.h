//===- QuantOps.h - Quantised tensors and their parts -----------*- C++ -*-===//
//
// Rounding to quantised formats, and taking quantised tensors apart and
// putting them together. For the interpreter and the tests of kernels.
//
//   Tensor q = quantize(x, {8, 32, ScaleKind::F32, ZeroKind::Signed});
//   Tensor y = dequantize(q); // scale * code, exact
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_OPS_QUANTOPS_H
#define PAGODA_REFERENCE_OPS_QUANTOPS_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Ops/Tensor.h"

namespace pagoda::reference {

/// For each group, with signed codes: scale = max|x| / maxcode, and code =
/// x * maxcode / max|x| to the nearest integer, ties to even. Two things are
/// rounded, no more: the scale, once to float32, and the code. A group of zeros
/// has scale 0 and codes 0. The format has signed codes and f32 scales.
Tensor quantize(const Tensor &input, const QuantFormat &format);

/// scale * (code - middle) + minimum, exact.
Tensor dequantize(const Tensor &input);

/// The codes as i16; scales and zeros as one f32 a group, with super scales
/// multiplied in. The zero is what is added to scale * code: the minimum,
/// -scale * 2^(bits-1) for codes around the middle, 0 for signed ones.
Tensor codesOf(const Tensor &input);
Tensor scalesOf(const Tensor &input);
Tensor zerosOf(const Tensor &input);

/// The inverse: scales (and zeros, null unless the format stores a minimum)
/// are rounded to the format's storage. InvalidArgument for a code that the
/// format does not have.
StatusOr<Tensor> compose(const QuantFormat &format, const Tensor &codes,
                         const Tensor &scales, const Tensor *zeros);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_OPS_QUANTOPS_H
