#include "RoundingLoss.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Base/LargerOf.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include <cmath>
#include <cstdio>

namespace pagoda::verify {

namespace {

using Record = reference::Trace::Record;

/// What attention computes, by layer.
std::map<int64_t, const Record *> attentions(const reference::Trace &trace) {
  std::map<int64_t, const Record *> found;
  for (size_t id = 0; id < trace.size(); ++id) {
    const Record &record = trace[static_cast<int>(id)];
    if (!record.op || record.layer >= 0) // the cache, attention's other result
      continue;
    if (auto attention = llvm::dyn_cast<llm::AttentionOp>(record.op))
      found[attention.getLayer()] = &record;
    else if (auto paged = llvm::dyn_cast<llm::PagedAttentionOp>(record.op))
      found[paged.getLayer()] = &record;
  }
  return found;
}

double loss(const Record &before, const Record &after) {
  double largest = 0, difference = 0;
  for (const auto &[place, row] : before.rows) {
    auto other = after.rows.find(place);
    if (other == after.rows.end() || other->second.size() != row.size())
      continue;
    for (size_t i = 0; i < row.size(); ++i) {
      largest = largerOf(largest, std::abs(row[i]));
      difference = largerOf(difference, std::abs(row[i] - other->second[i]));
    }
  }
  return difference == 0 ? 0 : difference / largest;
}

} // namespace

std::string describeLoss(const reference::Trace &before,
                         const reference::Trace &after) {
  std::map<int64_t, const Record *> old = attentions(before),
                                    now = attentions(after);
  std::string text = "at the attention of each layer:";
  for (const auto &[layer, record] : old)
    if (auto found = now.find(layer); found != now.end()) {
      char number[32];
      std::snprintf(number, sizeof number, " %.1e",
                    loss(*record, *found->second));
      text += number;
    }
  return text;
}

} // namespace pagoda::verify
