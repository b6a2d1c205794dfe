#include "pagoda/Artifact/Artifact.h"

#include "ProgramChecks.h"
#include "ProgramExtent.h"

#include <cstring>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pagoda {

namespace {

/// Regions in the order of the file, each after the one before.
Status checkRegions(const ArtifactHeader &header, uint64_t size) {
  struct Region {
    const char *name;
    uint64_t offset, bytes;
  } regions[] = {
      {"images", header.imagesOffset, header.imagesBytes},
      {"tokenizer", header.tokenizerOffset, header.tokenizerBytes},
      {"weights", header.weightsOffset, header.weightsBytes},
      {"program", header.programOffset, header.programBytes},
  };
  uint64_t end = sizeof(ArtifactHeader);
  for (const Region &region : regions) {
    if (region.offset < end || region.offset > size ||
        region.bytes > size - region.offset)
      return corruptData("the region of its ", region.name,
                         " does not lie within the file");
    end = region.offset + region.bytes;
  }
  if (end != size)
    return corruptData("the file does not end with its program");
  if (header.imagesOffset % kImageAlignment ||
      header.weightsOffset % kWeightsAlignment || header.programOffset % 16 ||
      header.tokenizerOffset % 16)
    return corruptData("a region is not aligned");
  return {};
}

Status checkHeader(std::span<const std::byte> bytes, ArtifactHeader &header) {
  if (bytes.size() < sizeof header ||
      std::memcmp(bytes.data(), kArtifactMagic, sizeof kArtifactMagic) != 0)
    return corruptData(
        "not a Pagoda artifact; compile the model with `pagoda compile`");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kArtifactVersion)
    return unsupported("written for version ", header.version,
                       " of the format, this build reads version ",
                       kArtifactVersion,
                       "; compile the model again with `pagoda compile`");
  if (artifactHash(bytes.first(offsetof(ArtifactHeader, headerHash))) !=
      header.headerHash)
    return corruptData("the header is damaged (its checksum differs)");
  if (header.fileBytes != bytes.size())
    return corruptData("holds ", bytes.size(), " bytes of ", header.fileBytes,
                       "; it was cut short or added to");
  return checkRegions(header, bytes.size());
}

} // namespace

uint64_t artifactHash(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

StatusOr<Artifact> Artifact::open(const std::string &path) {
  PAGODA_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::open(path));
  Artifact opened(std::move(mapped));
  auto fail = [&](Status status) {
    return std::move(status).withContext(concat("'", path, "'"));
  };
  std::span<const std::byte> bytes = opened.file.bytes();
  ArtifactHeader &header = opened.header;
  if (Status status = checkHeader(bytes, header); !status.ok())
    return fail(std::move(status));

  auto program = bytes.subspan(header.programOffset, header.programBytes);
  if (artifactHash(program) != header.programHash)
    return fail(corruptData("the program is damaged (its checksum differs)"));
  if (artifactHash(opened.tokenizer()) != header.tokenizerHash)
    return fail(corruptData("the tokenizer is damaged (its checksum differs)"));
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(program.data()), program.size(),
      /*max_depth=*/16, /*max_tables=*/10'000'000);
  if (!artifact::VerifyProgramBuffer(verifier))
    return fail(corruptData("the program is not well-formed"));
  opened.root = artifact::GetProgram(program.data());
  // In this order: the second looks at everything.
  if (Status status = checkExtent(*opened.root, header.programBytes);
      !status.ok())
    return fail(std::move(status));
  if (Status status = checkProgram(*opened.root, header); !status.ok())
    return fail(std::move(status));
  for (unsigned i = 0; i < opened.root->images()->size(); ++i)
    if (artifactHash(opened.image(i)) != opened.root->images()->Get(i)->hash())
      return fail(corruptData("the kernels for ",
                              opened.root->images()->Get(i)->target()->c_str(),
                              " are damaged (their checksum differs)"));
  return opened;
}

std::span<const std::byte> Artifact::image(unsigned index) const {
  const artifact::Image *image = root->images()->Get(index);
  return file.bytes().subspan(image->offset(), image->bytes());
}

std::span<const std::byte> Artifact::weight(unsigned index) const {
  const artifact::Weight *weight = root->weights()->Get(index);
  return file.bytes().subspan(weight->offset(), weight->bytes());
}

std::span<const std::byte> Artifact::tokenizer() const {
  return file.bytes().subspan(header.tokenizerOffset, header.tokenizerBytes);
}

Status Artifact::verifyWeights() const {
  for (unsigned i = 0; i < root->weights()->size(); ++i)
    if (artifactHash(weight(i)) != root->weights()->Get(i)->hash())
      return corruptData("'", path(), "': weight '",
                         root->weights()->Get(i)->name()->c_str(),
                         "' is damaged (its checksum differs)");
  return {};
}

} // namespace pagoda
