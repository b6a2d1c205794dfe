//===- Passes.h - The passes of Pagoda --------------------------*- C++ -*-===//
//
// Declares constructors and registration of every pass (Passes.td says what
// each does), and what each may do to numbers.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TRANSFORMS_PASSES_H
#define PAGODA_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <optional>

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace pagoda {

namespace exec {
class EntryOp;
class ExecDialect;
} // namespace exec
namespace llm {
class LLMDialect;
} // namespace llm

#define GEN_PASS_DECL
#include "pagoda/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "pagoda/Transforms/Passes.h.inc"

/// Whether a pass keeps the program's function or may insert roundings.
enum class Rounding { Exact, Rounds };

/// By a pass's flag; nothing for passes that are not Pagoda's.
std::optional<Rounding> getRounding(llvm::StringRef flag);

/// Outlines the weight expressions of a module; what `pagoda-hoist-weights`
/// runs, for passes that put new expressions on top of definitions. Returns
/// the number of definitions made.
unsigned hoistWeights(mlir::ModuleOp module);

} // namespace pagoda

#endif // PAGODA_TRANSFORMS_PASSES_H
