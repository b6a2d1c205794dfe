//===- Commands.h - The subcommands of pagoda -------------------*- C++ -*-===//
//
// Each function adds one subcommand to the application. Parsing only fills in
// options; the work happens when the action that was chosen is called, and its
// status becomes the exit code.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_CLI_COMMANDS_H
#define PAGODA_LIB_TOOLS_CLI_COMMANDS_H

#include "pagoda/Base/Status.h"

#include <functional>

namespace CLI {
class App;
} // namespace CLI

namespace pagoda::cli {

/// What a chosen subcommand does.
using Action = std::function<Status()>;
/// Takes the action of the subcommand that was chosen.
using Choose = std::function<void(Action)>;

void addCompile(CLI::App &app, const Choose &choose);
void addRun(CLI::App &app, const Choose &choose);
void addInspect(CLI::App &app, const Choose &choose);
void addTokenize(CLI::App &app, const Choose &choose);
void addLogits(CLI::App &app, const Choose &choose);
void addEval(CLI::App &app, const Choose &choose);
void addBench(CLI::App &app, const Choose &choose);
void addProfile(CLI::App &app, const Choose &choose);
void addDoctor(CLI::App &app, const Choose &choose);
/// Comes last: it completes what the others added.
void addCompletion(CLI::App &app, const Choose &choose);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_COMMANDS_H
