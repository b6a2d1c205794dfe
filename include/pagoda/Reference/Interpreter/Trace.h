//===- Trace.h - Every value of an execution, token by token ----*- C++ -*-===//
//
// Records what each op computed for each token, under the token's place in the
// outside world, so that executions of different programs and schedules can be
// laid side by side. For the harness of --verify-passes.
//
//   Trace before, after;
//   … run both …
//   findFault({before, interpreterBefore}, {after, interpreterAfter});
//   // "llm.rms_norm at model.layers.1.input_layernorm"
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_INTERPRETER_TRACE_H
#define PAGODA_REFERENCE_INTERPRETER_TRACE_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Interpreter/Batch.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace pagoda::reference {

class Interpreter;
struct WeightNode;

/// A token, and the step that computed it, counted over all executions that a
/// trace covers. What has no tokens is one row a step, under sequence -1.
struct TracePlace {
  int step;
  Token token;
  auto operator<=>(const TracePlace &) const = default;
};

class Trace {
public:
  /// What one SSA value held; a value of a contract once for each launch.
  struct Record {
    mlir::Operation *op = nullptr;     // that computed it; null for arguments
    mlir::Operation *launch = nullptr; // on whose behalf, in exec entries
    /// What it was computed from: records, and weights.
    std::vector<int> operands;
    std::vector<const WeightNode *> weights;
    /// The content of a buffer as a launch found it, computed elsewhere: the
    /// only operand is what was stored there, if anything was.
    bool isRead = false;
    /// Who wrote over the buffer before it was read.
    mlir::Operation *overwrittenBy = nullptr;
    /// Of caches: where the keys and values below went.
    int64_t layer = -1;
    /// Numbers for each token. For caches: its key and value, read back.
    std::map<TracePlace, std::vector<double>> rows;
  };

  /// Starts the next step.
  void beginStep() { ++step; }
  TracePlace place(Token token) const { return {step, token}; }
  TracePlace wholeStep() const { return {step, {-1, 0}}; }

  /// The record of a value, made on first sight. The reference lives until the
  /// next call.
  int record(mlir::Value value, mlir::Operation *launch);
  Record &operator[](int id) { return records[id]; }
  const Record &operator[](int id) const { return records[id]; }
  size_t size() const { return records.size(); }

  /// What the entry returned: the record, and the terminator.
  void setOutput(int id, mlir::Operation *terminator) {
    outputId = id;
    end = terminator;
  }
  int output() const { return outputId; }
  mlir::Operation *terminator() const { return end; }

private:
  int step = -1;
  int outputId = -1;
  mlir::Operation *end = nullptr;
  std::map<std::pair<void *, void *>, int> ids;
  std::vector<Record> records;
};

struct TracedRun {
  const Trace &trace;
  Interpreter &interpreter;
};

/// The op at which two executions part whose outputs differ: walking back from
/// the output of `after`, the first op whose operands all occur in `before`
/// while its result does not. Values are the same when they agree to 1e-9 of
/// their largest number for every token that both have, up to the first step
/// whose output differs; weights when all their numbers are equal. So a
/// restructured program still lines up with the old.
///
/// "llm.rms_norm at model.layers.1.input_layernorm", with the kernel where it
/// stands in a contract. Where the same walk through `before`
/// ends at another op, that one is named too: what is wrong may be what several
/// new ops make of it.
std::string findFault(TracedRun before, TracedRun after);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_INTERPRETER_TRACE_H
