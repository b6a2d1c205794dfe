#include "Describe.h"
#include "WeightExpression.h"

namespace pagoda {

Json describeWeights(const Artifact &artifact) {
  const auto *weights = artifact.program().weights();
  uint64_t total = 0;
  for (const artifact::Weight *weight : *weights)
    total += weight->bytes();
  Json list = Json::array();
  for (const artifact::Weight *weight : *weights)
    list.push_back(
        {{"name", weight->name()->str()},
         {"type", weight->type()->str()},
         {"bytes", weight->bytes()},
         {"share", total ? double(weight->bytes()) / double(total) : 0.0},
         {"offset", weight->offset()},
         {"expression", weightExpression(weight->history()->string_view())},
         {"history", weight->history()->str()}});
  return list;
}

} // namespace pagoda
