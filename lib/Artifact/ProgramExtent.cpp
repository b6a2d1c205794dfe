#include "ProgramExtent.h"

namespace pagoda {

namespace {

/// Counts what is walked over, down from the bytes that there are. Stops being
/// of use once it is exhausted; the walk then ends early.
class Walk {
public:
  explicit Walk(uint64_t bytes) : left(bytes) {}

  bool exhausted() const { return isExhausted; }

  void take(uint64_t bytes) {
    if (bytes > left)
      isExhausted = true;
    else
      left -= bytes;
  }
  void text(const flatbuffers::String *string) {
    if (string)
      take(string->size());
  }
  template <typename T>
  void plain(const flatbuffers::Vector<T> *vector) {
    if (vector)
      take(uint64_t{vector->size()} * sizeof(T));
  }
  void structs(uint64_t count, uint64_t bytes) { take(count * bytes); }
  /// A vector of tables or texts; `visit` looks into each.
  template <typename T, typename Visit>
  void each(const flatbuffers::Vector<flatbuffers::Offset<T>> *vector,
            Visit visit) {
    if (!vector)
      return;
    take(uint64_t{vector->size()} * sizeof(flatbuffers::uoffset_t));
    for (unsigned i = 0; i < vector->size() && !exhausted(); ++i)
      visit(vector->Get(i));
  }

private:
  uint64_t left;
  bool isExhausted = false;
};

void walkEntry(const artifact::Entry &entry, Walk &walk) {
  auto text = [&](const flatbuffers::String *string) { walk.text(string); };
  text(entry.name());
  text(entry.kind());
  walk.each(entry.dims(), text);
  walk.each(entry.inputs(), text);
  walk.each(entry.slots(), [&](const artifact::Size *size) {
    walk.each(size->terms(), [&](const artifact::Term *) { walk.take(4); });
  });
  walk.each(entry.launches(), [&](const artifact::Launch *launch) {
    if (launch->arguments())
      walk.structs(launch->arguments()->size(), sizeof(artifact::Argument));
    if (launch->place())
      walk.text(launch->place());
  });
  walk.each(entry.outputs(),
            [&](const artifact::Output *output) { text(output->name()); });
}

} // namespace

Status checkExtent(const artifact::Program &program, uint64_t programBytes) {
  Walk walk(programBytes);
  walk.text(program.producer());
  walk.text(program.model()->name());
  walk.text(program.model()->architecture());
  walk.text(program.model()->precision());
  walk.plain(program.model()->stop_tokens());
  walk.each(program.entries(),
            [&](const artifact::Entry *entry) { walkEntry(*entry, walk); });
  walk.each(program.kernels(), [&](const artifact::Kernel *kernel) {
    walk.text(kernel->name());
    walk.text(kernel->family());
    walk.text(kernel->contract());
    walk.text(kernel->source());
  });
  walk.each(program.images(), [&](const artifact::Image *image) {
    walk.text(image->target());
    walk.structs(image->entry_points()->size(), sizeof(artifact::EntryPoint));
  });
  walk.each(program.templates(), [&](const artifact::SourceFile *file) {
    walk.text(file->path());
    walk.text(file->text());
  });
  walk.each(program.weights(), [&](const artifact::Weight *weight) {
    walk.text(weight->name());
    walk.text(weight->type());
    walk.text(weight->history());
  });
  if (program.cache())
    walk.structs(program.cache()->layers()->size(),
                 sizeof(artifact::CacheLayer));
  if (walk.exhausted())
    return corruptData("the program refers to the same bytes again and again");
  return {};
}

} // namespace pagoda
