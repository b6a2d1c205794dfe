#include "ImageCache.h"

#include "pagoda/Base/StagedFile.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pagoda {

namespace {

/// A file is its image behind this checksum.
uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace

std::string contentKey(const std::vector<std::string> &parts) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (const std::string &part : parts) {
    // Lengths in between, so that parts cannot run into each other.
    uint64_t size = part.size();
    XXH3_128bits_update(state, &size, sizeof size);
    XXH3_128bits_update(state, part.data(), part.size());
  }
  XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string ImageCache::pathOf(const std::string &key) const {
  return folder + "/" + key + ".image";
}

std::optional<std::vector<std::byte>>
ImageCache::find(const std::string &key) const {
  if (folder.empty())
    return std::nullopt;
  std::ifstream file(pathOf(key), std::ios::binary | std::ios::ate);
  if (!file)
    return std::nullopt;
  auto size = static_cast<size_t>(file.tellg());
  uint64_t expected;
  if (size < sizeof expected)
    return std::nullopt;
  std::vector<std::byte> image(size - sizeof expected);
  file.seekg(0);
  file.read(reinterpret_cast<char *>(&expected), sizeof expected);
  file.read(reinterpret_cast<char *>(image.data()),
            static_cast<std::streamsize>(image.size()));
  if (!file || checksum(image) != expected)
    return std::nullopt;
  return image;
}

void ImageCache::keep(const std::string &key,
                      std::span<const std::byte> image) const {
  if (folder.empty())
    return;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  StatusOr<StagedFile> file = StagedFile::create(pathOf(key));
  uint64_t sum = checksum(image);
  if (file.ok() && file->writeAt(0, std::as_bytes(std::span(&sum, 1))).ok() &&
      file->writeAt(sizeof sum, image).ok())
    (void)file->publish();
}

ImageCache::Lock::Lock(const std::string &path)
    : descriptor(path.empty() ? -1
                              : ::open(path.c_str(),
                                       O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  // The kernel drops the lock when its holder dies, however it dies.
  if (descriptor >= 0)
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
}

ImageCache::Lock::~Lock() {
  if (descriptor >= 0)
    ::close(descriptor);
}

ImageCache::Lock ImageCache::lock(const std::string &key) const {
  if (folder.empty())
    return Lock("");
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  return Lock(folder + "/" + key + ".lock");
}

} // namespace pagoda
