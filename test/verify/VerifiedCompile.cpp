#include "VerifiedCompile.h"

#include "pagoda-c/compiler.h"

#include <filesystem>

namespace pagoda::test {

std::string Outcome::line(const std::string &pass) const {
  for (const std::string &line : log)
    if (line.starts_with("verify " + pass))
      return line;
  return {};
}

Outcome verifiedCompile(const VerifiedCompile &compile) {
  auto orNull = [](const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
  };
  std::string cache =
      (std::filesystem::temp_directory_path() / "pagoda-test-kernels").string();
  const char *targets[] = {compile.allTargets ? nullptr : "x86-64-v3", nullptr};
  const char *plugins[] = {PAGODA_PLANTS, nullptr};
  const char *insertAfter[] = {orNull(compile.insertAfter), nullptr};
  Outcome outcome;
  PagodaCompileOptions options = {};
  options.structSize = sizeof options;
  options.model = compile.model.c_str();
  options.output = orNull(compile.output);
  options.precision = compile.precision.c_str();
  options.kvDtype = orNull(compile.kvDtype);
  options.targets = targets;
  options.passPlugins = compile.insertAfter.empty() ? nullptr : plugins;
  options.insertAfter = insertAfter;
  options.kernelCache = cache.c_str();
  options.verifyPasses = 1;
  options.user = &outcome;
  options.log = [](void *user, const char *line) {
    static_cast<Outcome *>(user)->log.emplace_back(line);
  };
  char *error = nullptr;
  outcome.ok = pagodaCompile(&options, &error) == 0;
  if (error)
    outcome.error = error;
  pagodaFree(error);
  return outcome;
}

std::string inputFile(const std::string &name) {
  return std::string(PAGODA_SOURCE_DIR "/test/verify/Inputs/") + name;
}

} // namespace pagoda::test
