#include "pagoda/Tools/RebuildKernels.h"

#include "pagoda/Codegen/KernelSources.h"

#include <algorithm>

namespace pagoda {

StatusOr<RebuiltKernels> rebuildKernels(const Artifact &artifact,
                                        const std::string &target,
                                        const std::string &kernelCache) {
  PAGODA_ASSIGN_OR_RETURN(KernelSources sources, kernelSources(artifact));
  PAGODA_ASSIGN_OR_RETURN(ImageBuilder builder,
                          ImageBuilder::create({{}, {}, kernelCache, {}}));
  RebuiltKernels rebuilt;
  PAGODA_ASSIGN_OR_RETURN(
      rebuilt.image, builder.build(sources.units, target, sources.templates));
  for (const TemplateFile &file : sources.templates) {
    auto own = kernelTemplates();
    bool same = std::any_of(own.begin(), own.end(), [&](const auto &other) {
      return other.path == file.path && other.text == file.text;
    });
    if (!same)
      rebuilt.foreignTemplates.push_back(file.path);
  }
  return rebuilt;
}

} // namespace pagoda
