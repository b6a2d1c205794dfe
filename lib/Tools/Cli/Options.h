//===- Options.h - Options that commands share ------------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_OPTIONS_H
#define PAGODA_LIB_TOOLS_CLI_OPTIONS_H

#include "Model.h"
#include "Runner.h"
#include "pagoda/Base/Status.h"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace pagoda::cli {

/// What MODEL may be, for helps and errors.
inline constexpr const char *kModelHelp =
    "an artifact (.pgd), or what one is compiled from: a Hugging Face folder, "
    "a .gguf or an .mlir file";

/// MODEL and how it is compiled, for commands that run or compile one.
void addModelOptions(CLI::App &command, ModelOptions &options);

/// How a model is run: threads, kernels. With the number of tokens of a step
/// where `chunk` is set.
void addRunnerOptions(CLI::App &command, RunnerOptions &options, bool chunk);

/// Lines under the help: a heading and examples.
void addExamples(CLI::App &command, const std::vector<std::string> &lines);

/// "5,17,3" as numbers; an error names `option`.
StatusOr<std::vector<int32_t>> parseIds(const std::string &text,
                                        const char *option);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_OPTIONS_H
