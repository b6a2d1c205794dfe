#include "pagoda-c/compiler.h"

#include "pagoda/Tools/Compiler.h"
#include "pagoda/Tools/CompilerReport.h"
#include "pagoda/Tools/RebuildKernels.h"

#include <cstdlib>
#include <cstring>

using namespace pagoda;

namespace {

std::string text(const char *value) { return value ? value : ""; }

std::vector<std::string> list(const char *const *values) {
  std::vector<std::string> texts;
  for (; values && *values; ++values)
    texts.emplace_back(*values);
  return texts;
}

/// The code of a status, with its message where there is one.
int fail(const Status &status, char **error) {
  if (!status.ok() && error)
    *error = ::strdup(status.message().c_str());
  return static_cast<int>(status.code());
}

/// Memory that C callers may free.
void *copy(const void *bytes, size_t count) {
  void *memory = std::malloc(count ? count : 1);
  if (memory && count)
    std::memcpy(memory, bytes, count);
  return memory;
}

} // namespace

int pagodaCompilerApiVersion(void) { return PAGODA_COMPILER_API_VERSION; }

int pagodaCompile(const PagodaCompileOptions *given, char **error) {
  // A caller built with an older header has a shorter struct.
  PagodaCompileOptions options = {};
  std::memcpy(&options, given, std::min(given->structSize, sizeof options));

  CompileOptions compile;
  compile.model = text(options.model);
  compile.output = text(options.output);
  if (options.precision)
    compile.precision = options.precision;
  compile.kvDtype = text(options.kvDtype);
  if (options.contextLength > 0)
    compile.contextLength = options.contextLength;
  compile.targets = list(options.targets);
  compile.passPlugins = list(options.passPlugins);
  compile.insertAfter = list(options.insertAfter);
  compile.dumpFolder = text(options.dumpFolder);
  compile.kernelCache = text(options.kernelCache);
  compile.keepKernels = text(options.keepKernels);
  compile.verifyPasses = options.verifyPasses != 0;
  compile.remarks = options.remarks != 0;
  if (options.progress)
    compile.progress = [&](const char *phase, double fraction) {
      options.progress(options.user, phase, fraction);
    };
  if (options.log)
    compile.log = [&](const std::string &line) {
      options.log(options.user, line.c_str());
    };

  return fail(compileModel(compile), error);
}

void pagodaFree(char *text) { std::free(text); }

int pagodaRebuildKernels(const PagodaRebuildOptions *given,
                         PagodaRebuiltKernels *result, char **error) {
  PagodaRebuildOptions options = {};
  std::memcpy(&options, given, std::min(given->structSize, sizeof options));
  auto rebuild = [&]() -> StatusOr<RebuiltKernels> {
    PAGODA_ASSIGN_OR_RETURN(Artifact artifact,
                            Artifact::open(text(options.artifact)));
    return rebuildKernels(artifact, text(options.target),
                          text(options.kernelCache));
  };
  StatusOr<RebuiltKernels> rebuilt = rebuild();
  if (!rebuilt.ok())
    return fail(rebuilt.status(), error);

  PagodaRebuiltKernels made = {};
  made.structSize = result->structSize;
  made.imageBytes = rebuilt->image.bytes.size();
  made.image = copy(rebuilt->image.bytes.data(), made.imageBytes);
  std::vector<PagodaKernelStart> starts;
  for (const KernelEntryPoint &point : rebuilt->image.entryPoints)
    starts.push_back({point.tiles, point.run, point.scratchBytes});
  made.startCount = starts.size();
  made.starts = static_cast<PagodaKernelStart *>(
      copy(starts.data(), starts.size() * sizeof starts[0]));
  if (!rebuilt->foreignTemplates.empty())
    made.foreignTemplates =
        ::strdup(join(rebuilt->foreignTemplates, "\n").c_str());
  std::memcpy(result, &made, std::min(made.structSize, sizeof made));
  return 0;
}

void pagodaFreeRebuiltKernels(PagodaRebuiltKernels *result) {
  std::free(result->image);
  std::free(result->starts);
  std::free(result->foreignTemplates);
}

char *pagodaCompilerReport(void) { return ::strdup(compilerReport().c_str()); }
