//===- Artifact.h - Compiled models on disk ---------------------*- C++ -*-===//
//
// Opens `.pgd` files: a header, the program (lib/Artifact/Program.fbs), kernel
// images, the tokenizer and packed weights, mapped read-only. Opening is safe
// on any bytes: sizes, offsets, checksums of all but the weights, and every
// index in the program are checked here, so that what passes can be used
// without checks. Running an artifact runs the machine code in it.
//
//   PAGODA_ASSIGN_OR_RETURN(Artifact model, Artifact::open("model.pgd"));
//   model.program().model()->vocabulary();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_ARTIFACT_ARTIFACT_H
#define PAGODA_ARTIFACT_ARTIFACT_H

#include "pagoda/Artifact/Program_generated.h"
#include "pagoda/Base/MappedFile.h"
#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pagoda {

/// Raised whenever an older reader could misread a file.
inline constexpr uint32_t kArtifactVersion = 1;

/// The first bytes of a file, little-endian. Regions lie in this order, none
/// overlaps another, and the file ends with the last.
struct ArtifactHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  uint64_t fileBytes;
  uint64_t imagesOffset, imagesBytes;
  uint64_t tokenizerOffset, tokenizerBytes, tokenizerHash;
  uint64_t weightsOffset, weightsBytes;
  uint64_t programOffset, programBytes, programHash;
  /// XXH3 of all fields above.
  uint64_t headerHash;
};
static_assert(sizeof(ArtifactHeader) == 112);

inline constexpr char kArtifactMagic[8] = {'P', 'A', 'G',  'O',
                                           'D', 'A', '\r', '\n'};
/// Images start at multiples of this, so that a page of code is never shared.
inline constexpr uint64_t kImageAlignment = 64 << 10;
/// The weights' region starts at a multiple of this: a huge page.
inline constexpr uint64_t kWeightsAlignment = 2 << 20;
/// Each weight starts at a multiple of this: a cache line.
inline constexpr uint64_t kWeightAlignment = 64;

class Artifact {
public:
  /// Errors: those of MappedFile::open; CorruptData for what is not an
  /// artifact or is damaged; Unsupported for another version.
  static StatusOr<Artifact> open(const std::string &path);

  const std::string &path() const { return file.path(); }
  const artifact::Program &program() const { return *root; }
  /// Offset of an image in the file, for mapping it executable.
  std::span<const std::byte> image(unsigned index) const;
  std::span<const std::byte> weight(unsigned index) const;
  std::span<const std::byte> tokenizer() const;
  /// Where the parts of the file lie.
  const ArtifactHeader &layout() const { return header; }
  uint64_t fileBytes() const { return file.size(); }

  /// Compares the checksum of every weight: reads the whole file.
  Status verifyWeights() const;

private:
  explicit Artifact(MappedFile file) : file(std::move(file)) {}

  MappedFile file;
  ArtifactHeader header{};
  const artifact::Program *root = nullptr;
};

/// The checksum that artifacts use (XXH3, 64 bits).
uint64_t artifactHash(std::span<const std::byte> bytes);

} // namespace pagoda

#endif // PAGODA_ARTIFACT_ARTIFACT_H
