//===- Observation.h - The logits that a program computes -------*- C++ -*-===//
//
// The one thing that every version of a program is compared by: the logits of
// each wanted (sequence, position) of each schedule. Runners find out what
// kind of program a module holds and bring it the arguments it takes.
//
//   PAGODA_ASSIGN_OR_RETURN(Entry entry, findEntry(module));
//   PAGODA_ASSIGN_OR_RETURN(Observation seen,
//                           observe(interpreter, entry, inputs));
//   Difference difference = compare(before, seen);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_OBSERVATION_H
#define PAGODA_LIB_VERIFY_OBSERVATION_H

#include "Inputs.h"
#include "pagoda/Reference/Interpreter/Interpreter.h"
#include "pagoda/Reference/Interpreter/Trace.h"

namespace pagoda::verify {

/// `ragged`: attention over a cache without blocks. `paged`: kv_append and
/// paged_attention. `exec`: launches over buffers.
enum class Runner { Ragged, Paged, Exec };
llvm::StringRef runnerName(Runner runner);

struct Entry {
  mlir::Operation *op;
  Runner runner;
  /// Tokens of a block; 0 for the ragged runner.
  int64_t block;
};

/// Errors where the module holds no entry, or more than one.
StatusOr<Entry> findEntry(mlir::ModuleOp module);

struct Row {
  reference::Token token;
  std::vector<double> logits;
};

struct Observation {
  /// Of each schedule, the wanted rows in the order of the steps.
  std::vector<std::vector<Row>> schedules;

  size_t rowCount() const;
  double largest() const;
};

StatusOr<Observation> observe(reference::Interpreter &interpreter,
                              const Entry &entry, const Inputs &inputs);
/// Executes all schedules, with all values recorded.
Status trace(reference::Interpreter &interpreter, const Entry &entry,
             const Inputs &inputs, reference::Trace &trace);

/// The largest difference of two observations of the same inputs.
struct Difference {
  /// Relative to the largest logit; NaN if there is one where there was none.
  double relative = 0;
  size_t schedule = 0;
  reference::Token token = {0, 0};

  /// NaN exceeds every bound.
  bool exceeds(double bound) const { return !(relative <= bound); }
};

Difference compare(const Observation &before, const Observation &after);
/// Of rows that different schedules compute for the same token.
Difference compareSchedules(const Observation &observation);

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_OBSERVATION_H
