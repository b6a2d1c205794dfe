//===- CompilerReport.h - What compiling has to work with -------*- C++ -*-===//
//
// Tells `pagoda doctor` what the compiler library found: its own version, the
// LLVM it runs on, and the programs that kernels are built with.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TOOLS_COMPILERREPORT_H
#define PAGODA_TOOLS_COMPILERREPORT_H

#include <string>

namespace pagoda {

/// A JSON object: "version", "llvm", "targets" and "tools", a list of
/// {"name", "path", "version"} where an empty version means that the program
/// does not run.
std::string compilerReport();

} // namespace pagoda

#endif // PAGODA_TOOLS_COMPILERREPORT_H
