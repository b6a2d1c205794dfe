#include "pagoda/Dialect/Exec/ExecDialect.h"
#include "pagoda/Dialect/Exec/ExecOps.h"

using namespace mlir;

namespace pagoda::exec {

void ExecDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "pagoda/Dialect/Exec/ExecOps.cpp.inc"
      >();
}

} // namespace pagoda::exec

#include "pagoda/Dialect/Exec/ExecDialect.cpp.inc"

#define GET_OP_CLASSES
#include "pagoda/Dialect/Exec/ExecOps.cpp.inc"
