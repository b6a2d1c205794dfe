// Runs passes on IR and prints the result: the tool of lit tests.

#include "pagoda/Tools/RegisterAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  pagoda::registerAllDialects(registry);
  pagoda::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Pagoda's modular optimizer driver\n", registry));
}
