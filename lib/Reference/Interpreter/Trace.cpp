#include "pagoda/Reference/Interpreter/Trace.h"

#include "WeightGraph.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Base/LargerOf.h"
#include "pagoda/Dialect/Exec/ExecOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <limits>
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

/// Compares what two values were in the steps up to `lastStep`.
bool isSame(const Trace::Record &a, const Trace::Record &b, int lastStep) {
  if (a.layer != b.layer)
    return false;
  double largest = 0, difference = 0;
  bool met = false;
  for (const auto &[place, row] : a.rows) {
    if (place.step > lastStep)
      break;
    auto other = b.rows.find(place);
    if (other == b.rows.end())
      continue;
    if (other->second.size() != row.size())
      return false;
    met = true;
    for (size_t i = 0; i < row.size(); ++i) {
      largest =
          std::max({largest, std::abs(row[i]), std::abs(other->second[i])});
      difference = largerOf(difference, std::abs(row[i] - other->second[i]));
    }
    // The rest cannot bring it back unless it is far larger.
    if (!(difference <= 1e-3 * largest))
      return false;
  }
  return met && difference <= kSameValue * largest;
}

/// The first step whose output differs, or the last of all.
int firstDifference(const Trace &before, const Trace &after) {
  int last = std::numeric_limits<int>::max();
  if (before.output() < 0 || after.output() < 0)
    return last;
  const auto &old = before[before.output()].rows;
  double largest = 0;
  for (const auto &[place, row] : old)
    for (double number : row)
      largest = std::max(largest, std::abs(number));
  for (const auto &[place, row] : after[after.output()].rows) {
    auto other = old.find(place);
    if (other == old.end() || other->second.size() != row.size())
      return place.step;
    for (size_t i = 0; i < row.size(); ++i)
      if (!(std::abs(row[i] - other->second[i]) <= kSameValue * largest))
        return place.step;
  }
  return last;
}

/// The first op, walking back from the output of `run`, whose operands all
/// occur in `other` while its result does not.
class FaultFinder {
public:
  FaultFinder(TracedRun run, TracedRun other, int lastStep)
      : run(run), other(other), lastStep(lastStep), occurs(run.trace.size()) {}

  /// Whether it is memory that is at fault, and not an op.
  bool isMemory = false;

  std::string find() {
    int output = run.trace.output();
    // If its values are there, it is other values that are returned now.
    return output < 0 || occursInOther(output)
               ? describe(run.trace.terminator())
               : walk(output);
  }

private:
  std::string walk(int id) {
    const Trace::Record &record = run.trace[id];
    for (int operand : record.operands)
      if (!occursInOther(operand))
        return walk(operand);
    if (record.isRead)
      return memoryFault(record);
    // What an op found in memory may be a value that is known, and yet not
    // the one that was stored for it.
    for (int operand : record.operands)
      if (isSpoilt(run.trace[operand]))
        return memoryFault(run.trace[operand]);
    for (const WeightNode *weight : record.weights)
      if (!occursInOther(*weight))
        return walk(*weight);
    return nameOf(record);
  }

  std::string walk(const WeightNode &node) {
    for (const WeightNode *operand : node.operands)
      if (!occursInOther(*operand))
        return walk(*operand);
    return describe(node.op);
  }

  bool isSpoilt(const Trace::Record &record) {
    return record.isRead &&
           (record.operands.empty() ||
            (record.overwrittenBy &&
             !isSame(record, run.trace[record.operands.front()], lastStep)));
  }

  /// What was stored is right, what was found is not.
  std::string memoryFault(const Trace::Record &record) {
    isMemory = true;
    std::string reader = describe(record.launch);
    if (record.operands.empty())
      return reader + " reads a buffer that nothing was stored in";
    if (!record.overwrittenBy)
      return reader + " finds a buffer other than it was left";
    if (record.overwrittenBy == record.launch)
      return reader + " writes over a buffer that it reads";
    return concat(describe(record.overwrittenBy), " writes over a buffer that ",
                  reader, " has yet to read");
  }

  static std::string nameOf(const Trace::Record &record) {
    if (!record.launch)
      return describe(record.op);
    // The contract is shared by launches, so that the place is the launch's.
    auto launch = cast<exec::LaunchOp>(record.launch);
    std::string place = describe(launch);
    return concat(record.op->getName().getStringRef().str(),
                  place.substr(launch->getName().getStringRef().size()),
                  " (in kernel @", launch.getKernel().str(), ")");
  }

  bool occursInOther(int id) {
    std::optional<bool> &known = occurs[id];
    if (known)
      return *known;
    const Trace::Record &record = run.trace[id];
    // What is computed from nothing is an input or a constant.
    known = record.operands.empty() && record.weights.empty() && !record.isRead;
    for (size_t i = 0; !*known && i < other.trace.size(); ++i)
      known = isSame(record, other.trace[static_cast<int>(i)], lastStep);
    return *known;
  }

  bool occursInOther(const WeightNode &node) {
    if (isa<arith::ConstantOp>(node.op))
      return true;
    WeightGraph &graph = other.interpreter.weights();
    if (otherWeights.empty())
      for (const WeightNode &weight : graph.nodes())
        if (auto hash = graph.fingerprint(weight); hash.ok())
          otherWeights.insert(*hash);
    auto hash = run.interpreter.weights().fingerprint(node);
    return hash.ok() && otherWeights.count(*hash);
  }

  TracedRun run, other;
  int lastStep;
  std::vector<std::optional<bool>> occurs;
  std::set<uint64_t> otherWeights;
};

} // namespace

std::string findFault(TracedRun before, TracedRun after) {
  int lastStep = firstDifference(before.trace, after.trace);
  FaultFinder finder(after, before, lastStep);
  std::string now = finder.find();
  if (finder.isMemory)
    return now;
  std::string then = FaultFinder(before, after, lastStep).find();
  return now == then ? now : concat(now, ", in place of ", then);
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
