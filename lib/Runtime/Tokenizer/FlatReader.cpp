#include "FlatReader.h"

namespace pagoda::rt {

namespace {

/// Searches stay short by construction; more comes from no builder of ours.
constexpr uint32_t maxProbesAllowed = 1024;

template <typename... Parts>
Status corrupt(const Parts &...parts) {
  return corruptData("tokenizer tables: ", parts...);
}

Status checkTable(size_t slots, flat::TableShape shape) {
  if (!std::has_single_bit(slots))
    return corrupt("a hash table has ", slots, " slots, not a power of two");
  if (shape.maxProbes > maxProbesAllowed)
    return corrupt("a hash table asks for ", shape.maxProbes, " probes");
  return Status();
}

} // namespace

StatusOr<FlatReader> FlatReader::open(std::span<const std::byte> blob) {
  if (blob.size() < sizeof(flat::Header))
    return corrupt("they end after ", blob.size(), " bytes");
  if (reinterpret_cast<uintptr_t>(blob.data()) % 8 != 0)
    return invalidArgument("tokenizer tables must lie at a multiple of 8");
  auto *header = reinterpret_cast<const flat::Header *>(blob.data());
  if (header->magic != flat::magic)
    return corrupt("they do not begin as they should");
  if (header->version != flat::version)
    return unsupported("tokenizer tables have version ", header->version,
                       ", this build reads version ", flat::version,
                       "; compile the model again");
  if (header->bytes != blob.size())
    return corrupt("they should have ", header->bytes, " bytes, but have ",
                   blob.size());
  if (header->sections > flat::maxSections)
    return corrupt("there are ", header->sections, " sections");

  size_t begin =
      sizeof(flat::Header) + header->sections * sizeof(flat::SectionEntry);
  if (begin > blob.size())
    return corrupt("the directory is cut short");
  FlatReader reader(blob);
  reader.entries = {reinterpret_cast<const flat::SectionEntry *>(header + 1),
                    header->sections};
  const flat::SectionEntry *previous = nullptr;
  for (const flat::SectionEntry &entry : reader.entries) {
    auto kind = static_cast<uint32_t>(entry.kind);
    if (previous && previous->kind >= entry.kind)
      return corrupt("section ", kind, " is out of order");
    if (entry.offset % 8 != 0 || entry.offset < begin ||
        entry.offset > blob.size() || entry.bytes > blob.size() - entry.offset)
      return corrupt("section ", kind, " lies outside");
    previous = &entry;
  }
  return reader;
}

std::span<const std::byte> FlatReader::section(flat::Section kind) const {
  for (const flat::SectionEntry &entry : entries)
    if (entry.kind == kind)
      return blob.subspan(entry.offset, entry.bytes);
  return {};
}

StatusOr<std::string_view> FlatReader::text(flat::Text text) const {
  PAGODA_ASSIGN_OR_RETURN(std::span<const char> pool,
                          array<char>(flat::Section::Strings));
  if (text.offset > pool.size() || text.bytes > pool.size() - text.offset)
    return corrupt("a text lies outside");
  return std::string_view(pool.data() + text.offset, text.bytes);
}

StatusOr<TokenTable> TokenTable::open(const FlatReader &reader,
                                      const flat::Summary &summary) {
  TokenTable table;
  PAGODA_ASSIGN_OR_RETURN(table.offsets,
                          reader.array<uint32_t>(flat::Section::TokenOffsets));
  PAGODA_ASSIGN_OR_RETURN(table.bytes,
                          reader.array<char>(flat::Section::TokenBytes));
  PAGODA_ASSIGN_OR_RETURN(table.flags,
                          reader.array<uint8_t>(flat::Section::TokenFlags));
  PAGODA_ASSIGN_OR_RETURN(table.index,
                          reader.array<uint32_t>(flat::Section::TokenIndex));
  if (summary.tokens > INT32_MAX || table.flags.size() != summary.tokens ||
      table.offsets.size() != size_t(summary.tokens) + 1)
    return corrupt("the tables do not have ", summary.tokens, " tokens");
  PAGODA_RETURN_IF_ERROR(checkTable(table.index.size(), summary.tokenIndex));
  table.shape = summary.tokenIndex;
  return table;
}

std::optional<uint32_t> TokenTable::find(std::string_view wanted,
                                         bool verbatim) const {
  uint64_t mask = index.size() - 1;
  uint64_t slot = flat::hashBytes(wanted, shape.seed);
  for (uint32_t probe = 0; probe < shape.maxProbes; ++probe, ++slot) {
    uint32_t id = index[slot & mask];
    if (id == flat::none)
      return std::nullopt;
    if (bool(flagsOf(id) & flat::Verbatim) == verbatim &&
        (flagsOf(id) & flat::Present) && bytesOf(id) == wanted)
      return id;
  }
  return std::nullopt;
}

StatusOr<PairTable> PairTable::open(std::span<const flat::PairSlot> slots,
                                    flat::TableShape shape) {
  PAGODA_RETURN_IF_ERROR(checkTable(slots.size(), shape));
  PairTable table;
  table.slots = slots;
  table.mask = slots.size() - 1;
  table.shape = shape;
  return table;
}

} // namespace pagoda::rt
