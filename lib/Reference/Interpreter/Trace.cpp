#include "pagoda/Reference/Interpreter/Trace.h"

#include "WeightGraph.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/Exec/ExecOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace pagoda::reference {

int Trace::record(Value value, Operation *launch) {
  auto [found, isNew] = ids.try_emplace({value.getAsOpaquePointer(), launch},
                                        static_cast<int>(records.size()));
  if (isNew) {
    records.emplace_back();
    records.back().op = value.getDefiningOp();
    records.back().launch = launch;
  }
  return found->second;
}

namespace {

/// Two values are one if they differ by no more than this, relative to the
/// largest number of either.
constexpr double kSameValue = 1e-9;

bool isSame(const Trace::Record &a, const Trace::Record &b) {
  if (a.layer != b.layer)
    return false;
  double largest = 0, difference = 0;
  bool met = false;
  for (const auto &[token, row] : a.rows) {
    auto other = b.rows.find(token);
    if (other == b.rows.end())
      continue;
    if (other->second.size() != row.size())
      return false;
    met = true;
    for (size_t i = 0; i < row.size(); ++i) {
      largest =
          std::max({largest, std::abs(row[i]), std::abs(other->second[i])});
      double distance = std::abs(row[i] - other->second[i]);
      // Written so that a NaN is no match.
      if (!(distance <= difference))
        difference = distance;
    }
    // The rest cannot bring it back unless it is far larger.
    if (!(difference <= 1e-3 * largest))
      return false;
  }
  return met && difference <= kSameValue * largest;
}

class FaultFinder {
public:
  FaultFinder(TracedRun before, TracedRun after)
      : before(before), after(after), occurs(after.trace.size()) {}

  Fault run() {
    int output = after.trace.output();
    if (output < 0 || occursBefore(output))
      // Every value of the output was there before, so it is another value
      // that is returned now.
      return {after.trace.terminator(), describe(after.trace.terminator())};
    return walk(output);
  }

private:
  Fault walk(int id) {
    const Trace::Record &record = after.trace[id];
    for (int operand : record.operands)
      if (!occursBefore(operand))
        return walk(operand);
    if (record.isRead)
      return readFault(record);
    for (const WeightNode *weight : record.weights)
      if (!occursBefore(*weight))
        return weightFault(*weight);
    return {record.op, nameOf(record)};
  }

  /// What was stored is right, what was found is not.
  Fault readFault(const Trace::Record &record) {
    if (record.operands.empty())
      return {record.launch,
              concat(describe(record.launch),
                     " reads a buffer that nothing was stored in")};
    if (!record.overwrittenBy)
      return {record.launch, concat(describe(record.launch),
                                    " finds a buffer other than it was left")};
    return {record.overwrittenBy,
            concat(describe(record.overwrittenBy),
                   " writes over a buffer that ", describe(record.launch),
                   " has yet to read")};
  }

  Fault weightFault(const WeightNode &node) {
    for (const WeightNode *operand : node.operands)
      if (!occursBefore(*operand))
        return weightFault(*operand);
    return {node.op, describe(node.op)};
  }

  static std::string nameOf(const Trace::Record &record) {
    if (!record.launch)
      return describe(record.op);
    auto launch = cast<exec::LaunchOp>(record.launch);
    return concat(record.op->getName().getStringRef().str(), " in @",
                  launch.getKernel().str(), ", launched",
                  StringRef(describe(launch))
                      .drop_front(launch->getName().getStringRef().size())
                      .str());
  }

  bool occursBefore(int id) {
    std::optional<bool> &known = occurs[id];
    if (known)
      return *known;
    const Trace::Record &record = after.trace[id];
    // What is computed from nothing is an input or a constant.
    known = record.operands.empty() && record.weights.empty() && !record.isRead;
    for (size_t other = 0; !*known && other < before.trace.size(); ++other)
      known = isSame(record, before.trace[static_cast<int>(other)]);
    return *known;
  }

  bool occursBefore(const WeightNode &node) {
    if (isa<arith::ConstantOp>(node.op))
      return true;
    WeightGraph &graph = before.interpreter.weights();
    if (weightsBefore.empty())
      for (const WeightNode &other : graph.nodes())
        if (auto hash = graph.fingerprint(other); hash.ok())
          weightsBefore.insert(*hash);
    auto hash = after.interpreter.weights().fingerprint(node);
    return hash.ok() && weightsBefore.count(*hash);
  }

  TracedRun before, after;
  std::vector<std::optional<bool>> occurs;
  std::set<uint64_t> weightsBefore;
};

} // namespace

Fault findFault(TracedRun before, TracedRun after) {
  return FaultFinder(before, after).run();
}

std::string describe(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  Location location = op->getLoc();
  std::string place;
  location->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner)) {
      place = named.getName().str();
      return WalkResult::interrupt();
    }
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      StringRef path = file.getFilename();
      place = concat(path.substr(path.rfind('/') + 1).str(), ":",
                     file.getLine(), ":", file.getColumn());
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place.empty() ? name : name + " at " + place;
}

} // namespace pagoda::reference
