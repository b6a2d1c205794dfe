//===- PassVerifier.h - Every pass proved by execution ----------*- C++ -*-===//
//
// What `pagoda compile --verify-passes` does: executes the program before the
// first pass, after every pass and as compiled, on the same inputs, and stops
// at the first that differs, naming the pass, the op and the largest
// difference (docs/verify-passes.md). For the compiler driver.
//
//   PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<PassVerifier> verifier,
//                           PassVerifier::create(module, {folder, log}));
//   manager.addInstrumentation(verifier->instrument());
//   … run the passes, on one thread …
//   PAGODA_RETURN_IF_ERROR(verifier->status());
//   PAGODA_RETURN_IF_ERROR(verifier->checkCompiled("m.pgd", serialization));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_VERIFY_PASSVERIFIER_H
#define PAGODA_VERIFY_PASSVERIFIER_H

#include "pagoda/Base/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <functional>
#include <memory>
#include <string>

namespace pagoda {

struct SerializeOptions;

struct VerifyOptions {
  /// Where relative paths of the module's sources start.
  std::string sourceFolder;
  /// Gets a line for every pass.
  std::function<void(const std::string &line)> log;
};

class PassVerifier {
public:
  /// Executes the module as it is. Errors: what it holds cannot be executed,
  /// or its results depend on how sequences are cut into steps.
  static StatusOr<std::unique_ptr<PassVerifier>> create(mlir::ModuleOp module,
                                                        VerifyOptions options);
  virtual ~PassVerifier() = default;

  /// To be added to the pass manager; lives no longer than this. The context
  /// must not run passes on several threads.
  virtual std::unique_ptr<mlir::PassInstrumentation> instrument() = 0;

  /// The first pass that changed the result, if there is one. Passes behind it
  /// were not looked at.
  virtual const Status &status() const = 0;

  /// Runs the artifact that the module was serialised to, with these options,
  /// and names the kernel if it differs from the program.
  virtual Status checkCompiled(const std::string &artifact,
                               const SerializeOptions &options) = 0;
};

} // namespace pagoda

#endif // PAGODA_VERIFY_PASSVERIFIER_H
