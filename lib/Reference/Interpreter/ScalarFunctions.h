//===- ScalarFunctions.h - arith and math, one number at a time -*- C++ -*-===//
//
// What an op of the arith and math dialects does to numbers. The interpreter
// maps it over tensors, and runs the bodies of linalg ops with it:
//
//   if (ScalarFunction add = scalarFunction(op))
//     sum = add({1.0, 2.0});
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_REFERENCE_INTERPRETER_SCALARFUNCTIONS_H
#define PAGODA_LIB_REFERENCE_INTERPRETER_SCALARFUNCTIONS_H

#include "mlir/IR/Operation.h"

#include <functional>

namespace pagoda::reference {

using ScalarFunction = std::function<double(llvm::ArrayRef<double>)>;

/// Null for ops that are no such function. Integers are numbers too: results
/// of up to 32 bits wrap around, wider ones are exact up to 2^53.
ScalarFunction scalarFunction(mlir::Operation *op);

} // namespace pagoda::reference

#endif // PAGODA_LIB_REFERENCE_INTERPRETER_SCALARFUNCTIONS_H
