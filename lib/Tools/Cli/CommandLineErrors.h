//===- CommandLineErrors.h - Help for a wrong command line ------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_COMMANDLINEERRORS_H
#define PAGODA_LIB_TOOLS_CLI_COMMANDLINEERRORS_H

#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace pagoda::cli {

/// What is wrong with a command line, and what may have been meant: the
/// nearest command or option for an unknown one, what an argument is for one
/// that is missing.
std::string explain(const CLI::App &app, std::span<const char *const> words,
                    const CLI::ParseError &error);

/// The candidate that is closest to `word` in letters; empty where none is.
std::string nearest(const std::string &word,
                    const std::vector<std::string> &candidates);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_COMMANDLINEERRORS_H
