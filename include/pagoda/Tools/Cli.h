//===- Cli.h - The pagoda program -------------------------------*- C++ -*-===//

#ifndef PAGODA_TOOLS_CLI_H
#define PAGODA_TOOLS_CLI_H

namespace pagoda {

/// Runs the command line. Exit codes: 0 success, 1 the command failed (one
/// message on standard error), 2 the command line is wrong.
int pagodaMain(int argc, char **argv);

} // namespace pagoda

#endif // PAGODA_TOOLS_CLI_H
