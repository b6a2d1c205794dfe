//===- EpiloguePrinter.h - Elementwise ops as C++ ---------------*- C++ -*-===//
//
// Prints the elementwise ops of a contract as the body of a functor on the
// lanes of a target: loads of row arguments, one line an op, stores of what
// leaves the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_CODEGEN_EPILOGUEPRINTER_H
#define PAGODA_LIB_CODEGEN_EPILOGUEPRINTER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace pagoda {

class EpiloguePrinter {
public:
  /// `argumentOf` gives the launch argument that a value of the contract is
  /// (a block argument, or a value that is yielded), by its number. A template
  /// may count `parts` rows for one row of tensors: one for each head.
  EpiloguePrinter(mlir::Block &contract,
                  llvm::function_ref<unsigned(mlir::Value)> argumentOf,
                  std::string indent, int64_t parts)
      : contract(contract), argumentOf(argumentOf), indent(std::move(indent)),
        parts(parts) {}

  /// Says that `value` is known as the C++ expression `name`.
  void define(mlir::Value value, std::string name);
  /// Prints the ops, then stores of all their and `values`' results that the
  /// contract yields, and returns `returned` (or anything, if that is null).
  std::string print(llvm::ArrayRef<mlir::Operation *> ops,
                    llvm::ArrayRef<mlir::Value> values, mlir::Value returned);

private:
  int64_t rowWidth(mlir::Value value) const;
  std::string use(mlir::Value value);
  void store(mlir::Value value);

  mlir::Block &contract;
  llvm::function_ref<unsigned(mlir::Value)> argumentOf;
  std::string indent;
  int64_t parts;
  std::string text;
  llvm::DenseMap<mlir::Value, std::string> names;
  unsigned next = 0;
};

} // namespace pagoda

#endif // PAGODA_LIB_CODEGEN_EPILOGUEPRINTER_H
