#include "Describe.h"

#include <algorithm>

namespace pagoda {

namespace {

/// Bytes from where a function starts to where the next one does; helpers that
/// the compiler put in between count for the one before.
class CodeSizes {
public:
  explicit CodeSizes(const artifact::Image &image) : end(image.bytes()) {
    for (const artifact::EntryPoint *point : *image.entry_points()) {
      starts.push_back(point->tiles());
      starts.push_back(point->run());
    }
    std::sort(starts.begin(), starts.end());
  }
  uint64_t bytesFrom(uint64_t start) const {
    auto next = std::upper_bound(starts.begin(), starts.end(), start);
    return (next == starts.end() ? end : *next) - start;
  }

private:
  std::vector<uint64_t> starts;
  uint64_t end;
};

Json describeArgument(const artifact::Argument &argument,
                      const artifact::Entry &entry,
                      const artifact::Program &program) {
  unsigned index = argument.index();
  switch (argument.kind()) {
  case artifact::ArgumentKind::Slot:
    return {{"slot", index},
            {"size", sizeFormula(*entry.slots()->Get(index), entry)}};
  case artifact::ArgumentKind::Weight: {
    const artifact::Weight *weight = program.weights()->Get(index);
    return {{"weight", weight->name()->str()}, {"bytes", weight->bytes()}};
  }
  case artifact::ArgumentKind::Input:
    return {{"input", entry.inputs()->Get(index)->str()}};
  case artifact::ArgumentKind::KeyPool:
    return {{"keys", index}};
  case artifact::ArgumentKind::ValuePool:
    return {{"values", index}};
  }
  return {};
}

Json describeEntry(const artifact::Entry &entry,
                   const artifact::Program &program) {
  Json dims = Json::array(), inputs = Json::array(), slots = Json::array(),
       launches = Json::array(), outputs = Json::array();
  for (const flatbuffers::String *dim : *entry.dims())
    dims.push_back(dim->str());
  for (const flatbuffers::String *input : *entry.inputs())
    inputs.push_back(input->str());
  for (const artifact::Size *slot : *entry.slots())
    slots.push_back(sizeFormula(*slot, entry));
  for (const artifact::Launch *launch : *entry.launches()) {
    Json arguments = Json::array();
    if (launch->arguments())
      for (const artifact::Argument *argument : *launch->arguments())
        arguments.push_back(describeArgument(*argument, entry, program));
    launches.push_back(
        {{"kernel", program.kernels()->Get(launch->kernel())->name()->str()},
         {"place", launch->place() ? launch->place()->str() : ""},
         {"rows", entry.dims()->Get(launch->rows_dim())->str()},
         {"arguments", std::move(arguments)}});
  }
  for (const artifact::Output *output : *entry.outputs())
    outputs.push_back(
        {{"name", output->name()->str()},
         {"slot", output->slot()},
         {"rows", entry.dims()->Get(output->rows_dim())->str()},
         {"width", output->width()},
         {"type",
          output->type() == artifact::OutputType::I32 ? "i32" : "f32"}});
  return {{"name", entry.name()->str()},
          {"kind", entry.kind()->str()},
          {"dims", dims},
          {"inputs", inputs},
          {"slots", slots},
          {"launches", launches},
          {"outputs", outputs}};
}

} // namespace

std::string sizeFormula(const artifact::Size &size,
                        const artifact::Entry &entry) {
  std::string text;
  if (size.terms())
    for (const artifact::Term *term : *size.terms())
      text += concat(text.empty() ? "" : " + ", term->factor(), " * ",
                     entry.dims()->Get(term->dim())->string_view());
  if (size.constant() || text.empty())
    text += concat(text.empty() ? "" : " + ", size.constant());
  return text;
}

StatusOr<Json> describeKernels(const Artifact &artifact,
                               const std::string &name) {
  const artifact::Program &program = artifact.program();
  std::vector<uint64_t> launches(program.kernels()->size());
  for (const artifact::Entry *entry : *program.entries())
    for (const artifact::Launch *launch : *entry->launches())
      ++launches[launch->kernel()];
  std::vector<CodeSizes> sizes;
  for (const artifact::Image *image : *program.images())
    sizes.emplace_back(*image);

  Json list = Json::array();
  for (unsigned i = 0; i < program.kernels()->size(); ++i) {
    const artifact::Kernel *kernel = program.kernels()->Get(i);
    if (!name.empty() && kernel->name()->string_view() != name)
      continue;
    Json code = Json::array();
    for (unsigned k = 0; k < program.images()->size(); ++k) {
      const artifact::Image *image = program.images()->Get(k);
      const artifact::EntryPoint *point = image->entry_points()->Get(i);
      code.push_back({{"target", image->target()->str()},
                      {"tiles_offset", point->tiles()},
                      {"run_offset", point->run()},
                      {"scratch_bytes", point->scratch_bytes()},
                      {"bytes", sizes[k].bytesFrom(point->run()) +
                                    sizes[k].bytesFrom(point->tiles())}});
    }
    list.push_back({{"name", kernel->name()->str()},
                    {"family", kernel->family()->str()},
                    {"launches", launches[i]},
                    {"code", std::move(code)},
                    {"contract", kernel->contract()->str()},
                    {"source", kernel->source()->str()}});
  }
  if (list.empty() && !name.empty()) {
    std::vector<std::string> known;
    for (const artifact::Kernel *kernel : *program.kernels())
      known.push_back(kernel->name()->str());
    return notFound("'", artifact.path(), "' has no kernel '", name,
                    "'; it has ", join(known));
  }
  return list;
}

Json describeTemplates(const Artifact &artifact) {
  Json list = Json::array();
  for (const artifact::SourceFile *file : *artifact.program().templates())
    list.push_back(
        {{"path", file->path()->str()}, {"text", file->text()->str()}});
  return list;
}

Json describeProgram(const Artifact &artifact) {
  Json entries = Json::array();
  for (const artifact::Entry *entry : *artifact.program().entries())
    entries.push_back(describeEntry(*entry, artifact.program()));
  return entries;
}

} // namespace pagoda
