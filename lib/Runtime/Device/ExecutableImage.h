//===- ExecutableImage.h - Kernel images as code ----------------*- C++ -*-===//

#ifndef PAGODA_LIB_RUNTIME_DEVICE_EXECUTABLEIMAGE_H
#define PAGODA_LIB_RUNTIME_DEVICE_EXECUTABLEIMAGE_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace pagoda::rt {

/// A region of a file, mapped so that it can be executed. Where that is
/// refused (a file system mounted noexec), its bytes are copied to anonymous
/// memory first.
class ExecutableImage {
public:
  static StatusOr<ExecutableImage> map(const std::string &path, uint64_t offset,
                                       uint64_t bytes);

  /// Code that lies in no file.
  static StatusOr<ExecutableImage> copy(std::span<const std::byte> image);

  ExecutableImage(ExecutableImage &&other) noexcept;
  ExecutableImage &operator=(ExecutableImage &&) = delete;
  ~ExecutableImage();

  const std::byte *address(uint64_t offset) const { return code + offset; }
  size_t size() const { return bytes; }

private:
  ExecutableImage(std::byte *code, size_t bytes) : code(code), bytes(bytes) {}

  std::byte *code;
  size_t bytes;
};

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_DEVICE_EXECUTABLEIMAGE_H
