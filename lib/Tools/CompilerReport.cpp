#include "pagoda/Tools/CompilerReport.h"

#include "pagoda/Codegen/ImageBuilder.h"

#include "llvm/Config/llvm-config.h"

#include <nlohmann/json.hpp>

namespace pagoda {

std::string compilerReport() {
  nlohmann::ordered_json tools = nlohmann::ordered_json::array();
  for (const BuildTool &tool : buildTools())
    tools.push_back(
        {{"name", tool.name}, {"path", tool.path}, {"version", tool.version}});
  nlohmann::ordered_json targets = nlohmann::ordered_json::array();
  for (std::string_view target : cpuTargets())
    targets.push_back(target);
  nlohmann::ordered_json report = {{"version", PAGODA_VERSION},
                                   {"llvm", LLVM_VERSION_STRING},
                                   {"targets", targets},
                                   {"tools", tools}};
  return report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace pagoda
