#include "pagoda/Codegen/KernelSources.h"

#include <algorithm>
#include <cctype>

namespace pagoda {

namespace {

/// They are written to a folder before anything is compiled.
constexpr unsigned kMostTemplates = 1000;

/// "core/abi.h": folders and a file name of plain characters, none of which
/// leads elsewhere.
bool isTemplatePath(std::string_view path) {
  if (!path.ends_with(".h") && !path.ends_with(".cpp"))
    return false;
  while (true) {
    size_t end = path.find('/');
    std::string_view part = path.substr(0, end);
    // A part that starts with a dot could be "..".
    if (part.empty() || part.front() == '.' ||
        !std::all_of(part.begin(), part.end(), [](unsigned char c) {
          return std::isalnum(c) || c == '_' || c == '.';
        }))
      return false;
    if (end == std::string_view::npos)
      return true;
    path.remove_prefix(end + 1);
  }
}

/// A unit as unitText() put it together: an include, an empty line, the text.
StatusOr<KernelUnit> parseUnit(const artifact::Kernel &kernel) {
  constexpr std::string_view kInclude = "#include \"";
  std::string_view source = kernel.source()->string_view();
  auto malformed = [&] {
    return corruptData("the source of kernel '", kernel.name()->c_str(),
                       "' does not begin with the include of a template");
  };
  if (!source.starts_with(kInclude))
    return malformed();
  source.remove_prefix(kInclude.size());
  size_t end = source.find("\"\n\n");
  if (end == std::string_view::npos || !isTemplatePath(source.substr(0, end)))
    return malformed();
  KernelUnit unit;
  unit.name = kernel.name()->str();
  unit.header = source.substr(0, end);
  unit.text = source.substr(end + 3);
  return unit;
}

} // namespace

StatusOr<KernelSources> kernelSources(const Artifact &artifact) {
  KernelSources sources;
  for (const artifact::Kernel *kernel : *artifact.program().kernels()) {
    PAGODA_ASSIGN_OR_RETURN(
        KernelUnit unit,
        parseUnit(*kernel).withContext(concat("'", artifact.path(), "'")));
    sources.units.push_back(std::move(unit));
  }
  const auto *templates = artifact.program().templates();
  if (templates->size() > kMostTemplates)
    return corruptData("'", artifact.path(), "' has ", templates->size(),
                       " kernel templates");
  for (const artifact::SourceFile *file : *templates) {
    if (!isTemplatePath(file->path()->string_view()))
      return corruptData("'", artifact.path(),
                         "': a kernel template has a path that may not be "
                         "written");
    sources.templates.push_back({file->path()->str(), file->text()->str()});
  }
  return sources;
}

} // namespace pagoda
