//===- Plants.h - Wrong rewrites, one pass each -----------------*- C++ -*-===//
//
// Faults that passes might have, for --verify-passes to find. A plant is a
// function that spoils one place of a module and says whether it found one;
// it becomes a pass `plant-NAME` of the plugin:
//
//   pagoda compile MODEL --verify-passes \
//     --load-pass-plugin=build/test/verify/libpagoda-plants.so \
//     --verify-insert-after=pagoda-fuse:plant-gate-up-swapped
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_VERIFY_PLANTS_PLANTS_H
#define PAGODA_TEST_VERIFY_PLANTS_PLANTS_H

#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace pagoda::plants {

struct Plant {
  const char *name;
  const char *what;
  bool (*spoil)(mlir::ModuleOp module);
};

llvm::ArrayRef<Plant> attentionPlants();
llvm::ArrayRef<Plant> cachePlants();
llvm::ArrayRef<Plant> execPlants();
llvm::ArrayRef<Plant> linearPlants();
llvm::ArrayRef<Plant> normPlants();
llvm::ArrayRef<Plant> weightPlants();

/// The op of a kind with this number, counted from 0 in the order of the
/// module, among those that `isWanted`; null if there are not so many.
template <typename OpT>
OpT findOp(mlir::ModuleOp module, unsigned number = 0,
           llvm::function_ref<bool(OpT)> isWanted = nullptr) {
  OpT found;
  module.walk([&](OpT op) {
    if (isWanted && !isWanted(op))
      return mlir::WalkResult::advance();
    found = op;
    return number-- == 0 ? mlir::WalkResult::interrupt()
                         : mlir::WalkResult::advance();
  });
  return found && number == ~0u ? found : OpT();
}

/// A tensor constant of one number.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location location,
                  llvm::ArrayRef<int64_t> shape, float number);

/// A result [T, N] from an input [T, K], a weight and a bias that may be null.
mlir::Value linear(mlir::OpBuilder &builder, mlir::Location location,
                   mlir::Value input, mlir::Value weight, mlir::Value bias);

} // namespace pagoda::plants

#endif // PAGODA_TEST_VERIFY_PLANTS_PLANTS_H
