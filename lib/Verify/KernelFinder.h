//===- KernelFinder.h - Which kernel does not keep its contract -*- C++ -*-===//
//
// For a compiled program whose logits differ from its IR's: cuts the program
// off behind one launch after the other, compiles what is left and compares
// the buffer that the launch filled. Bisects, so a program of 300 launches is
// compiled nine times.
//
//   PAGODA_ASSIGN_OR_RETURN(
//       std::string kernel,
//       findKernel(module, interpreter, inputs, difference, serialization));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_KERNELFINDER_H
#define PAGODA_LIB_VERIFY_KERNELFINDER_H

#include "Observation.h"
#include "pagoda/Codegen/Serializer.h"

namespace pagoda::verify {

struct KernelSearch {
  mlir::ModuleOp module; // of exec IR
  std::shared_ptr<reference::WeightFiles> files;
  const Inputs &inputs;
  /// The schedule in which logits differ, and by how much buffers may.
  size_t schedule;
  double bound;
};

/// "kernel @linear_f32_64x64 in exec.launch at layer.1.attention": the first
/// launch whose outputs are not what its contract says.
StatusOr<std::string> findKernel(const KernelSearch &search,
                                 const SerializeOptions &options);

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_KERNELFINDER_H
