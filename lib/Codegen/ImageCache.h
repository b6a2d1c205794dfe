//===- ImageCache.h - Finished images on disk -------------------*- C++ -*-===//
//
// Keeps images by a key made of everything they depend on. Files appear whole
// or not at all, so processes may share a folder
// and be killed at any time; two that build the same image write the same
// bytes. A damaged file is ignored and written anew.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_CODEGEN_IMAGECACHE_H
#define PAGODA_LIB_CODEGEN_IMAGECACHE_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagoda {

class ImageCache {
public:
  /// An empty folder name: nothing is kept.
  explicit ImageCache(std::string folder) : folder(std::move(folder)) {}

  /// The image under `key`, if it is there and undamaged.
  std::optional<std::vector<std::byte>> find(const std::string &key) const;
  /// Keeps an image. A folder that cannot be written is not an error: the
  /// next compile takes longer.
  void keep(const std::string &key, std::span<const std::byte> image) const;

  /// Holds other processes off from building the same image while it lives.
  class Lock {
  public:
    explicit Lock(const std::string &path);
    ~Lock();
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    int descriptor;
  };
  Lock lock(const std::string &key) const;

private:
  std::string pathOf(const std::string &key) const;

  std::string folder;
};

/// The key of some content: 32 hexadecimal digits.
std::string contentKey(const std::vector<std::string> &parts);

} // namespace pagoda

#endif // PAGODA_LIB_CODEGEN_IMAGECACHE_H
