// Any bytes as a safetensors file. Built by the `fuzz` preset; to run:
//   build-fuzz/bin/fuzz-safetensors CORPUS test/fuzz/seeds/safetensors

#include "../unit/Files/ReadEverything.h"

using namespace pagoda;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  auto file = SafetensorsFile::fromBytes(std::as_bytes(bytes), "input");
  if (file.ok())
    readEverything(*file);
  return 0;
}
