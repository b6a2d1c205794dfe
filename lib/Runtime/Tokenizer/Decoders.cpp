#include "Stages.h"

namespace pagoda::rt {

namespace {

/// A token adds the bytes that the tables give for it.
class BytesDecoder final : public Decoder {
public:
  explicit BytesDecoder(const TokenTable &tokens) : tokens(tokens) {}
  void append(uint32_t id, std::string &bytes) const override {
    bytes += tokens.bytesOf(id);
  }

private:
  const TokenTable &tokens;
};

} // namespace

StatusOr<std::unique_ptr<const Decoder>>
makeDecoder(const StageArguments &arguments, const TokenTable &tokens) {
  switch (static_cast<flat::Decoder>(arguments.kind)) {
  case flat::Decoder::Bytes:
    return std::unique_ptr<const Decoder>(new BytesDecoder(tokens));
  }
  return unsupported("tokenizer tables: decoder ", arguments.kind,
                     " is unknown");
}

} // namespace pagoda::rt
