//===- ImageBuilder.h - From kernel sources to machine code -----*- C++ -*-===//
//
// Compiles the units of a program with Clang for one level of the CPU and
// links them into a flat image: position-independent code and constants
// without imports or relocations, and a table of entries in front. For the
// serializer and for --rebuild-kernels. Images are kept in a cache by the
// content they are made of.
//
//   PAGODA_ASSIGN_OR_RETURN(ImageBuilder builder, ImageBuilder::create({}));
//   PAGODA_ASSIGN_OR_RETURN(KernelImage image,
//                           builder.build(units, "avx512-vnni"));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_CODEGEN_IMAGEBUILDER_H
#define PAGODA_CODEGEN_IMAGEBUILDER_H

#include "pagoda/Codegen/KernelUnit.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pagoda {

/// Files of kernels/templates, as paths below it and texts, in order of path.
struct TemplateFile {
  std::string path;
  std::string text;
};
std::span<const TemplateFile> kernelTemplates();

/// Where the functions of a kernel start in its image.
struct KernelEntryPoint {
  uint32_t tiles;
  uint32_t run;
  uint32_t scratchBytes;
};

struct KernelImage {
  std::string target;
  std::vector<std::byte> bytes;
  /// In the order of the units.
  std::vector<KernelEntryPoint> entryPoints;
};

/// Levels of CPUs that kernels can be compiled for, least able first.
std::span<const std::string_view> cpuTargets();

class ImageBuilder {
public:
  struct Options {
    /// Empty: $PAGODA_CLANG and $PAGODA_LLD, else the ones found when Pagoda
    /// was configured.
    std::string clang, lld;
    /// Where finished images are kept; empty: nowhere.
    std::string cacheFolder;
    /// Keeps sources, objects and an ELF file here for debuggers.
    std::string keepFolder;
  };

  /// Errors: Unavailable where Clang or lld is missing.
  static StatusOr<ImageBuilder> create(Options options);

  /// Safe to call for several targets at once. Errors: InvalidArgument for an
  /// unknown target; Internal, with the compiler's words, if a unit does not
  /// compile. The templates are this build's, or those of an artifact.
  StatusOr<KernelImage>
  build(std::span<const KernelUnit> units, std::string_view target,
        std::span<const TemplateFile> templates = kernelTemplates()) const;

private:
  explicit ImageBuilder(Options options, std::string compilerVersion)
      : options(std::move(options)), version(std::move(compilerVersion)) {}

  Options options;
  std::string version;
};

/// A program that kernels are built with, for `pagoda doctor`.
struct BuildTool {
  std::string name;
  std::string path;
  /// What it says of itself; empty: it does not run.
  std::string version;
};
/// Clang and lld, as create() would choose them.
std::vector<BuildTool> buildTools();

/// The text of the unit that holds a kernel: its include and its text.
std::string unitText(const KernelUnit &unit);

} // namespace pagoda

#endif // PAGODA_CODEGEN_IMAGEBUILDER_H
