#include "pagoda/Codegen/ImageBuilder.h"

#include "ImageCache.h"
#include "Process.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>

#include "core/abi.h"

namespace pagoda {

namespace {

namespace fs = std::filesystem;

struct Target {
  std::string_view name;
  std::vector<std::string> flags;
};

const std::vector<Target> &targets() {
  static const std::vector<Target> all = {
      {"x86-64-v3", {"--target=x86_64-linux-gnu", "-march=x86-64-v3"}},
      {"avx512-vnni",
       {"--target=x86_64-linux-gnu", "-march=x86-64-v4", "-mavx512vnni",
        "-mprefer-vector-width=512"}},
  };
  return all;
}

/// Flags of every unit. No contraction: a multiply-add happens where the
/// template says fma, so that all levels give the same bits.
const std::vector<std::string> kFlags = {
    "-std=c++20",
    "-O3",
    "-ffreestanding",
    "-nostdinc",
    "-fPIC",
    "-fno-exceptions",
    "-fno-rtti",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-threadsafe-statics",
    "-Wall",
    "-Wextra",
    "-Wno-unused-const-variable",
    "-Wno-unused-parameter",
};

/// Everything at address 0, the table of entries first; what a kernel must not
/// have (writable data, a global offset table) makes the link fail.
constexpr const char *kLinkerScript = R"(SECTIONS {
  . = 0;
  .text : { *(.pagoda.entries) *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  .data : { *(.data .data.* .bss .bss.* COMMON .got .got.* .data.rel.*) }
  ASSERT(SIZEOF(.data) == 0, "a kernel has writable data")
  /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) *(.llvm*) *(.gnu*) }
}
)";

/// A folder that is gone at the end of the scope.
class TemporaryFolder {
public:
  static StatusOr<TemporaryFolder> create() {
    std::string pattern = (fs::temp_directory_path() / "pagoda-XXXXXX");
    if (!::mkdtemp(pattern.data()))
      return ioError("cannot create a folder in '",
                     fs::temp_directory_path().string(),
                     "': ", std::strerror(errno));
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder &&other) noexcept
      : path(std::exchange(other.path, {})) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
  fs::path operator/(const std::string &name) const {
    return fs::path(path) / name;
  }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};

Status writeFile(const fs::path &path, std::string_view text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush())
    return ioError("cannot write '", path.string(), "'");
  return {};
}

Status runTool(const std::vector<std::string> &command) {
  PAGODA_ASSIGN_OR_RETURN(ProcessResult result, runProcess(command));
  if (result.exitCode != 0)
    return internalError("'", command[0], "' failed:\n", result.output);
  return {};
}

/// Units joined into files: one for each core, since a compiler's start costs
/// as much as several kernels.
std::vector<std::string> joinUnits(std::span<const KernelUnit> units,
                                   size_t files) {
  files = std::max<size_t>(1, std::min(files, units.size()));
  std::vector<std::string> texts(files);
  size_t perFile = (units.size() + files - 1) / files;
  for (size_t file = 0; file < files; ++file) {
    size_t begin = std::min(units.size(), file * perFile);
    size_t end = std::min(units.size(), begin + perFile);
    std::set<std::string> headers;
    for (size_t i = begin; i < end; ++i)
      headers.insert(units[i].header);
    for (const std::string &header : headers)
      texts[file] += "#include \"" + header + "\"\n";
    for (size_t i = begin; i < end; ++i)
      texts[file] += "\n" + units[i].text;
  }
  return texts;
}

StatusOr<std::vector<KernelEntryPoint>>
readEntries(std::span<const std::byte> image, size_t count) {
  std::vector<KernelEntryPoint> points;
  for (size_t i = 0; i < count; ++i) {
    PagodaKernelEntry entry;
    if (image.size() < (i + 1) * sizeof entry)
      return internalError("an image has fewer entries than kernels");
    std::memcpy(&entry, image.data() + i * sizeof entry, sizeof entry);
    uint32_t scratch;
    if (entry.abi != PAGODA_KERNEL_ABI || entry.tiles >= image.size() ||
        entry.run >= image.size() || entry.scratch + 4 > image.size())
      return internalError("an image has a malformed table of entries");
    std::memcpy(&scratch, image.data() + entry.scratch, 4);
    points.push_back({entry.tiles, entry.run, scratch});
  }
  return points;
}

std::string environmentOr(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? value : otherwise;
}

std::string chosenClang() {
  return environmentOr("PAGODA_CLANG", PAGODA_CLANG_PATH);
}
std::string chosenLld() { return environmentOr("PAGODA_LLD", PAGODA_LLD_PATH); }

/// The first line of what a program says of itself; empty if it does not run.
std::string versionOf(const std::string &tool) {
  auto result = runProcess({tool, "--version"});
  if (!result.ok() || result->exitCode != 0)
    return {};
  return result->output.substr(0, result->output.find('\n'));
}

} // namespace

std::span<const std::string_view> cpuTargets() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> names;
    for (const Target &target : targets())
      names.push_back(target.name);
    return names;
  }();
  return names;
}

std::string unitText(const KernelUnit &unit) {
  return "#include \"" + unit.header + "\"\n\n" + unit.text;
}

StatusOr<ImageBuilder> ImageBuilder::create(Options options) {
  if (options.clang.empty())
    options.clang = chosenClang();
  if (options.lld.empty())
    options.lld = chosenLld();
  std::string version = versionOf(options.clang);
  if (version.empty())
    return unavailable("kernels are compiled by Clang, and '", options.clang,
                       "' does not run; install clang-22 and lld-22 or set "
                       "PAGODA_CLANG and PAGODA_LLD");
  return ImageBuilder(std::move(options), std::move(version));
}

std::vector<BuildTool> buildTools() {
  return {{"clang", chosenClang(), versionOf(chosenClang())},
          {"lld", chosenLld(), versionOf(chosenLld())}};
}

StatusOr<KernelImage>
ImageBuilder::build(std::span<const KernelUnit> units, std::string_view target,
                    std::span<const TemplateFile> templates) const {
  const auto &all = targets();
  auto known = std::find_if(all.begin(), all.end(), [&](const Target &other) {
    return other.name == target;
  });
  if (known == all.end())
    return invalidArgument("unknown CPU target '", target, "'; known are ",
                           join(cpuTargets()));

  std::vector<std::string> texts = joinUnits(units, 2);
  std::vector<std::string> keyParts = {version, std::string(target)};
  keyParts.insert(keyParts.end(), kFlags.begin(), kFlags.end());
  keyParts.insert(keyParts.end(), known->flags.begin(), known->flags.end());
  keyParts.insert(keyParts.end(), texts.begin(), texts.end());
  for (const TemplateFile &file : templates)
    keyParts.push_back(file.path + "\n" + file.text);
  std::string key = contentKey(keyParts);

  KernelImage image{std::string(target), {}, {}};
  ImageCache cache(options.cacheFolder);
  auto finish = [&]() -> StatusOr<KernelImage> {
    PAGODA_ASSIGN_OR_RETURN(image.entryPoints,
                            readEntries(image.bytes, units.size()));
    return std::move(image);
  };
  bool keep = !options.keepFolder.empty();
  if (auto found = cache.find(key); found && !keep) {
    image.bytes = std::move(*found);
    return finish();
  }
  ImageCache::Lock lock = cache.lock(key);
  if (auto found = cache.find(key); found && !keep) {
    image.bytes = std::move(*found); // another process was faster
    return finish();
  }

  PAGODA_ASSIGN_OR_RETURN(TemporaryFolder folder, TemporaryFolder::create());
  for (const TemplateFile &file : templates)
    PAGODA_RETURN_IF_ERROR(writeFile(folder / file.path, file.text));
  PAGODA_RETURN_IF_ERROR(writeFile(folder / "flat.ld", kLinkerScript));

  std::vector<std::string> objects;
  std::vector<std::future<Status>> compiles;
  auto compile = [&](const std::string &source,
                     std::vector<std::string> extra) {
    std::string object = (folder / concat(objects.size(), ".o")).string();
    objects.push_back(object);
    std::vector<std::string> command = {options.clang};
    command.insert(command.end(), kFlags.begin(), kFlags.end());
    command.insert(command.end(), known->flags.begin(), known->flags.end());
    command.insert(command.end(), extra.begin(), extra.end());
    command.insert(command.end(),
                   {"-I", (folder / "").string(), "-c", source, "-o", object});
    compiles.push_back(std::async(std::launch::async, runTool, command));
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    fs::path source = folder / concat("unit", i, ".cpp");
    PAGODA_RETURN_IF_ERROR(writeFile(source, texts[i]));
    compile(source.string(), {});
  }
  compile((folder / "core/support.cpp").string(),
          {"-fno-builtin", "-fno-vectorize", "-fno-slp-vectorize"});
  Status failed;
  for (std::future<Status> &done : compiles)
    if (Status status = done.get(); !status.ok() && failed.ok())
      failed = std::move(status);
  PAGODA_RETURN_IF_ERROR(std::move(failed));

  std::string output = (folder / "image").string();
  std::vector<std::string> link = {options.lld, "-e", "0", "-T",
                                   (folder / "flat.ld").string()};
  link.insert(link.end(), objects.begin(), objects.end());
  std::vector<std::string> flat = link;
  flat.insert(flat.end(), {"--oformat=binary", "-o", output});
  PAGODA_RETURN_IF_ERROR(runTool(flat));
  if (keep) {
    fs::path kept = fs::path(options.keepFolder) / std::string(target);
    std::error_code ignored;
    fs::create_directories(kept, ignored);
    link.insert(link.end(), {"-o", (kept / "kernels.elf").string()});
    PAGODA_RETURN_IF_ERROR(runTool(link));
    for (size_t i = 0; i < texts.size(); ++i)
      PAGODA_RETURN_IF_ERROR(
          writeFile(kept / concat("unit", i, ".cpp"), texts[i]));
  }

  std::ifstream file(output, std::ios::binary | std::ios::ate);
  image.bytes.resize(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char *>(image.bytes.data()),
            static_cast<std::streamsize>(image.bytes.size()));
  if (!file)
    return ioError("cannot read '", output, "'");
  PAGODA_ASSIGN_OR_RETURN(KernelImage finished, finish());
  cache.keep(key, finished.bytes);
  return finished;
}

} // namespace pagoda
