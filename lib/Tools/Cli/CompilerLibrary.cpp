#include "CompilerLibrary.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace pagoda::cli {

namespace {

constexpr const char *kName = "libpagoda-compiler.so";

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
  auto version = reinterpret_cast<decltype(&pagodaCompilerApiVersion)>(
      ::dlsym(library, "pagodaCompilerApiVersion"));
  if (!version || version() != PAGODA_COMPILER_API_VERSION)
    return unavailable("'", file.empty() ? kName : file,
                       "' belongs to another version of Pagoda");
  CompilerLibrary opened;
  opened.compileFunction = reinterpret_cast<decltype(&pagodaCompile)>(
      ::dlsym(library, "pagodaCompile"));
  opened.freeFunction =
      reinterpret_cast<decltype(&pagodaFree)>(::dlsym(library, "pagodaFree"));
  return opened;
}

Status CompilerLibrary::compile(const PagodaCompileOptions &options) const {
  char *error = nullptr;
  int code = compileFunction(&options, &error);
  if (code == 0)
    return {};
  Status status(static_cast<StatusCode>(code), error ? error : "");
  freeFunction(error);
  return status;
}

} // namespace pagoda::cli
