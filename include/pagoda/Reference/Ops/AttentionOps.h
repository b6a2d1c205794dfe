//===- AttentionOps.h - Rotations and attention, in float64 -----*- C++ -*-===//
//
// The ops of LLMAttentionOps.td without their caches: attention takes lists of
// keys and values, whoever keeps them. For the interpreter and the conformance
// tests of kernels.
//
//   AttentionShape shape{.heads = 4, .kvHeads = 2, .elements = 16};
//   std::vector<double> out = attend(shape, query, keys, values, 0.25);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_OPS_ATTENTIONOPS_H
#define PAGODA_REFERENCE_OPS_ATTENTIONOPS_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include <optional>
#include <span>

namespace pagoda::reference {

enum class RopeStyle { Half, Interleaved };

/// Rotates pairs of the first R = 2 * table.shape[1] elements of each head of
/// `input` [T, H, D]: (a, b) becomes (a cos - b sin, a sin + b cos) with the
/// table's row of the token's position. Pairs are (i, i + R/2) or
/// (2i, 2i + 1). A position beyond the table is InvalidArgument.
StatusOr<Tensor> rope(RopeStyle style, const Tensor &input,
                      const Tensor &positions, const Tensor &table);

struct AttentionShape {
  int64_t heads;
  int64_t kvHeads;
  int64_t elements;
};

/// A key's or value's numbers for all kvHeads: [kvHeads * elements].
using HeadRow = std::span<const double>;

/// Attention of one query, [heads * elements], over the keys that it sees:
/// softmax_j(scale * query . key_j) . value_j, where head h reads the keys of
/// head h / (heads / kvHeads). Which keys are seen is keysSeen's answer.
std::vector<double> attend(const AttentionShape &shape,
                           std::span<const double> query,
                           std::span<const HeadRow> keys,
                           std::span<const HeadRow> values, double scale);

/// The range [first, index] of keys that the query with this index in its
/// sequence sees: causal, and no further back than the window.
int64_t firstKeySeen(int64_t index, std::optional<int64_t> window);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_OPS_ATTENTIONOPS_H
