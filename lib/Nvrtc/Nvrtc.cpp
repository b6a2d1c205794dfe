#include "pagoda/Nvrtc/Nvrtc.h"

#include <cstdlib>
#include <dlfcn.h>

namespace pagoda {

// The few functions of nvrtc.h that are used, by their documented signatures;
// nvrtcResult is an enum whose 0 is success.
struct Nvrtc::Functions {
  using Program = void *;
  int (*version)(int *major, int *minor);
  const char *(*errorString)(int);
  int (*createProgram)(Program *, const char *source, const char *name,
                       int headerCount, const char *const *headers,
                       const char *const *headerNames);
  int (*destroyProgram)(Program *);
  int (*compileProgram)(Program, int optionCount, const char *const *options);
  int (*logSize)(Program, size_t *);
  int (*log)(Program, char *);
  int (*cubinSize)(Program, size_t *);
  int (*cubin)(Program, char *);
};

namespace {

template <typename Function>
bool resolve(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

void *openLibrary() {
  if (const char *path = std::getenv("PAGODA_NVRTC"))
    return ::dlopen(path, RTLD_NOW);
  for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                           "/usr/local/cuda/lib64/libnvrtc.so"})
    if (void *library = ::dlopen(name, RTLD_NOW))
      return library;
  return nullptr;
}

} // namespace

StatusOr<Nvrtc> Nvrtc::open() {
  void *library = openLibrary();
  if (!library)
    return unavailable("NVRTC, NVIDIA's runtime compiler, is not installed; it "
                       "comes with CUDA, or as the PyPI package "
                       "nvidia-cuda-nvrtc: set PAGODA_NVRTC to its "
                       "libnvrtc.so");
  auto functions = std::make_shared<Functions>();
  bool complete =
      resolve(library, "nvrtcVersion", functions->version) &&
      resolve(library, "nvrtcGetErrorString", functions->errorString) &&
      resolve(library, "nvrtcCreateProgram", functions->createProgram) &&
      resolve(library, "nvrtcDestroyProgram", functions->destroyProgram) &&
      resolve(library, "nvrtcCompileProgram", functions->compileProgram) &&
      resolve(library, "nvrtcGetProgramLogSize", functions->logSize) &&
      resolve(library, "nvrtcGetProgramLog", functions->log) &&
      resolve(library, "nvrtcGetCUBINSize", functions->cubinSize) &&
      resolve(library, "nvrtcGetCUBIN", functions->cubin);
  if (!complete)
    return unavailable("the NVRTC that was found lacks functions that Pagoda "
                       "needs; version 12 or later has them");
  int major = 0, minor = 0;
  functions->version(&major, &minor);
  Nvrtc nvrtc;
  nvrtc.functions = std::move(functions);
  nvrtc.versionText = concat(major, ".", minor);
  return nvrtc;
}

StatusOr<Cubin>
Nvrtc::compile(const std::string &source,
               std::span<const std::pair<std::string, std::string>> headers,
               const std::string &architecture) const {
  std::vector<const char *> texts, names;
  for (const auto &[name, text] : headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  Functions::Program program = nullptr;
  int error = functions->createProgram(&program, source.c_str(), "unit.cu",
                                       static_cast<int>(headers.size()),
                                       texts.data(), names.data());
  if (error != 0)
    return internalError("NVRTC: ", functions->errorString(error));
  std::string arch = "--gpu-architecture=" + architecture;
  // No contraction: a multiply-add happens where the template says fma.
  const char *options[] = {arch.c_str(), "--std=c++20", "--fmad=false",
                           "-default-device", "--ptxas-options=-v"};
  error = functions->compileProgram(program, std::size(options), options);
  size_t size = 0;
  functions->logSize(program, &size);
  Cubin cubin;
  cubin.log.resize(size);
  functions->log(program, cubin.log.data());
  while (!cubin.log.empty() && cubin.log.back() == '\0')
    cubin.log.pop_back();
  if (error == 0) {
    functions->cubinSize(program, &size);
    cubin.bytes.resize(size);
    functions->cubin(program, reinterpret_cast<char *>(cubin.bytes.data()));
  }
  functions->destroyProgram(&program);
  if (error != 0)
    return internalError("NVRTC for ", architecture, ": ",
                         functions->errorString(error), "\n", cubin.log);
  return cubin;
}

} // namespace pagoda
