//===- Nvrtc.h - CUDA C++ to machine code -----------------------*- C++ -*-===//
//
// NVIDIA's runtime compiler, opened by dlopen: nothing links CUDA, and where
// it is missing that is a status. For the code generator (offline) and, later,
// the CUDA device (at load). Headers are handed over as texts; nothing is read
// from disk.
//
//   PAGODA_ASSIGN_OR_RETURN(Nvrtc nvrtc, Nvrtc::open());
//   PAGODA_ASSIGN_OR_RETURN(Cubin cubin,
//                           nvrtc.compile(unit, headers, "sm_90a"));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_NVRTC_NVRTC_H
#define PAGODA_NVRTC_NVRTC_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pagoda {

struct Cubin {
  std::vector<std::byte> bytes;
  /// What the assembler says of each kernel: registers, spills.
  std::string log;
};

class Nvrtc {
public:
  /// $PAGODA_NVRTC, or libnvrtc.so.13 or .12 where the loader finds it, or
  /// /usr/local/cuda. Errors: Unavailable.
  static StatusOr<Nvrtc> open();

  /// "13.0"
  const std::string &version() const { return versionText; }

  /// Compiles a unit; `headers` are (name as #include spells it, text).
  /// Safe to call from several threads. Errors: Internal, with the compiler's
  /// words.
  StatusOr<Cubin>
  compile(const std::string &source,
          std::span<const std::pair<std::string, std::string>> headers,
          const std::string &architecture) const;

private:
  struct Functions;
  std::shared_ptr<const Functions> functions;
  std::string versionText;
};

} // namespace pagoda

#endif // PAGODA_NVRTC_NVRTC_H
