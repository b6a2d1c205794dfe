//===- LaunchCheck.h - Each kernel against its contract ---------*- C++ -*-===//
//
// Runs a program compiled so that no buffer shares its memory, and compares
// what each launch left behind, in buffers and in the cache, with what its
// contract says for the very inputs that it had. Nothing adds up over launches,
// so a kernel that is wrong in the fifth digit shows in a program that rounds
// to 8 bits all along, and is known by name.
//
//   PAGODA_ASSIGN_OR_RETURN(LaunchCheck check,
//                           LaunchCheck::create(module, files, serialization));
//   PAGODA_ASSIGN_OR_RETURN(LaunchReport report, check.run(inputs, target));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_LAUNCHCHECK_H
#define PAGODA_LIB_VERIFY_LAUNCHCHECK_H

#include "Observation.h"
#include "pagoda/Codegen/Serializer.h"

#include "mlir/IR/OwningOpRef.h"

namespace pagoda::verify {

struct LaunchReport {
  /// The largest difference, in units of what may be: above 1, or NaN, it is a
  /// fault.
  double worst = 0;
  /// "kernel @linear_f32_64x64 in exec.launch at layer.1.attention": where that
  /// is; once there is a fault, the first one.
  std::string kernel;
  /// The largest relative L2 distance of a float32 result of a launch: nothing
  /// rounds inside it.
  double relativeL2 = 0;

  bool isFault() const { return !(worst <= 1); }
};

class LaunchCheck {
public:
  /// Writes an artifact of its own to options.output.
  static StatusOr<LaunchCheck>
  create(mlir::ModuleOp module, std::shared_ptr<reference::WeightFiles> files,
         const SerializeOptions &options);

  StatusOr<LaunchReport> run(const Inputs &inputs, const std::string &target);

private:
  LaunchCheck(mlir::OwningOpRef<mlir::ModuleOp> module,
              std::shared_ptr<reference::WeightFiles> files, std::string path)
      : module(std::move(module)), files(std::move(files)),
        path(std::move(path)) {}

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::shared_ptr<reference::WeightFiles> files;
  std::string path;
};

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_LAUNCHCHECK_H
