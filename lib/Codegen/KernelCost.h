//===- KernelCost.h - What a kernel has to compute --------------*- C++ -*-===//

#ifndef PAGODA_LIB_CODEGEN_KERNELCOST_H
#define PAGODA_LIB_CODEGEN_KERNELCOST_H

#include "pagoda/Dialect/Exec/ExecOps.h"

namespace pagoda {

/// Multiplications and additions of the matrix products in a contract; what is
/// elementwise does not count.
struct KernelCost {
  /// For each row of a launch.
  uint64_t rowOperations = 0;
  /// For each row and key that the row attends to.
  uint64_t keyOperations = 0;
};

KernelCost costOf(exec::KernelOp kernel);

} // namespace pagoda

#endif // PAGODA_LIB_CODEGEN_KERNELCOST_H
