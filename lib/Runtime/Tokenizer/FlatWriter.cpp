#include "FlatWriter.h"

namespace pagoda::rt {

std::vector<std::byte> FlatWriter::finish() const {
  auto aligned = [](size_t offset) { return (offset + 7) / 8 * 8; };
  size_t offset =
      sizeof(flat::Header) + sections.size() * sizeof(flat::SectionEntry);
  std::vector<flat::SectionEntry> entries;
  for (const Part &part : sections) {
    offset = aligned(offset);
    entries.push_back({part.kind, 0, offset, part.bytes.size()});
    offset += part.bytes.size();
  }
  flat::Header header = {flat::magic, flat::version,
                         static_cast<uint32_t>(sections.size()),
                         aligned(offset)};

  std::vector<std::byte> blob(header.bytes);
  auto put = [&](size_t at, std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(),
              blob.begin() + static_cast<ptrdiff_t>(at));
  };
  put(0, std::as_bytes(std::span(&header, 1)));
  put(sizeof header, std::as_bytes(std::span(entries)));
  for (size_t i = 0; i < sections.size(); ++i)
    put(entries[i].offset, sections[i].bytes);
  return blob;
}

} // namespace pagoda::rt
