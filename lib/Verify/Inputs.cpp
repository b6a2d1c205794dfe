#include "Inputs.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Base/Random.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;

namespace pagoda::verify {

namespace {

/// Models up to this many weight elements get the full set of inputs; their
/// steps take milliseconds in float64. Beyond, a step reads every weight at
/// some 10 ns an element, so there are a handful of steps.
constexpr int64_t kSmallModel = int64_t(8) << 20;
/// Two chunks of attention (pagoda-select-kernels) and more than four blocks.
constexpr int64_t kLong = 70;
/// However large the window: a sequence of a small model is not longer.
constexpr int64_t kLongest = 320;

std::vector<int32_t> makeSequence(int64_t length, int64_t vocabulary,
                                  uint64_t seed) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < length; ++i)
    ids.push_back(static_cast<int32_t>(mix64(seed + static_cast<uint64_t>(i)) %
                                       static_cast<uint64_t>(vocabulary)));
  return ids;
}

/// Cuts a sequence into chunks, taking the sizes in turn.
std::vector<int> cut(int64_t length, std::initializer_list<int> sizes) {
  std::vector<int> chunks;
  for (auto next = sizes.begin(); length > 0;
       next = next + 1 == sizes.end() ? sizes.begin() : next + 1) {
    chunks.push_back(static_cast<int>(std::min<int64_t>(*next, length)));
    length -= chunks.back();
  }
  return chunks;
}

Schedule whole(const Inputs &inputs) {
  Schedule schedule{"whole", {}};
  for (int s = 0; s < static_cast<int>(inputs.sequences.size()); ++s)
    schedule.steps.push_back(
        {{{s, static_cast<int>(inputs.sequences[s].size())}}, Wanted::All});
  return schedule;
}

/// One sequence, in pieces that end before, at and behind the ends of blocks.
/// Every other step wants no logits at all.
Schedule chunked(const Inputs &inputs) {
  Schedule schedule{"chunked", {}};
  for (int tokens : cut(inputs.sequences[0].size(), {5, 11, 1, 14, 18, 9}))
    schedule.steps.push_back(
        {{{0, tokens}},
         schedule.steps.size() % 2 ? Wanted::None : Wanted::All});
  schedule.steps.back().wanted = Wanted::All;
  return schedule;
}

Schedule tokenByToken(const Inputs &inputs) {
  Schedule schedule{"token by token", {}};
  for (size_t i = 0; i < inputs.sequences[0].size(); ++i)
    schedule.steps.push_back({{{0, 1}}, Wanted::All});
  return schedule;
}

/// All sequences at once, the later ones joining later: prompts beside decode
/// steps, in another order each time, with some rows wanted and some not.
Schedule mixed(const Inputs &inputs) {
  static constexpr std::initializer_list<int> sizes[] = {
      {33, 1, 1, 6, 1}, {2, 1, 13, 1}, {3, 1}};
  Schedule schedule{"mixed", {}};
  for (int s = 0; s < static_cast<int>(inputs.sequences.size()); ++s) {
    size_t step = static_cast<size_t>(s); // joins s steps late
    for (int tokens : cut(inputs.sequences[s].size(), sizes[s % 3])) {
      if (step >= schedule.steps.size())
        schedule.steps.resize(step + 1, {{}, Wanted::Some});
      schedule.steps[step++].parts.push_back({s, tokens});
    }
  }
  for (size_t i = 0; i < schedule.steps.size(); ++i) {
    std::vector<StepPart> &parts = schedule.steps[i].parts;
    std::rotate(parts.begin(), parts.begin() + i % parts.size(), parts.end());
  }
  return schedule;
}

/// For models whose every step counts: a prompt that ends just before the end
/// of a block, the tokens across it beside a second sequence, one token more.
Schedule brief() {
  return {"brief",
          {{{{0, 13}}, Wanted::Some},
           {{{1, 3}, {0, 4}}, Wanted::Some},
           {{{0, 1}, {1, 1}}, Wanted::All}}};
}

} // namespace

StatusOr<ModelFacts> findFacts(ModuleOp module) {
  ModelFacts facts;
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(llm::LLMDialect::kEntryAttr))
      entries.push_back(function);
  if (entries.size() != 1)
    return unsupported("the module has ", entries.size(),
                       " entries, and programs of one entry are executed");
  for (Type type : entries.front().getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getRank() > 0 && tensor.getElementType().isF32())
      facts.vocabulary = tensor.getShape().back();
  if (facts.vocabulary <= 0)
    return unsupported("the entry '", entries.front().getSymName().str(),
                       "' returns no logits of known width");

  facts.contextLength = 2048;
  if (auto info =
          module->getAttrOfType<DictionaryAttr>(llm::LLMDialect::kModelAttr))
    if (auto length = info.getAs<IntegerAttr>("context_length"))
      facts.contextLength = length.getInt();
  bool allHaveWindows = true;
  module.walk([&](Operation *op) {
    std::optional<uint64_t> window;
    if (auto weight = dyn_cast<llm::NamedWeightOp>(op)) {
      facts.weightElements +=
          cast<RankedTensorType>(weight.getType()).getNumElements();
      return;
    }
    if (auto table = dyn_cast<llm::WeightRopeTableOp>(op)) {
      facts.contextLength =
          std::min(facts.contextLength,
                   cast<RankedTensorType>(table.getType()).getDimSize(0));
      return;
    }
    if (auto attention = dyn_cast<llm::AttentionOp>(op))
      window = attention.getWindow();
    else if (auto paged = dyn_cast<llm::PagedAttentionOp>(op))
      window = paged.getWindow();
    else
      return;
    allHaveWindows &= window.has_value();
    if (window) {
      auto size = static_cast<int64_t>(*window);
      facts.smallestWindow =
          std::min(facts.smallestWindow.value_or(size), size);
      facts.largestWindow = std::max(facts.largestWindow.value_or(size), size);
    }
  });
  if (!allHaveWindows)
    facts.largestWindow.reset();
  return facts;
}

Inputs makeInputs(const ModelFacts &facts, unsigned set) {
  Inputs inputs;
  inputs.window = facts.largestWindow;
  auto add = [&](int64_t length) {
    inputs.sequences.push_back(makeSequence(
        std::min(length, facts.contextLength), facts.vocabulary,
        1000 * (inputs.sequences.size() + 1) + uint64_t{1000000} * set));
  };
  if (facts.weightElements > kSmallModel && facts.contextLength >= 18) {
    add(18);
    add(4);
    inputs.schedules = {brief()};
    return inputs;
  }
  int64_t length = kLong;
  if (facts.smallestWindow)
    length = std::max(length, std::min(*facts.smallestWindow + 5, kLongest));
  add(length);
  add(21);
  add(5);
  inputs.schedules = {whole(inputs), chunked(inputs), tokenByToken(inputs),
                      mixed(inputs)};
  return inputs;
}

std::string Inputs::describe() const {
  std::vector<std::string> names, lengths;
  for (const Schedule &schedule : schedules)
    names.push_back(schedule.name);
  for (const std::vector<int32_t> &sequence : sequences)
    lengths.push_back(concat(sequence.size()));
  return concat(schedules.size(),
                schedules.size() == 1 ? " schedule (" : " schedules (",
                join(names), ") of sequences of ", join(lengths), " tokens");
}

} // namespace pagoda::verify
