#include "pagoda/Artifact/ArtifactWriter.h"

#include "pagoda/Base/StagedFile.h"

#include <cstring>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pagoda {

namespace {

/// Bytes reach the file in pieces of this size, at multiples of it: several
/// huge pages, so that the page cache can hold them as such.
constexpr uint64_t kPieceBytes = 8 << 20;

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace

struct ArtifactWriter::State {
  explicit State(StagedFile file) : file(std::move(file)) {}
  ~State() { XXH3_freeState(weightHash); }

  StagedFile file;
  ArtifactHeader header{};
  std::vector<std::byte> piece; // what is not written yet
  uint64_t position = 0;        // where `piece` goes
  uint64_t weightStart = 0;
  XXH3_state_t *weightHash = XXH3_createState();

  uint64_t end() const { return position + piece.size(); }

  Status flush() {
    PAGODA_RETURN_IF_ERROR(file.writeAt(position, piece));
    position += piece.size();
    piece.clear();
    return {};
  }

  Status append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      uint64_t room = kPieceBytes - end() % kPieceBytes;
      auto some = bytes.first(std::min<uint64_t>(room, bytes.size()));
      piece.insert(piece.end(), some.begin(), some.end());
      bytes = bytes.subspan(some.size());
      if (end() % kPieceBytes == 0)
        PAGODA_RETURN_IF_ERROR(flush());
    }
    return {};
  }

  Status padTo(uint64_t alignment) {
    std::vector<std::byte> zeros(alignUp(end(), alignment) - end());
    return append(zeros);
  }
};

ArtifactWriter::ArtifactWriter(std::unique_ptr<State> state)
    : state(std::move(state)) {}
ArtifactWriter::ArtifactWriter(ArtifactWriter &&) = default;
ArtifactWriter &ArtifactWriter::operator=(ArtifactWriter &&) = default;
ArtifactWriter::~ArtifactWriter() = default;

StatusOr<ArtifactWriter> ArtifactWriter::create(const std::string &path) {
  PAGODA_ASSIGN_OR_RETURN(StagedFile file, StagedFile::create(path));
  auto state = std::make_unique<State>(std::move(file));
  std::memcpy(state->header.magic, kArtifactMagic, sizeof kArtifactMagic);
  state->header.version = kArtifactVersion;
  state->piece.resize(sizeof(ArtifactHeader));
  PAGODA_RETURN_IF_ERROR(state->padTo(kImageAlignment));
  state->header.imagesOffset = state->end();
  return ArtifactWriter(std::move(state));
}

StatusOr<FileRegion>
ArtifactWriter::addImage(std::span<const std::byte> image) {
  PAGODA_RETURN_IF_ERROR(state->padTo(kImageAlignment));
  FileRegion region{state->end(), image.size(), artifactHash(image)};
  PAGODA_RETURN_IF_ERROR(state->append(image));
  state->header.imagesBytes = state->end() - state->header.imagesOffset;
  return region;
}

Status ArtifactWriter::addTokenizer(std::span<const std::byte> tables) {
  PAGODA_RETURN_IF_ERROR(state->padTo(kWeightAlignment));
  ArtifactHeader &header = state->header;
  header.tokenizerOffset = state->end();
  header.tokenizerBytes = tables.size();
  header.tokenizerHash = artifactHash(tables);
  PAGODA_RETURN_IF_ERROR(state->append(tables));
  PAGODA_RETURN_IF_ERROR(state->padTo(kWeightsAlignment));
  header.weightsOffset = state->end();
  return {};
}

Status ArtifactWriter::beginWeight() {
  PAGODA_RETURN_IF_ERROR(state->padTo(kWeightAlignment));
  state->weightStart = state->end();
  XXH3_64bits_reset(state->weightHash);
  return {};
}

Status ArtifactWriter::append(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state->weightHash, bytes.data(), bytes.size());
  return state->append(bytes);
}

StatusOr<FileRegion> ArtifactWriter::endWeight() {
  return FileRegion{state->weightStart, state->end() - state->weightStart,
                    XXH3_64bits_digest(state->weightHash)};
}

Status ArtifactWriter::finish(std::span<const std::byte> program) {
  ArtifactHeader &header = state->header;
  header.weightsBytes = state->end() - header.weightsOffset;
  PAGODA_RETURN_IF_ERROR(state->padTo(kWeightAlignment));
  header.programOffset = state->end();
  header.programBytes = program.size();
  header.programHash = artifactHash(program);
  PAGODA_RETURN_IF_ERROR(state->append(program));
  PAGODA_RETURN_IF_ERROR(state->flush());
  header.fileBytes = state->position;
  header.headerHash =
      artifactHash({reinterpret_cast<const std::byte *>(&header),
                    offsetof(ArtifactHeader, headerHash)});
  PAGODA_RETURN_IF_ERROR(
      state->file.writeAt(0, std::as_bytes(std::span(&header, 1))));
  return state->file.publish();
}

} // namespace pagoda
