//===- KernelCode.h - Kernels that came apart from an artifact --*- C++ -*-===//
//
// Machine code for all kernels of an artifact that takes the place of its
// images: what `--rebuild-kernels` compiled from the embedded sources.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_DEVICE_KERNELCODE_H
#define PAGODA_RUNTIME_DEVICE_KERNELCODE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pagoda::rt {

struct KernelCode {
  /// "avx512-vnni", …
  std::string target;
  /// A flat image, as artifacts hold them.
  std::vector<std::byte> bytes;
  /// Where each kernel's functions start, and the scratch memory it needs.
  struct EntryPoint {
    uint32_t tiles;
    uint32_t run;
    uint32_t scratchBytes;
  };
  /// In the order of the artifact's kernels.
  std::vector<EntryPoint> entryPoints;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_KERNELCODE_H
