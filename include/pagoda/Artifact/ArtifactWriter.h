//===- ArtifactWriter.h - Writing compiled models ---------------*- C++ -*-===//
//
// Writes a `.pgd` file front to back: images, tokenizer, weights as they are
// evaluated, the program last. It gets its name when it is whole, so
// that a reader never sees half a file and a failure leaves nothing behind. The
// same calls give the same bytes.
//
//   PAGODA_ASSIGN_OR_RETURN(ArtifactWriter writer,
//                           ArtifactWriter::create("model.pgd"));
//   PAGODA_ASSIGN_OR_RETURN(FileRegion code, writer.addImage(image));
//   PAGODA_RETURN_IF_ERROR(writer.addTokenizer(tables));
//   PAGODA_RETURN_IF_ERROR(writer.beginWeight());
//   PAGODA_RETURN_IF_ERROR(writer.append(bytes));
//   PAGODA_ASSIGN_OR_RETURN(FileRegion w, writer.endWeight());
//   PAGODA_RETURN_IF_ERROR(writer.finish(program));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_ARTIFACT_ARTIFACTWRITER_H
#define PAGODA_ARTIFACT_ARTIFACTWRITER_H

#include "pagoda/Artifact/Artifact.h"

#include <memory>

namespace pagoda {

/// A piece of the file and its checksum.
struct FileRegion {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t hash = 0;
};

class ArtifactWriter {
public:
  /// Errors: IoError where the folder cannot be written.
  static StatusOr<ArtifactWriter> create(const std::string &path);

  ArtifactWriter(ArtifactWriter &&);
  ArtifactWriter &operator=(ArtifactWriter &&);
  /// Nothing is left unless finish() succeeded.
  ~ArtifactWriter();

  /// Images first, then the tokenizer, then the weights.
  StatusOr<FileRegion> addImage(std::span<const std::byte> image);
  Status addTokenizer(std::span<const std::byte> tables);
  Status beginWeight();
  Status append(std::span<const std::byte> bytes);
  StatusOr<FileRegion> endWeight();
  /// `program` is a finished FlatBuffer of artifact::Program.
  Status finish(std::span<const std::byte> program);

private:
  struct State;
  explicit ArtifactWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace pagoda

#endif // PAGODA_ARTIFACT_ARTIFACTWRITER_H
