//===- Describe.h - What is in an artifact, as data -------------*- C++ -*-===//
//
// Each function describes one side of an artifact as JSON, which is what
// `pagoda inspect --json` prints; the tables on the terminal and the page are
// made of the same values. Nothing is loaded or run. Texts come from the file
// as they are: whoever prints them must expect anything (see Table.h, Page.h).
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_INSPECT_DESCRIBE_H
#define PAGODA_LIB_TOOLS_INSPECT_DESCRIBE_H

#include "pagoda/Artifact/Artifact.h"
#include "pagoda/Runtime/Device/CpuPlan.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pagoda {

using Json = nlohmann::ordered_json;

/// Model, precision, targets, entries, counts, cache.
Json describeSummary(const Artifact &artifact);

/// Every weight: type, bytes, share of all weights, and where it came from,
/// as an expression of one line and as IR.
Json describeWeights(const Artifact &artifact);

/// Every kernel, or only the one called `name`: family, contract, source, how
/// often it is launched, and its code for each target.
StatusOr<Json> describeKernels(const Artifact &artifact,
                               const std::string &name);

/// The templates that kernel sources include.
Json describeTemplates(const Artifact &artifact);

/// Every entry: dims, inputs, slots and launches with their arguments by name.
Json describeProgram(const Artifact &artifact);

/// Where the bytes of the file go. The parts add up to the file.
Json describeSizes(const Artifact &artifact);

/// "2304 tokens + 64": a size that depends on a step.
std::string sizeFormula(const artifact::Size &size,
                        const artifact::Entry &entry);

/// What `--memory` asks for.
struct MemoryQuestion {
  /// 0: what the model was compiled for.
  int32_t context = 0;
  int32_t sequences = 1;
  /// Tokens of a step; 0: the default of `pagoda run`.
  int32_t chunk = 0;
  unsigned threads = 0;
  std::string target;
  /// The machine's memory in bytes; 0: this one's.
  uint64_t ram = 0;
};

/// The options that `pagoda run` would give to the device.
rt::CpuOptions memoryOptions(const MemoryQuestion &question);

/// The plan for a question: what the device would allocate, to the byte, and
/// the largest context for which the memory suffices.
StatusOr<Json> describeMemory(const Artifact &artifact,
                              const MemoryQuestion &question);

/// Plans for a grid of contexts and numbers of sequences around a question.
StatusOr<Json> describeMemoryGrid(const Artifact &artifact,
                                  const MemoryQuestion &question);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_INSPECT_DESCRIBE_H
