#include "Describe.h"

#include "pagoda/Runtime/Device/CpuFeatures.h"

#include <map>

namespace pagoda {

namespace {

Json names(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>
               *strings) {
  Json list = Json::array();
  for (const flatbuffers::String *name : *strings)
    list.push_back(name->str());
  return list;
}

uint64_t weightBytes(const artifact::Program &program) {
  uint64_t bytes = 0;
  for (const artifact::Weight *weight : *program.weights())
    bytes += weight->bytes();
  return bytes;
}

Json describeModel(const artifact::Model &model) {
  Json stops = Json::array();
  if (model.stop_tokens())
    for (int32_t id : *model.stop_tokens())
      stops.push_back(id);
  return {{"name", model.name()->str()},
          {"architecture", model.architecture()->str()},
          {"precision", model.precision()->str()},
          {"vocabulary", model.vocabulary()},
          {"context_length", model.context_length()},
          {"bos", model.bos()},
          {"stop_tokens", stops}};
}

/// Layers that are alike are told once.
Json describeCache(const artifact::Cache &cache) {
  std::map<std::array<uint32_t, 4>, Json> kinds;
  for (unsigned layer = 0; layer < cache.layers()->size(); ++layer) {
    const artifact::CacheLayer *shape = cache.layers()->Get(layer);
    Json &kind = kinds[{shape->kv_heads(), shape->key_elements(),
                        shape->value_elements(), shape->window()}];
    if (kind.is_null())
      kind = {{"layers", 0},
              {"kv_heads", shape->kv_heads()},
              {"key_elements", shape->key_elements()},
              {"value_elements", shape->value_elements()},
              {"window", shape->window()}};
    kind["layers"] = kind["layers"].get<unsigned>() + 1;
  }
  Json shapes = Json::array();
  for (auto &[shape, kind] : kinds)
    shapes.push_back(std::move(kind));
  // Of so many tokens that the rounding of pools to lines does not show.
  uint64_t perBlock = rt::cacheBytes(cache, 64) / 64;
  return {{"type", cache.type() == artifact::CacheType::F16 ? "f16" : "f32"},
          {"layers", cache.layers()->size()},
          {"block_tokens", cache.block()},
          {"bytes_per_token", perBlock / cache.block()},
          {"shapes", shapes}};
}

} // namespace

Json describeSummary(const Artifact &artifact) {
  const artifact::Program &program = artifact.program();
  Json targets = Json::array();
  for (const artifact::Image *image : *program.images())
    targets.push_back({{"target", image->target()->str()},
                       {"kernels", image->entry_points()->size()},
                       {"bytes", image->bytes()},
                       {"runs_here", rt::cpuRuns(image->target()->str())}});
  Json entries = Json::array();
  for (const artifact::Entry *entry : *program.entries())
    entries.push_back({{"name", entry->name()->str()},
                       {"kind", entry->kind()->str()},
                       {"launches", entry->launches()->size()},
                       {"slots", entry->slots()->size()},
                       {"inputs", names(entry->inputs())}});
  return {
      {"file", artifact.path()},
      {"bytes", artifact.fileBytes()},
      {"producer", program.producer()->str()},
      {"format_version", artifact.layout().version},
      {"kernel_abi", program.kernel_abi()},
      {"model", describeModel(*program.model())},
      {"targets", targets},
      {"entries", entries},
      {"kernels", program.kernels()->size()},
      {"weights",
       {{"count", program.weights()->size()}, {"bytes", weightBytes(program)}}},
      {"tokenizer_bytes", artifact.tokenizer().size()},
      {"cache", program.cache() ? describeCache(*program.cache()) : Json()}};
}

Json describeSizes(const Artifact &artifact) {
  const artifact::Program &program = artifact.program();
  const ArtifactHeader &layout = artifact.layout();
  Json parts = Json::array();
  uint64_t rest = artifact.fileBytes();
  auto add = [&](std::string part, uint64_t bytes, std::string note = {}) {
    parts.push_back({{"part", std::move(part)},
                     {"bytes", bytes},
                     {"share", double(bytes) / double(artifact.fileBytes())},
                     {"note", std::move(note)}});
    // Regions of a file that lies may overlap.
    rest -= std::min(rest, bytes);
  };

  // Weights by the type of their elements.
  std::map<std::string, std::pair<unsigned, uint64_t>> types;
  for (const artifact::Weight *weight : *program.weights()) {
    std::string type = weight->type()->str();
    // "!llm.packed<tile32, tensor<576x576x!llm.q4_1>>" is of q4_1.
    size_t end = type.find_last_not_of('>') + 1;
    size_t begin = type.find_last_of("x<", end == 0 ? 0 : end - 1);
    type = type.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1));
    if (type.starts_with("!llm."))
      type = type.substr(5);
    auto &[count, bytes] = types[type];
    ++count;
    bytes += weight->bytes();
  }
  for (const auto &[type, sum] : types)
    add("weights of " + type, sum.second,
        concat(sum.first, sum.first == 1 ? " weight" : " weights"));
  for (const artifact::Image *image : *program.images())
    add("kernels for " + image->target()->str(), image->bytes(),
        concat(image->entry_points()->size(), " kernels"));
  add("tokenizer", artifact.tokenizer().size());

  uint64_t sources = 0, contracts = 0, templates = 0, histories = 0;
  for (const artifact::Kernel *kernel : *program.kernels()) {
    sources += kernel->source()->size();
    contracts += kernel->contract()->size();
  }
  for (const artifact::SourceFile *file : *program.templates())
    templates += file->text()->size();
  for (const artifact::Weight *weight : *program.weights())
    histories += weight->history()->size();
  add("kernel templates", templates,
      concat(program.templates()->size(), " files"));
  add("kernel sources", sources);
  add("contracts of kernels", contracts);
  add("histories of weights", histories);
  add("launches and other tables",
      layout.programBytes - sources - contracts - templates - histories);
  add("header", sizeof(ArtifactHeader));
  add("padding", rest, "weights start at a huge page");
  return {{"bytes", artifact.fileBytes()}, {"parts", parts}};
}

} // namespace pagoda
