// Any bytes as the tables of a tokenizer, as an artifact holds them. Built by
// the `fuzz` preset; to run:
//   build-fuzz/bin/fuzz-tokenizer-tables CORPUS
//   build-fuzz/seeds/tokenizer-tables

#include "../unit/Runtime/Tokenizer/ExerciseTokenizer.h"

using namespace pagoda;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto first = reinterpret_cast<const std::byte *>(data);
  auto bytes = std::make_shared<std::vector<std::byte>>(first, first + size);
  if (auto tokenizer = rt::Tokenizer::fromBytes(*bytes, bytes); tokenizer.ok())
    rt::test::exercise(*tokenizer);
  return 0;
}
