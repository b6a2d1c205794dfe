// Any bytes as a tokenizer.json. Built by the `fuzz` preset; to run:
//   build-fuzz/bin/fuzz-tokenizer-json CORPUS build-fuzz/seeds/tokenizer-json

#include "../unit/Runtime/Tokenizer/ExerciseTokenizer.h"

using namespace pagoda;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto document = JsonDocument::parse(text, "tokenizer.json");
  if (!document.ok())
    return 0;
  if (auto tokenizer = rt::Tokenizer::fromJson(*document); tokenizer.ok())
    rt::test::exercise(*tokenizer);
  return 0;
}
