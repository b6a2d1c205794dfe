#include "Stages.h"
#include "Utf8.h"

namespace pagoda::rt {

namespace {

/// Unicode's NFC.
class ComposedNormalizer final : public Normalizer {
public:
  std::string_view apply(std::string_view text,
                         std::string &storage) const override {
    return composed(text, storage);
  }
};

} // namespace

StatusOr<std::unique_ptr<const Normalizer>>
makeNormalizer(const StageArguments &arguments) {
  switch (static_cast<flat::Normalizer>(arguments.kind)) {
  case flat::Normalizer::Composed:
    return std::unique_ptr<const Normalizer>(new ComposedNormalizer);
  }
  return unsupported("tokenizer tables: normalizer ", arguments.kind,
                     " is unknown");
}

} // namespace pagoda::rt
