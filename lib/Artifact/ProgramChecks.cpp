#include "ProgramChecks.h"

namespace pagoda {

namespace {

/// More of anything than this is damage, not a model.
constexpr uint32_t kMostKernels = 1 << 16;
constexpr uint64_t kMostBytesPerUnit = uint64_t(1) << 40;

Status checkSize(const artifact::Size &size, uint32_t dims, const char *what) {
  if (size.constant() > kMostBytesPerUnit)
    return corruptData("a ", what, " of ", size.constant(), " bytes");
  if (size.terms())
    for (const artifact::Term *term : *size.terms())
      if (term->dim() >= dims || term->factor() > kMostBytesPerUnit)
        return corruptData("a ", what, " has an unreasonable size");
  return {};
}

/// A region inside `[begin, begin + bytes)` of the file, aligned.
bool liesIn(uint64_t offset, uint64_t bytes, uint64_t begin, uint64_t extent,
            uint64_t alignment) {
  return offset >= begin && offset - begin <= extent &&
         bytes <= extent - (offset - begin) && offset % alignment == 0;
}

Status checkArgument(const artifact::Argument &argument,
                     const artifact::Entry &entry,
                     const artifact::Program &program) {
  uint32_t count = 0;
  switch (argument.kind()) {
  case artifact::ArgumentKind::Slot:
    count = entry.slots()->size();
    break;
  case artifact::ArgumentKind::Weight:
    count = program.weights()->size();
    break;
  case artifact::ArgumentKind::Input:
    count = entry.inputs()->size();
    break;
  case artifact::ArgumentKind::KeyPool:
  case artifact::ArgumentKind::ValuePool:
    count = program.cache() ? program.cache()->layers()->size() : 0;
    break;
  default:
    return corruptData("an argument of unknown kind");
  }
  if (argument.index() >= count)
    return corruptData("an argument counts to ", argument.index(), " of ",
                       count);
  return {};
}

Status checkEntry(const artifact::Entry &entry,
                  const artifact::Program &program) {
  uint32_t dims = entry.dims()->size();
  for (const artifact::Size *slot : *entry.slots())
    PAGODA_RETURN_IF_ERROR(checkSize(*slot, dims, "slot"));
  for (const artifact::Launch *launch : *entry.launches()) {
    if (launch->kernel() >= program.kernels()->size())
      return corruptData("a launch names kernel ", launch->kernel(), " of ",
                         program.kernels()->size());
    if (launch->rows_dim() >= dims)
      return corruptData("a launch counts its rows by dim ", launch->rows_dim(),
                         " of ", dims);
    if (launch->arguments())
      for (const artifact::Argument *argument : *launch->arguments())
        PAGODA_RETURN_IF_ERROR(checkArgument(*argument, entry, program));
  }
  for (const artifact::Output *output : *entry.outputs())
    if (output->slot() >= entry.slots()->size() || output->rows_dim() >= dims)
      return corruptData("an output lies outside its entry");
  return {};
}

Status checkImages(const artifact::Program &program,
                   const ArtifactHeader &header) {
  for (const artifact::Image *image : *program.images()) {
    if (!liesIn(image->offset(), image->bytes(), header.imagesOffset,
                header.imagesBytes, kImageAlignment))
      return corruptData("kernels for ", image->target()->c_str(),
                         " lie outside their region");
    if (image->entry_points()->size() != program.kernels()->size())
      return corruptData("kernels for ", image->target()->c_str(), " are ",
                         image->entry_points()->size(), " of ",
                         program.kernels()->size());
    for (const artifact::EntryPoint *point : *image->entry_points())
      if (point->tiles() >= image->bytes() || point->run() >= image->bytes() ||
          point->scratch_bytes() > (1u << 30))
        return corruptData("a kernel for ", image->target()->c_str(),
                           " starts outside its image");
  }
  return {};
}

} // namespace

Status checkProgram(const artifact::Program &program,
                    const ArtifactHeader &header) {
  if (program.kernels()->size() > kMostKernels)
    return corruptData("holds ", program.kernels()->size(), " kernels");
  PAGODA_RETURN_IF_ERROR(checkImages(program, header));
  for (const artifact::Weight *weight : *program.weights())
    if (!liesIn(weight->offset(), weight->bytes(), header.weightsOffset,
                header.weightsBytes, kWeightAlignment))
      return corruptData("weight '", weight->name()->c_str(),
                         "' lies outside its region");
  if (const artifact::Cache *cache = program.cache()) {
    if (cache->type() > artifact::CacheType::MAX || cache->block() == 0 ||
        cache->block() > 4096)
      return corruptData("a cache of unknown kind");
    for (const artifact::CacheLayer *layer : *cache->layers())
      if (layer->kv_heads() == 0 || layer->kv_heads() > 65536 ||
          layer->key_elements() == 0 || layer->key_elements() > 65536 ||
          layer->value_elements() == 0 || layer->value_elements() > 65536)
        return corruptData("a layer of the cache has an unreasonable size");
  }
  for (const artifact::Entry *entry : *program.entries())
    PAGODA_RETURN_IF_ERROR(checkEntry(*entry, program));
  return {};
}

} // namespace pagoda
