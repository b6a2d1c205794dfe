#include "Model.h"

#include "CompilerLibrary.h"
#include "Progress.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pagoda::cli {

namespace {

namespace fs = std::filesystem;

/// Path, size and time of a file, or of all files of a folder: what changes
/// when a model does, without reading it.
std::string identify(const std::string &path) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const fs::directory_entry &entry : fs::directory_iterator(path, error))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  std::string text;
  for (const fs::path &file : files) {
    struct stat info{};
    if (::stat(file.c_str(), &info) != 0)
      continue;
    text += concat(fs::absolute(file, error).string(), ' ', info.st_size, ' ',
                   info.st_mtim.tv_sec, '.', info.st_mtim.tv_nsec, ' ',
                   info.st_ino, '\n');
  }
  return text;
}

bool isArtifact(const std::string &path) {
  std::error_code error;
  return path.ends_with(".pgd") && !fs::is_directory(path, error);
}

/// Compiles `options.path` unless the cache has it; returns the artifact's
/// path.
StatusOr<std::string> compileIntoCache(const ModelOptions &options) {
  std::error_code error;
  if (!fs::exists(options.path, error))
    return notFound("no such file or folder: '", options.path, "'");
  std::string folder = cacheFolder();
  if (folder.empty())
    return unavailable("there is no place for compiled models: neither "
                       "XDG_CACHE_HOME nor HOME is set; compile the model with "
                       "`pagoda compile MODEL -o FILE.pgd` and run that");
  std::string precision =
      options.precision.empty() ? kDefaultPrecision : options.precision;
  // A rebuilt compiler may compile otherwise.
  std::string key = concat(
      identify(options.path), identify(CompilerLibrary::path()), precision, ' ',
      options.kvDtype, ' ', options.contextLength, ' ', kArtifactVersion);
  char name[20];
  std::snprintf(
      name, sizeof name, "%016llx",
      static_cast<unsigned long long>(XXH3_64bits(key.data(), key.size())));
  fs::path models = fs::path(folder) / "models";
  fs::create_directories(models, error);
  if (error)
    return ioError("cannot create '", models.string(), "': ", error.message());
  std::string output = (models / (std::string(name) + ".pgd")).string();
  if (fs::exists(output, error))
    return output;

  PAGODA_ASSIGN_OR_RETURN(CompilerLibrary compiler, CompilerLibrary::open());
  std::string kernels = (fs::path(folder) / "kernels").string();
  Progress progress("compiling " + fs::path(options.path).filename().string());
  PagodaCompileOptions compile = {};
  compile.structSize = sizeof compile;
  compile.model = options.path.c_str();
  compile.output = output.c_str();
  compile.precision = precision.c_str();
  compile.kvDtype = options.kvDtype.empty() ? nullptr : options.kvDtype.c_str();
  compile.contextLength = options.contextLength;
  compile.kernelCache = kernels.c_str();
  compile.user = &progress;
  compile.progress = [](void *user, const char *phase, double fraction) {
    static_cast<Progress *>(user)->show(phase, fraction);
  };
  PAGODA_RETURN_IF_ERROR(compiler.compile(compile));
  return output;
}

} // namespace

std::string cacheFolder() {
  if (const char *folder = std::getenv("XDG_CACHE_HOME"); folder && *folder)
    return std::string(folder) + "/pagoda";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/pagoda";
  return {};
}

StatusOr<Model> openModel(const ModelOptions &options) {
  std::string path = options.path;
  if (!isArtifact(path)) {
    PAGODA_ASSIGN_OR_RETURN(path, compileIntoCache(options));
  }
  PAGODA_ASSIGN_OR_RETURN(Artifact opened, Artifact::open(path));
  Model model;
  model.artifact = std::make_shared<Artifact>(std::move(opened));
  std::string_view precision =
      model.artifact->program().model()->precision()->string_view();
  if (!options.precision.empty() && options.precision != precision)
    return invalidArgument(
        "'", options.path, "' was compiled with --precision=", precision,
        "; for another one compile the model again with `pagoda compile MODEL "
        "--precision=",
        options.precision, " -o FILE.pgd`");
  if (!model.artifact->tokenizer().empty()) {
    PAGODA_ASSIGN_OR_RETURN(
        rt::Tokenizer tokenizer,
        rt::Tokenizer::fromBytes(model.artifact->tokenizer(), model.artifact)
            .withContext(concat("'", path, "'")));
    model.tokenizer = std::move(tokenizer);
  }
  return model;
}

} // namespace pagoda::cli
