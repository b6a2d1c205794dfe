#include "Observation.h"

#include "StepArguments.h"
#include "pagoda/Base/LargerOf.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <map>

using namespace mlir;

namespace pagoda::verify {

namespace {

std::unique_ptr<reference::Cache> makeCache(const Entry &entry,
                                            const Inputs &inputs) {
  if (entry.runner == Runner::Ragged)
    return std::make_unique<reference::AbstractCache>();
  return std::make_unique<reference::PagedCache>(
      entry.block, poolBlocks(inputs, entry.block));
}

Status runSchedule(reference::Interpreter &interpreter, const Entry &entry,
                   const Inputs &inputs, const Schedule &schedule,
                   reference::Trace *trace, std::vector<Row> &rows) {
  auto cache = makeCache(entry, inputs);
  StepArguments steps(inputs, schedule, entry.block);
  while (std::optional<reference::Batch> batch = steps.next()) {
    PAGODA_ASSIGN_OR_RETURN(reference::Tensor logits,
                            interpreter.run(entry.op, *batch, *cache, trace));
    if (logits.shape.size() != 2 || logits.shape[0] != batch->rowCount())
      return invalidArgument("the entry returns [", join(logits.shape),
                             "] for ", batch->rowCount(), " wanted rows");
    for (int64_t r = 0; r < batch->rowCount(); ++r) {
      auto first = logits.numbers.begin() + r * logits.shape[1];
      rows.push_back(
          {batch->token(batch->rows[r]), {first, first + logits.shape[1]}});
    }
  }
  return {};
}

/// Takes over a difference if it is larger than what was seen so far; a NaN
/// is larger than everything.
void note(Difference &worst, double relative, size_t schedule,
          reference::Token token) {
  if (!(relative <= worst.relative) && !std::isnan(worst.relative))
    worst = {relative, schedule, token};
}

double distance(const std::vector<double> &a, const std::vector<double> &b) {
  if (a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    largest = largerOf(largest, std::abs(a[i] - b[i]));
  return largest;
}

} // namespace

StringRef runnerName(Runner runner) {
  switch (runner) {
  case Runner::Ragged:
    return "ragged";
  case Runner::Paged:
    return "paged";
  case Runner::Exec:
    return "exec";
  }
  llvm_unreachable("all runners are covered");
}

StatusOr<Entry> findEntry(ModuleOp module) {
  std::vector<Entry> entries;
  for (Operation &op : *module.getBody()) {
    auto kind = op.getAttrOfType<StringAttr>(llm::LLMDialect::kEntryAttr);
    if (!isa<exec::EntryOp>(op) && !(isa<func::FuncOp>(op) && kind))
      continue;
    if (!kind || kind.getValue() != "step")
      return unsupported(reference::describe(&op), " is an entry of kind '",
                         kind ? kind.getValue().str() : "",
                         "', for which there is no runner");
    auto policy =
        op.getAttrOfType<llm::KVPolicyAttr>(llm::LLMDialect::kKVPolicyAttr);
    int64_t block = policy ? policy.getBlock() : 0;
    Runner runner = isa<exec::EntryOp>(op) ? Runner::Exec
                    : policy               ? Runner::Paged
                                           : Runner::Ragged;
    if (runner == Runner::Exec && !policy)
      return unsupported(reference::describe(&op),
                         " does not say how its cache is stored");
    entries.push_back({&op, runner, block});
  }
  if (entries.size() != 1)
    return unsupported("the module has ", entries.size(),
                       " entries, and programs of one entry are executed");
  return entries.front();
}

size_t Observation::rowCount() const {
  size_t count = 0;
  for (const std::vector<Row> &rows : schedules)
    count += rows.size();
  return count;
}

double Observation::largest() const {
  double largest = 0;
  for (const std::vector<Row> &rows : schedules)
    for (const Row &row : rows)
      for (double logit : row.logits)
        largest = largerOf(largest, std::abs(logit));
  return largest;
}

StatusOr<Observation> observe(reference::Interpreter &interpreter,
                              const Entry &entry, const Inputs &inputs) {
  Observation observation;
  for (const Schedule &schedule : inputs.schedules)
    PAGODA_RETURN_IF_ERROR(runSchedule(interpreter, entry, inputs, schedule,
                                       nullptr,
                                       observation.schedules.emplace_back()));
  return observation;
}

Status trace(reference::Interpreter &interpreter, const Entry &entry,
             const Inputs &inputs, reference::Trace &trace) {
  for (const Schedule &schedule : inputs.schedules) {
    std::vector<Row> rows;
    PAGODA_RETURN_IF_ERROR(
        runSchedule(interpreter, entry, inputs, schedule, &trace, rows));
  }
  return {};
}

Difference compare(const Observation &before, const Observation &after) {
  Difference worst;
  double scale = before.largest();
  for (size_t s = 0; s < before.schedules.size(); ++s)
    for (size_t r = 0; r < before.schedules[s].size(); ++r) {
      const Row &old = before.schedules[s][r], &now = after.schedules[s][r];
      double difference = distance(old.logits, now.logits);
      // Equal without a scale too, for programs that compute nothing but 0.
      note(worst, difference == 0 ? 0 : difference / scale, s, now.token);
    }
  return worst;
}

Difference compareSchedules(const Observation &observation) {
  Difference worst;
  double scale = observation.largest();
  std::map<reference::Token, const Row *> seen;
  for (size_t s = 0; s < observation.schedules.size(); ++s)
    for (const Row &row : observation.schedules[s]) {
      const Row *&other = seen[row.token];
      if (!other)
        other = &row;
      double difference = distance(other->logits, row.logits);
      note(worst, difference == 0 ? 0 : difference / scale, s, row.token);
    }
  return worst;
}

} // namespace pagoda::verify
