#include "BytePairModel.h"

namespace pagoda::rt {

StatusOr<std::unique_ptr<const Model>>
makeModel(const StageArguments &arguments, const FlatReader &reader,
          const TokenTable &tokens) {
  switch (static_cast<flat::Model>(arguments.kind)) {
  case flat::Model::BytePair:
    return BytePairModel::open(reader, tokens);
  }
  return unsupported("tokenizer tables: model ", arguments.kind, " is unknown");
}

} // namespace pagoda::rt
