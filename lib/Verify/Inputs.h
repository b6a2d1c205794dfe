//===- Inputs.h - What programs are executed on -----------------*- C++ -*-===//
//
// Token sequences, and schedules: how they are cut into steps. The same for
// every version of a program, and chosen so that together they show what one
// of them alone would not: a past, a window, the border of a block, company,
// rows that nobody wants.
//
//   PAGODA_ASSIGN_OR_RETURN(ModelFacts facts, findFacts(module));
//   Inputs inputs = makeInputs(facts);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_INPUTS_H
#define PAGODA_LIB_VERIFY_INPUTS_H

#include "pagoda/Base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pagoda::verify {

struct ModelFacts {
  int64_t vocabulary = 0;
  int64_t contextLength = 0;
  /// Elements of all weights: what one step costs.
  int64_t weightElements = 0;
  /// Of the layers that have a window.
  std::optional<int64_t> smallestWindow;
  /// The largest window, where all layers have one: what is further back may
  /// be given away.
  std::optional<int64_t> largestWindow;
};

/// Reads the module as the importer wrote it. Errors: Unsupported where there
/// is not exactly one entry.
StatusOr<ModelFacts> findFacts(mlir::ModuleOp module);

/// The next tokens of one sequence.
struct StepPart {
  int sequence;
  int tokens;
};

/// Which tokens of a step have their logits computed.
enum class Wanted { All, Some, None };

struct ScheduledStep {
  std::vector<StepPart> parts;
  Wanted wanted;
};

struct Schedule {
  std::string name;
  std::vector<ScheduledStep> steps;
};

struct Inputs {
  std::vector<std::vector<int32_t>> sequences;
  std::vector<Schedule> schedules;
  std::optional<int64_t> window; // ModelFacts::largestWindow

  /// "4 schedules (whole, chunked, …) of sequences of 70, 21 and 5 tokens"
  std::string describe() const;
};

/// Another `set` is other tokens, cut in the same way.
Inputs makeInputs(const ModelFacts &facts, unsigned set = 0);

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_INPUTS_H
