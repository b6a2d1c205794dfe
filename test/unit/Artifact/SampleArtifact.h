//===- SampleArtifact.h - A small artifact for tests ------------*- C++ -*-===//
//
// Everything that an artifact can hold, with bytes instead of machine code.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_ARTIFACT_SAMPLEARTIFACT_H
#define PAGODA_TEST_UNIT_ARTIFACT_SAMPLEARTIFACT_H

#include "core/abi.h"
#include "pagoda/Artifact/ArtifactWriter.h"

#include <cstring>
#include <string>
#include <vector>

namespace pagoda::test {

inline std::vector<std::byte> bytesOf(size_t count, int seed) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = std::byte((i * 31 + static_cast<size_t>(seed)) & 255);
  return bytes;
}

/// Writes the sample to `path`.
inline Status writeSample(const std::string &path) {
  namespace fb = flatbuffers;
  PAGODA_ASSIGN_OR_RETURN(ArtifactWriter writer, ArtifactWriter::create(path));
  PAGODA_ASSIGN_OR_RETURN(FileRegion image, writer.addImage(bytesOf(4096, 1)));
  PAGODA_RETURN_IF_ERROR(writer.addTokenizer(bytesOf(100, 2)));
  std::vector<FileRegion> regions;
  for (size_t size : {1000u, 64u, 300000u}) {
    PAGODA_RETURN_IF_ERROR(writer.beginWeight());
    PAGODA_RETURN_IF_ERROR(writer.append(bytesOf(size, 3)));
    PAGODA_ASSIGN_OR_RETURN(FileRegion region, writer.endWeight());
    regions.push_back(region);
  }

  fb::FlatBufferBuilder builder;
  std::vector<int32_t> stops = {2};
  auto model = artifact::CreateModelDirect(builder, "sample", "llama", 320, 256,
                                           "exact", 1, &stops);
  std::vector<fb::Offset<artifact::Kernel>> kernels = {
      artifact::CreateKernelDirect(builder, "norm", "rms_norm", "contract",
                                   "source", /*row_operations=*/1000,
                                   /*key_operations=*/8)};
  std::vector<artifact::EntryPoint> points = {{16, 64, 128}};
  std::vector<fb::Offset<artifact::Image>> images = {
      artifact::CreateImageDirect(builder, "x86-64-v3", image.offset,
                                  image.bytes, image.hash, &points)};
  std::vector<fb::Offset<artifact::SourceFile>> templates = {
      artifact::CreateSourceFileDirect(builder, "core/abi.h", "text")};
  std::vector<fb::Offset<artifact::Weight>> weights;
  for (size_t i = 0; i < regions.size(); ++i)
    weights.push_back(artifact::CreateWeightDirect(
        builder, ("w" + std::to_string(i)).c_str(), "tensor<64xf32>", "history",
        regions[i].offset, regions[i].bytes, regions[i].hash));
  std::vector<artifact::CacheLayer> layers = {{2, 16, 16, 0}, {2, 16, 16, 32}};
  auto cache = artifact::CreateCacheDirect(builder, artifact::CacheType::F16,
                                           16, &layers);
  std::vector<fb::Offset<fb::String>> dims, inputs;
  for (const char *dim :
       {"tokens", "sequences", "rows", "table_width", "blocks"})
    dims.push_back(builder.CreateString(dim));
  inputs.push_back(builder.CreateString("ids"));
  std::vector<fb::Offset<artifact::Term>> terms = {
      artifact::CreateTerm(builder, 0, 256)};
  std::vector<fb::Offset<artifact::Size>> slots = {
      artifact::CreateSizeDirect(builder, 64, &terms)};
  std::vector<artifact::Argument> arguments = {
      {artifact::ArgumentKind::Slot, 0},
      {artifact::ArgumentKind::Weight, 1},
      {artifact::ArgumentKind::Input, 0},
      {artifact::ArgumentKind::KeyPool, 1},
      {artifact::ArgumentKind::ValuePool, 0}};
  std::vector<fb::Offset<artifact::Launch>> launches = {
      artifact::CreateLaunchDirect(builder, 0, 0, &arguments, "blk.3.norm")};
  std::vector<fb::Offset<artifact::Output>> outputs = {
      artifact::CreateOutputDirect(builder, "logits", 0, 2, 320)};
  std::vector<fb::Offset<artifact::Entry>> entries = {
      artifact::CreateEntryDirect(builder, "step", "step", &dims, &inputs,
                                  &slots, &launches, &outputs)};
  builder.Finish(artifact::CreateProgramDirect(
      builder, "test", PAGODA_KERNEL_ABI, model, &entries, &kernels, &images,
      &templates, &weights, cache));
  return writer.finish(
      {reinterpret_cast<const std::byte *>(builder.GetBufferPointer()),
       builder.GetSize()});
}

/// Makes the checksums of header, program, tokenizer and images agree with the
/// bytes again, where the regions still lie in the file.
inline void recomputeHashes(std::vector<std::byte> &file) {
  ArtifactHeader header;
  if (file.size() < sizeof header)
    return;
  std::memcpy(&header, file.data(), sizeof header);
  auto region = [&](uint64_t offset, uint64_t bytes) {
    bool inside = offset <= file.size() && bytes <= file.size() - offset;
    return inside ? std::span<const std::byte>(file).subspan(offset, bytes)
                  : std::span<const std::byte>();
  };
  header.programHash =
      artifactHash(region(header.programOffset, header.programBytes));
  header.tokenizerHash =
      artifactHash(region(header.tokenizerOffset, header.tokenizerBytes));
  header.headerHash =
      artifactHash({reinterpret_cast<const std::byte *>(&header),
                    offsetof(ArtifactHeader, headerHash)});
  std::memcpy(file.data(), &header, sizeof header);
}

} // namespace pagoda::test

#endif // PAGODA_TEST_UNIT_ARTIFACT_SAMPLEARTIFACT_H
