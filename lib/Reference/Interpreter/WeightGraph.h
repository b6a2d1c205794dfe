//===- WeightGraph.h - Weight expressions, computed on demand ---*- C++ -*-===//
//
// The interpreter's own evaluator of weights. An expression is a node that
// knows its op and its operands; any range of its leading axis is computed by
// computing what that range needs of the operands and applying the reference
// op, so that a model never stands in memory as float64. Safe to read from
// many threads once built.
//
//   PAGODA_ASSIGN_OR_RETURN(const WeightNode *w, graph.definition("q"));
//   PAGODA_ASSIGN_OR_RETURN(Tensor rows, graph.rows(*w, 0, 64));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_REFERENCE_INTERPRETER_WEIGHTGRAPH_H
#define PAGODA_LIB_REFERENCE_INTERPRETER_WEIGHTGRAPH_H

#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Reference/Interpreter/Interpreter.h"

#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace pagoda::reference {

struct WeightNode {
  mlir::Operation *op;
  std::vector<const WeightNode *> operands;
  /// Of the logical tensor, for packed weights too.
  ElementType type = DType::F32;
  Shape shape;
  bool isPacked = false;

  int64_t leading() const { return shape.empty() ? 1 : shape[0]; }
};

class WeightGraph {
public:
  WeightGraph(mlir::ModuleOp module, std::shared_ptr<WeightFiles> files,
              const InterpreterOptions &options);

  /// True for ops that make weights from weights only: those of the weight
  /// interface, and arithmetic and roundings if all operands are weights.
  static bool canAdd(mlir::Operation *op,
                     llvm::ArrayRef<const WeightNode *> operands);

  /// The node of an op's result; equal questions have the same answer.
  StatusOr<const WeightNode *> add(mlir::Operation *op,
                                   llvm::ArrayRef<const WeightNode *> operands);
  /// What the definition under a name yields.
  StatusOr<const WeightNode *> definition(llvm::StringRef symbol);

  /// A symbol of the module.
  template <typename OpT>
  OpT lookup(llvm::StringRef symbol) const {
    return symbols.lookup<OpT>(symbol);
  }

  /// Entries [first, first + count) of the leading axis. For packed weights
  /// those of the matrix that is packed. Kept for the next time while there is
  /// room.
  StatusOr<std::shared_ptr<const Tensor>> rows(const WeightNode &node,
                                               int64_t first, int64_t count);
  StatusOr<std::shared_ptr<const Tensor>> whole(const WeightNode &node) {
    return rows(node, 0, node.leading());
  }
  /// The bytes that an artifact holds, with every step rounded to its type.
  StatusOr<std::vector<std::byte>> storedBytes(const WeightNode &node);

  /// A hash of shape and all numbers, whatever the expression.
  StatusOr<uint64_t> fingerprint(const WeightNode &node);
  /// All expressions that were asked about, and their parts.
  const std::deque<WeightNode> &nodes() const { return all; }

private:
  StatusOr<Tensor> compute(const WeightNode &node, int64_t first, int64_t count,
                           bool stored);
  StatusOr<Tensor> computeOp(const WeightNode &node, int64_t first,
                             int64_t count, bool stored);
  StatusOr<Tensor> loadNamed(const WeightNode &node, llm::NamedWeightOp weight,
                             int64_t first, int64_t count);
  StatusOr<Tensor> concatRows(const WeightNode &node, int64_t first,
                              int64_t count, bool stored);
  StatusOr<Tensor> reshapeRows(const WeightNode &node, int64_t first,
                               int64_t count, bool stored);
  StatusOr<Tensor> unpackRows(const WeightNode &node, int64_t first,
                              int64_t count, bool stored);
  StatusOr<Tensor> mapNumbers(const WeightNode &node, int64_t first,
                              int64_t count, bool stored);
  /// Null where the matrix has numbers that its type cannot hold.
  StatusOr<std::shared_ptr<const std::vector<std::byte>>>
  packedTiles(const WeightNode &node, int64_t firstTile, int64_t count,
              bool stored);

  /// A piece of a weight, computed before.
  struct Piece {
    const WeightNode *node;
    int64_t first, count;
    bool operator==(const Piece &) const = default;
  };
  struct PieceHash {
    size_t operator()(const Piece &piece) const {
      return llvm::hash_combine(piece.node, piece.first, piece.count);
    }
  };
  template <typename T>
  using Pieces = std::unordered_map<Piece, std::shared_ptr<const T>, PieceHash>;
  template <typename T>
  std::shared_ptr<const T> findKept(Pieces<T> &pieces, const Piece &piece);
  template <typename T>
  void keep(Pieces<T> &pieces, const Piece &piece,
            const std::shared_ptr<const T> &value, size_t bytes, size_t &room);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  std::shared_ptr<WeightFiles> files;
  InterpreterOptions options;
  std::deque<WeightNode> all;
  std::map<std::pair<mlir::Operation *, std::vector<const WeightNode *>>,
           const WeightNode *>
      known;
  std::mutex mutex;
  Pieces<Tensor> tensors;
  Pieces<std::vector<std::byte>> packed;
  size_t tensorRoom, packedRoom;
};

} // namespace pagoda::reference

#endif // PAGODA_LIB_REFERENCE_INTERPRETER_WEIGHTGRAPH_H
