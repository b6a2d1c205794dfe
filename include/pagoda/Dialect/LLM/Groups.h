//===- Groups.h - What the groups of each kernel family hold ----*- C++ -*-===//
//
// Takes the region of an llm.fused (or the contract of an exec.kernel) apart
// into the pieces that a kernel template is configured with. Selection asks
// whether a group has the form that a template computes, code generation
// prints the pieces. A match is exact: an op that no piece names makes it fail,
// and `why` says what was in the way.
//
//   std::string why;
//   if (auto group = matchKVAppend(body, why))
//     use(group->keyRope);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_DIALECT_LLM_GROUPS_H
#define PAGODA_DIALECT_LLM_GROUPS_H

#include "pagoda/Dialect/LLM/LLMOps.h"

#include <optional>
#include <string>

namespace pagoda::llm {

/// Linears whose results one elementwise epilogue joins.
struct LinearSegment {
  llvm::SmallVector<LinearOp> linears;
  /// Elementwise ops behind them, in order.
  llvm::SmallVector<mlir::Operation *> pointwise;
  /// Rounds one of the results; null: none.
  QuantizeOp quantize;
  int64_t outputs;
};

/// Linears over one input.
struct LinearGroup {
  mlir::BlockArgument input;
  llvm::SmallVector<LinearSegment> segments;
};

/// An anchor with elementwise ops behind, and rows chosen in front.
struct RowGroup {
  mlir::Operation *anchor;
  GatherRowsOp gather; // null: rows as they come
  llvm::SmallVector<mlir::Operation *> pointwise;
  QuantizeOp quantize; // null: none
};

/// What happens to a head before it is stored or used.
struct HeadChain {
  mlir::BlockArgument input; // [T, heads, D]
  RMSNormOp norm;            // null: none
  RopeOp rope;               // null: none
};

/// Elementwise ops, or a rounding, or both.
struct PointwiseGroup {
  llvm::SmallVector<mlir::Operation *> pointwise;
  QuantizeOp quantize; // null: none
};

struct PagedAttentionGroup {
  PagedAttentionOp attention;
  QuantizeOp quantize; // of the output with its heads joined; null: none
};

struct KVAppendGroup {
  KVAppendOp append;
  HeadChain key, value;
  /// The query that takes the same way; its result is the group's only tensor.
  std::optional<HeadChain> query;
};

std::optional<LinearGroup> matchLinear(mlir::Block &body, std::string &why);
/// `AnchorOp` with gather_rows in front (if `gathers`) and elementwise ops.
std::optional<RowGroup> matchRows(mlir::Block &body, mlir::StringRef anchor,
                                  std::string &why);
std::optional<KVAppendGroup> matchKVAppend(mlir::Block &body, std::string &why);
/// A single op between arguments and yield.
mlir::Operation *matchSingle(mlir::Block &body, mlir::StringRef anchor,
                             std::string &why);
std::optional<PointwiseGroup> matchPointwise(mlir::Block &body,
                                             std::string &why);
std::optional<PagedAttentionGroup> matchPagedAttention(mlir::Block &body,
                                                       std::string &why);

/// The matrix behind an operand, which may be unpacked in the group: the
/// group's argument, and the logical tensor.
struct MatrixOperand {
  mlir::BlockArgument argument;
  mlir::RankedTensorType tensor;
};
std::optional<MatrixOperand> getMatrix(mlir::Value operand);

} // namespace pagoda::llm

#endif // PAGODA_DIALECT_LLM_GROUPS_H
