#include "pagoda/Files/Safetensors.h"

#include "QuotedName.h"
#include "SafetensorsParser.h"
#include "pagoda/Files/ContainedPath.h"
#include "pagoda/Files/Json.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace pagoda {

namespace {

constexpr const char *singleFile = "model.safetensors";
constexpr const char *indexFile = "model.safetensors.index.json";

StatusOr<ElementType> elementTypeOf(const std::string &path,
                                    const SafetensorsTensor &tensor) {
  if (tensor.type)
    return ElementType(*tensor.type);
  return unsupported(path, ": tensor ", quotedName(tensor.name), " has type ",
                     tensor.typeName, ", which Pagoda does not read yet");
}

} // namespace

//===----------------------------------------------------------------------===//
// SafetensorsFile
//===----------------------------------------------------------------------===//

StatusOr<SafetensorsFile>
SafetensorsFile::fromBytes(std::span<const std::byte> bytes, std::string name) {
  SafetensorsFile file;
  file.name = std::move(name);
  PAGODA_RETURN_IF_ERROR(SafetensorsParser(bytes, file).parse());
  file.byName.resize(file.table.size());
  std::iota(file.byName.begin(), file.byName.end(), 0);
  std::ranges::sort(file.byName, {}, [&](uint32_t i) -> std::string_view {
    return file.table[i].name;
  });
  return file;
}

StatusOr<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  PAGODA_ASSIGN_OR_RETURN(MappedFile mapping, MappedFile::open(path));
  PAGODA_ASSIGN_OR_RETURN(SafetensorsFile file,
                          fromBytes(mapping.bytes(), path));
  file.mapping = std::move(mapping);
  return file;
}

const SafetensorsTensor *
SafetensorsFile::findTensor(std::string_view wanted) const {
  auto nameOf = [&](uint32_t i) -> std::string_view { return table[i].name; };
  auto found = std::ranges::lower_bound(byName, wanted, {}, nameOf);
  if (found == byName.end() || nameOf(*found) != wanted)
    return nullptr;
  return &table[*found];
}

StatusOr<const SafetensorsTensor *>
SafetensorsFile::tensor(std::string_view wanted) const {
  if (const SafetensorsTensor *found = findTensor(wanted))
    return found;
  return notFound(name, ": no tensor ", quotedName(wanted));
}

StatusOr<ElementType>
SafetensorsFile::elementType(const SafetensorsTensor &tensor) const {
  return elementTypeOf(name, tensor);
}

//===----------------------------------------------------------------------===//
// SafetensorsSet
//===----------------------------------------------------------------------===//

StatusOr<SafetensorsSet> SafetensorsSet::open(const std::string &folder) {
  SafetensorsSet set;
  set.folder = folder;
  StatusOr<std::string> path = resolveInside(folder, singleFile);
  if (path.ok()) {
    PAGODA_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(*path));
    set.shards.push_back(std::move(file));
  } else if (path.status().code() == StatusCode::NotFound) {
    StatusOr<std::string> index = resolveInside(folder, indexFile);
    if (index.status().code() == StatusCode::NotFound)
      return notFound("there is neither ", singleFile, " nor ", indexFile,
                      " in ", quotedName(folder));
    if (!index.ok())
      return std::move(index).status();
    PAGODA_RETURN_IF_ERROR(set.openShards(*index));
  } else {
    return std::move(path).status();
  }
  PAGODA_RETURN_IF_ERROR(set.collect());
  return set;
}

Status SafetensorsSet::openShards(const std::string &index) {
  PAGODA_ASSIGN_OR_RETURN(JsonDocument document,
                          JsonDocument::parseFile(index));
  PAGODA_ASSIGN_OR_RETURN(JsonValue map,
                          document.root().getObject("weight_map"));
  std::set<std::string_view> names;
  for (size_t i = 0; i < map.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view shard, map[i].asString());
    names.insert(shard);
  }
  shards.reserve(names.size());
  for (std::string_view name : names) {
    PAGODA_ASSIGN_OR_RETURN(std::string path,
                            resolveInside(folder, name).withContext(index));
    PAGODA_ASSIGN_OR_RETURN(SafetensorsFile shard, SafetensorsFile::open(path));
    shards.push_back(std::move(shard));
  }
  // `names` and `shards` have the same order.
  for (size_t i = 0; i < map.size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(std::string_view shard, map[i].asString());
    auto position = std::distance(names.begin(), names.find(shard));
    if (!shards[static_cast<size_t>(position)].findTensor(map.keyAt(i)))
      return corruptData(index, ": tensor ", quotedName(map.keyAt(i)),
                         " should be in ", quotedName(shard),
                         ", which does not have it");
  }
  return Status();
}

Status SafetensorsSet::collect() {
  for (const SafetensorsFile &shard : shards)
    for (const SafetensorsTensor &tensor : shard.tensors())
      table.push_back(&tensor);
  auto nameOf = [](const SafetensorsTensor *tensor) -> std::string_view {
    return tensor->name;
  };
  std::ranges::sort(table, {}, nameOf);
  auto twice = std::ranges::adjacent_find(table, {}, nameOf);
  if (twice == table.end())
    return Status();
  std::vector<std::string> holders;
  for (const SafetensorsFile &shard : shards)
    if (shard.findTensor((*twice)->name))
      holders.push_back(quotedName(shard.path()));
  return corruptData(folder, ": tensor ", quotedName((*twice)->name),
                     " stands in more than one shard: ", join(holders));
}

const SafetensorsTensor *
SafetensorsSet::findTensor(std::string_view wanted) const {
  auto nameOf = [](const SafetensorsTensor *tensor) -> std::string_view {
    return tensor->name;
  };
  auto found = std::ranges::lower_bound(table, wanted, {}, nameOf);
  return found == table.end() || nameOf(*found) != wanted ? nullptr : *found;
}

StatusOr<const SafetensorsTensor *>
SafetensorsSet::tensor(std::string_view wanted) const {
  if (const SafetensorsTensor *found = findTensor(wanted))
    return found;
  return notFound(folder, ": no tensor ", quotedName(wanted));
}

StatusOr<ElementType>
SafetensorsSet::elementType(const SafetensorsTensor &tensor) const {
  return elementTypeOf(folder, tensor);
}

} // namespace pagoda
