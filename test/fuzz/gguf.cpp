// Any bytes as a gguf file. Built by the `fuzz` preset; to run:
//   build-fuzz/bin/fuzz-gguf CORPUS test/fuzz/seeds/gguf

#include "../unit/Files/ReadEverything.h"

using namespace pagoda;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  auto file = GgufFile::fromBytes(std::as_bytes(bytes), "input");
  if (file.ok())
    readEverything(*file);
  return 0;
}
