//===- StepGraph.h - A program as nodes and edges ---------------*- C++ -*-===//
//
// Describes the entries of a module as graphs for the page of --dump-ir: ops
// (or launches) as nodes, values (or buffers) as edges. Weights are listed in
// the node that reads them; reshapes, sizes and positions are left out, since
// they only blur the picture.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_STEPGRAPH_H
#define PAGODA_LIB_TOOLS_STEPGRAPH_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

#include <nlohmann/json_fwd.hpp>

namespace pagoda {

/// A list of {"name", "nodes"}, one an entry. A node has "kind" ("op", "input"
/// or "output"), "title", "ops" (of a group), "weights", "outputs" (types),
/// "inputs" ({"from", "name", "type", "cache"}) and the place of its text,
/// "line" from 0 and "lineCount". `state` has printed the module with `lines`
/// as its location map.
nlohmann::ordered_json describeGraphs(mlir::ModuleOp module,
                                      mlir::AsmState &state,
                                      const mlir::AsmState::LocationMap &lines);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_STEPGRAPH_H
