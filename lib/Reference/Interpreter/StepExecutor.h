//===- StepExecutor.h - One step of an entry --------------------*- C++ -*-===//
//
// Walks the ops of an entry in order and computes each result with the
// reference ops. One object a step; the files of this folder implement it by
// dialect:
//
//   StepExecutor.cpp   dispatch, values, traces, functions and groups
//   LLMOps.cpp         llm
//   TensorOps.cpp      arith and math over tensors, tensor
//   LinalgOps.cpp      linalg
//   ExecEntry.cpp      exec: buffers, launches
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_REFERENCE_INTERPRETER_STEPEXECUTOR_H
#define PAGODA_LIB_REFERENCE_INTERPRETER_STEPEXECUTOR_H

#include "Arena.h"
#include "WeightGraph.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Reference/Interpreter/Trace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <variant>

namespace pagoda::reference {

/// What the leading extent of a tensor counts.
enum class RowKind { Other, Tokens, Rows };

struct BatchMark {};
/// The cache after so many appends. In exec entries it is memory, so that
/// every read sees all appends before it, and may be one layer only.
struct CacheMark {
  uint64_t version = 0;
  bool isLive = false;
  int64_t layer = 0;
};

/// A buffer of an exec entry: a place in the arena, or an array of the batch.
struct Buffer {
  int64_t offset = 0;
  std::shared_ptr<const Tensor> array;
  ElementType type = DType::F32;
  /// What was stored last, and by which launch.
  int stored = -1;
  mlir::Operation *writer = nullptr;
};
struct BufferView {
  Buffer *buffer;
  Shape shape;
};

using TensorRef = std::shared_ptr<const Tensor>;

struct RuntimeValue {
  std::variant<std::monostate, TensorRef, const WeightNode *, BatchMark,
               CacheMark, BufferView>
      payload;
  RowKind rows = RowKind::Other;
  int trace = -1;
};

/// How a type prints.
std::string printType(mlir::Type type);

class StepExecutor {
public:
  StepExecutor(WeightGraph &graph, const InterpreterOptions &options,
               const Batch &batch, Cache &cache, Trace *trace,
               const LaunchWatch &watch);

  StatusOr<Tensor> runFunction(mlir::func::FuncOp function);
  StatusOr<Tensor> runEntry(exec::EntryOp entry);

private:
  // StepExecutor.cpp
  Status execute(mlir::Operation *op);
  Status dispatch(mlir::Operation *op);
  Status executeFused(llm::FusedOp fused);
  Status executeWeight(mlir::Operation *op);
  StatusOr<Tensor> returned(mlir::Operation *terminator);
  bool isWeightOp(mlir::Operation *op);
  /// A value as a tensor; weights are computed whole.
  StatusOr<TensorRef> tensor(mlir::Value value);
  StatusOr<std::vector<TensorRef>> tensors(mlir::ValueRange values);
  RowKind rowsOf(mlir::Value value);
  void set(mlir::Value value, Tensor result, RowKind rows);
  Status checkResults(mlir::Operation *op);
  void recordResults(mlir::Operation *op);
  void recordRows(int id, const Tensor &tensor, RowKind rows);
  static Tensor integers(const std::vector<int32_t> &list);

  // LLMOps.cpp
  Status executeLLM(mlir::Operation *op);
  Status executeEmbedding(llm::EmbeddingOp op);
  Status executeLinear(llm::LinearOp op);
  Status executeAttention(llm::AttentionOp op);
  Status executePagedAttention(llm::PagedAttentionOp op);
  Status executeAppend(llm::KVAppendOp op);
  StatusOr<CacheMark> append(CacheMark mark, int64_t layer, mlir::Value key,
                             mlir::Value value);
  StatusOr<CacheMark> cacheMark(mlir::Value value, bool isPaged);
  StatusOr<Tensor> attendAll(const Tensor &query, const CacheMark &mark,
                             int64_t layer, int64_t kvHeads, double scale,
                             std::optional<int64_t> window);
  void recordAppended(int id, mlir::Operation *op);

  // TensorOps.cpp
  Status executeTensor(mlir::Operation *op);
  Status executeElementwise(mlir::Operation *op);
  Status executeConstant(mlir::arith::ConstantOp op);
  StatusOr<std::vector<int64_t>>
  indexes(llvm::ArrayRef<mlir::OpFoldResult> values);

  // LinalgOps.cpp
  Status executeLinalg(mlir::linalg::LinalgOp op);

  // ExecEntry.cpp
  Status executeExec(mlir::Operation *op);
  Status placeBuffers(exec::EntryOp entry);
  Status executeLaunch(exec::LaunchOp launch);
  Status executeField(exec::FieldOp field);
  Status bindInputs(exec::LaunchOp launch, exec::KernelOp kernel);
  StatusOr<Tensor> readBuffer(const BufferView &view);
  Status writeBuffer(const BufferView &view, const Tensor &tensor,
                     mlir::Operation *writer);
  BufferView arrayBuffer(Tensor content, exec::BufferType type);
  void poison(const BufferView &view, mlir::Operation *writer);
  mlir::Operation *foreignWriter(const BufferView &view);
  Status checkBounds(const BufferView &view);
  int64_t bytesOf(const BufferView &view);
  Shape shapeOf(exec::BufferType type);
  static RowKind rowsOf(exec::BufferType type);

  WeightGraph &graph;
  const InterpreterOptions &options;
  const Batch &batch;
  Cache &cache;
  Trace *trace;
  const LaunchWatch &watch;

  llvm::DenseMap<mlir::Value, RuntimeValue> values;
  /// The launch whose contract is being executed.
  mlir::Operation *launch = nullptr;
  std::map<std::string, int64_t> dims;
  std::optional<Arena> arena;
  std::deque<Buffer> buffers;
};

} // namespace pagoda::reference

#endif // PAGODA_LIB_REFERENCE_INTERPRETER_STEPEXECUTOR_H
