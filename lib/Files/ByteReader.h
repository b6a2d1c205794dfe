//===- ByteReader.h - Taking fields from the front of bytes -----*- C++ -*-===//
//
// A cursor over little-endian bytes that never passes their end. For the
// readers of this room; they word the errors, since they know the field.
//
//   ByteReader reader(bytes);
//   uint32_t version;
//   if (!reader.read(version))
//     return corruptData("file ends in its version");
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_FILES_BYTEREADER_H
#define PAGODA_LIB_FILES_BYTEREADER_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace pagoda {

// Model files are little-endian, and so is every machine that Pagoda targets.
static_assert(std::endian::native == std::endian::little);

class ByteReader {
public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes(bytes) {}

  uint64_t position() const { return offset; }
  uint64_t remaining() const { return bytes.size() - offset; }

  /// False, and nothing taken, if the bytes end before the value does.
  template <typename T>
  bool read(T &value) {
    if (remaining() < sizeof(T))
      return false;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    offset += sizeof(T);
    return true;
  }

  bool take(uint64_t count, std::span<const std::byte> &taken) {
    if (remaining() < count)
      return false;
    taken = bytes.subspan(offset, count);
    offset += count;
    return true;
  }

private:
  std::span<const std::byte> bytes;
  uint64_t offset = 0;
};

} // namespace pagoda

#endif // PAGODA_LIB_FILES_BYTEREADER_H
