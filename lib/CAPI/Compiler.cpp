#include "pagoda-c/compiler.h"

#include "pagoda/Tools/Compiler.h"

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

  Status status = compileModel(compile);
  if (!status.ok() && error)
    *error = ::strdup(status.message().c_str());
  return static_cast<int>(status.code());
}

void pagodaFree(char *text) { std::free(text); }
