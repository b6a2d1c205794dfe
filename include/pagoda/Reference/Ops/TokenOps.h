//===- TokenOps.h - Token-by-token arithmetic, in float64 -------*- C++ -*-===//
//
// The ops of LLMComputeOps.td, one obvious function each. For the interpreter,
// and as the oracle of kernel conformance tests. Shapes are the caller's
// promise (the IR's verifiers state them); what data can break is a Status.
//
//   Tensor y = linear(x, w, &bias);
//   Tensor n = rmsNorm(y, weight, 1e-6);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_OPS_TOKENOPS_H
#define PAGODA_REFERENCE_OPS_TOKENOPS_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Ops/Tensor.h"

namespace pagoda::reference {

/// result[t, k] = table[ids[t], k]. An id that the table
/// does not have is InvalidArgument.
StatusOr<Tensor> embedding(const Tensor &ids, const Tensor &table);

/// result[t, n] = sum_k input[t, k] * weight[n, k] + bias[n]. Sums run over k
/// in order, the bias (null: none) comes last.
Tensor linear(const Tensor &input, const Tensor &weight, const Tensor *bias);

/// result[…, k] = input[…, k] / sqrt(mean_k(input[…, k]^2) + epsilon)
///                * weight[k]
Tensor rmsNorm(const Tensor &input, const Tensor &weight, double epsilon);

enum class Activation { Silu, Gelu, GeluTanh, Relu };
double activate(Activation activation, double x);
/// result = activation(gate) * up, elementwise.
Tensor gated(Activation activation, const Tensor &gate, const Tensor &up);

/// result[r, k] = input[rows[r], k]
StatusOr<Tensor> gatherRows(const Tensor &input, const Tensor &rows);

/// [R] i32: the first of the largest elements of each row of `input` [R, K]; -1
/// where one of them is NaN or +inf.
Tensor argmax(const Tensor &input);

/// Each number rounded once to `type`; towards a wider type nothing changes.
Tensor cast(const Tensor &input, DType type);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_OPS_TOKENOPS_H
