// Any bytes as an artifact, with checksums made to agree, so that what lies
// behind them is reached. Built by the `fuzz` preset; to run:
//   build-fuzz/bin/fuzz-artifact CORPUS build-fuzz/seeds/artifact

#include "../unit/Artifact/LookAtArtifact.h"
#include "../unit/Artifact/SampleArtifact.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace pagoda;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < sizeof(ArtifactHeader))
    return 0;
  std::span<const std::byte> input =
      std::as_bytes(std::span<const uint8_t>(data, size));
  std::vector<std::byte> bytes(input.begin(), input.end());
  test::recomputeHashes(bytes);
  int file = ::memfd_create("artifact", MFD_CLOEXEC);
  test::mustHold(::write(file, bytes.data(), size) ==
                 static_cast<ssize_t>(size));
  test::lookAt("/proc/self/fd/" + std::to_string(file));
  ::close(file);
  return 0;
}
