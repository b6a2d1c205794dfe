//===- CompletionScripts.h - The command line for shells --------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_COMPLETIONSCRIPTS_H
#define PAGODA_LIB_TOOLS_CLI_COMPLETIONSCRIPTS_H

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace pagoda::cli {

/// Scripts that complete commands, options and the values of options, made of
/// the application itself.
std::string bashCompletion(const CLI::App &app);
std::string zshCompletion(const CLI::App &app);
std::string fishCompletion(const CLI::App &app);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_COMPLETIONSCRIPTS_H
