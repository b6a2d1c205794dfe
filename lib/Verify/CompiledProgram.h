//===- CompiledProgram.h - The artifact, run as the engine does -*- C++ -*-===//
//
// Opens an artifact and steps its kernels over the inputs that its program was
// executed on.
//
//   PAGODA_ASSIGN_OR_RETURN(
//       CompiledProgram program,
//       CompiledProgram::open("model.pgd", inputs, /*block=*/16, "avx2"));
//   PAGODA_ASSIGN_OR_RETURN(Observation seen, program.observe());
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_COMPILEDPROGRAM_H
#define PAGODA_LIB_VERIFY_COMPILEDPROGRAM_H

#include "Observation.h"
#include "pagoda/Runtime/Device/CpuRunner.h"

namespace pagoda::verify {

class CompiledProgram {
public:
  /// The targets of an artifact whose kernels run on this machine.
  static StatusOr<std::vector<std::string>> targets(const std::string &path);

  static StatusOr<CompiledProgram> open(const std::string &path,
                                        const Inputs &inputs, int64_t block,
                                        const std::string &target);

  StatusOr<Observation> observe();

  /// Runs one schedule and calls `use` after each step with the batch and the
  /// start of what the program returns, in its memory.
  using Use = std::function<Status(const reference::Batch &, const float *)>;
  Status run(const Schedule &schedule, const Use &use);

  /// Where each slot of the program lies, given that start.
  std::vector<const std::byte *> slots(const reference::Batch &batch,
                                       const float *returned) const;

  /// What the cache now holds of this step's tokens: the keys (or values) of a
  /// layer, [T, G, D]. `fallback` has that shape and type, and the rows of
  /// tokens that are stored nowhere.
  StatusOr<reference::Tensor> appended(const reference::Batch &batch,
                                       unsigned layer, bool keys,
                                       reference::Tensor fallback) const;

private:
  CompiledProgram(std::unique_ptr<Artifact> artifact,
                  std::unique_ptr<rt::CpuRunner> runner, const Inputs &inputs,
                  int64_t block)
      : artifact(std::move(artifact)), runner(std::move(runner)),
        inputs(inputs), block(block) {}

  std::unique_ptr<Artifact> artifact;
  std::unique_ptr<rt::CpuRunner> runner;
  const Inputs &inputs;
  int64_t block;
};

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_COMPILEDPROGRAM_H
