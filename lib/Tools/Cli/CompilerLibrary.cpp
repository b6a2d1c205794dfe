#include "CompilerLibrary.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace pagoda::cli {

namespace {

constexpr const char *kName = "libpagoda-compiler.so";

template <typename Function>
bool resolve(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

} // namespace

std::string CompilerLibrary::path() {
  namespace fs = std::filesystem;
  if (const char *chosen = std::getenv("PAGODA_COMPILER_LIBRARY"))
    return chosen;
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path beside = program.parent_path().parent_path() / "lib" / kName;
  return fs::exists(beside, error) ? beside.string() : std::string();
}

StatusOr<CompilerLibrary> CompilerLibrary::open() {
  std::string file = path();
  // Global, so that pass plugins find the dialects' classes.
  void *library =
      ::dlopen(file.empty() ? kName : file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return unavailable("this command compiles a model, and the compiler "
                       "cannot be loaded (",
                       ::dlerror(),
                       "); build Pagoda with -DPAGODA_COMPILER=ON, or give an "
                       "artifact (.pgd) that was compiled elsewhere");
  decltype(&pagodaCompilerApiVersion) version = nullptr;
  CompilerLibrary opened;
  bool complete =
      resolve(library, "pagodaCompilerApiVersion", version) &&
      version() == PAGODA_COMPILER_API_VERSION &&
      resolve(library, "pagodaCompile", opened.compileFunction) &&
      resolve(library, "pagodaRebuildKernels", opened.rebuildFunction) &&
      resolve(library, "pagodaFreeRebuiltKernels",
              opened.freeRebuiltFunction) &&
      resolve(library, "pagodaCompilerReport", opened.reportFunction) &&
      resolve(library, "pagodaFree", opened.freeFunction);
  if (!complete)
    return unavailable("'", file.empty() ? kName : file,
                       "' belongs to another version of Pagoda");
  return opened;
}

Status CompilerLibrary::statusOf(int code, char *error) const {
  if (code == 0)
    return {};
  Status status(static_cast<StatusCode>(code), error ? error : "");
  freeFunction(error);
  return status;
}

Status CompilerLibrary::compile(const PagodaCompileOptions &options) const {
  char *error = nullptr;
  int code = compileFunction(&options, &error);
  return statusOf(code, error);
}

StatusOr<rt::KernelCode> CompilerLibrary::rebuildKernels(
    const std::string &artifact, const std::string &target,
    const std::string &kernelCache, std::string &foreign) const {
  PagodaRebuildOptions options = {};
  options.structSize = sizeof options;
  options.artifact = artifact.c_str();
  options.target = target.c_str();
  options.kernelCache = kernelCache.c_str();
  PagodaRebuiltKernels result = {};
  result.structSize = sizeof result;
  char *error = nullptr;
  int failed = rebuildFunction(&options, &result, &error);
  PAGODA_RETURN_IF_ERROR(statusOf(failed, error));
  rt::KernelCode code;
  code.target = target;
  const auto *image = static_cast<const std::byte *>(result.image);
  code.bytes.assign(image, image + result.imageBytes);
  for (size_t i = 0; i < result.startCount; ++i)
    code.entryPoints.push_back({result.starts[i].tiles, result.starts[i].run,
                                result.starts[i].scratchBytes});
  foreign = result.foreignTemplates ? result.foreignTemplates : "";
  freeRebuiltFunction(&result);
  return code;
}

std::string CompilerLibrary::report() const {
  char *text = reportFunction();
  std::string report = text ? text : "{}";
  freeFunction(text);
  return report;
}

} // namespace pagoda::cli
