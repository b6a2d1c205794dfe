//===- RegisterAll.h - Dialects and passes for tools ------------*- C++ -*-===//
//
// Registers what pagoda-opt, pagoda-lsp-server and the compiler library read:
// Pagoda's dialects and the upstream ones it leans on. The `llvm` dialect is
// left out on purpose: it is one letter from `llm`. For tools only.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TOOLS_REGISTERALL_H
#define PAGODA_TOOLS_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pagoda {

void registerAllDialects(mlir::DialectRegistry &registry);

/// Pagoda's passes, and upstream's canonicalize, cse and symbol-dce.
void registerAllPasses();

} // namespace pagoda

#endif // PAGODA_TOOLS_REGISTERALL_H
