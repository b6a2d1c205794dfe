//===- StepRunner.h - What the engine drives --------------------*- C++ -*-===//
//
// The one interface between scheduling and computing: a compiled step program
// on a device, with its weights and its cache. Devices implement it; the
// engine calls it from the thread that owns it. Nothing here knows what a
// layer is.
//
//   PAGODA_RETURN_IF_ERROR(runner.submit(batch));
//   PAGODA_ASSIGN_OR_RETURN(LogitsView logits, runner.collect());
//   std::span<const float> row = logits.row(0); // of token batch.rows[0]
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_STEP_STEPRUNNER_H
#define PAGODA_RUNTIME_STEP_STEPRUNNER_H

#include "pagoda/Base/Status.h"
#include "pagoda/Runtime/Step/StepBatch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pagoda::rt {

/// What a step program was compiled for and how much cache its device has.
/// All are fixed for the runner's life.
struct RunnerLimits {
  int32_t vocabulary = 0;
  /// Positions that the program can tell apart: the longest sequence, prompt
  /// and generated tokens together.
  int32_t maxContext = 0;
  /// The cache: blockCount blocks of blockSize slots, one slot a token.
  int32_t blockSize = 0;
  int32_t blockCount = 0;
  /// Most tokens, sequences and rows of logits of one step.
  int32_t maxTokens = 0;
  int32_t maxSequences = 0;
  int32_t maxRows = 0;
  /// Keys that a query sees, itself included, where *all* layers have such a
  /// window; blocks that fell out of it are then given to others and stand as
  /// -1 in the block table. 0: every key is seen.
  int32_t slidingWindow = 0;
  /// The runner carries out StepBatch's copies. Where it does not, sequences
  /// with a common beginning share whole blocks only.
  bool copiesBlocks = false;
  /// Steps that may be submitted while earlier ones are not yet collected. A
  /// runner with 0 is collected after each submit and samples on the host.
  /// One with 1 samples on the device and takes ids of -1 - r for tokens
  /// that the host has not seen yet; rows under a host-side mask always wait.
  int32_t lookahead = 0;
};

/// Logits of one step, float32 [rows, vocabulary], owned by the runner.
struct LogitsView {
  const float *data = nullptr;
  int32_t rows = 0;
  int32_t vocabulary = 0;
  /// [rows] The first of the largest logits of each row, -1 where one is NaN or
  /// +inf. Null where the program does not say.
  const int32_t *greedy = nullptr;

  std::span<const float> row(int32_t index) const {
    return {data + static_cast<size_t>(index) * vocabulary,
            static_cast<size_t>(vocabulary)};
  }
  std::optional<int32_t> greedyOf(int32_t index) const {
    return greedy ? std::optional(greedy[index]) : std::nullopt;
  }
};

class StepRunner {
public:
  virtual ~StepRunner() = default;

  virtual const RunnerLimits &limits() const = 0;

  /// Starts a step. The batch is only read during the call. After an error the
  /// step counts as never submitted and there is nothing to collect.
  virtual Status submit(const StepBatch &batch) = 0;

  /// Waits for the oldest step not yet collected and returns its logits: row
  /// r belongs to token rows[r] of its batch. They stay valid until the next
  /// submit. After an error the step is over; what it wrote to the cache is
  /// unknown, so its sequences have to go.
  virtual StatusOr<LogitsView> collect() = 0;
};

/// Whether the limits make sense by themselves.
Status checkRunnerLimits(const RunnerLimits &limits);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_STEP_STEPRUNNER_H
