//===- KernelUnit.h - The source of one kernel ------------------*- C++ -*-===//
//
// Prints an exec.kernel as a few dozen lines of C++ that instantiate its
// template, and says which arguments the kernel takes in which order. For the
// serializer and for people: the text stands in the artifact.
//
//   PAGODA_ASSIGN_OR_RETURN(KernelUnit unit, printKernel(kernel));
//   unit.text;      // "namespace rms_norm_64 { … PAGODA_ENTRY(…) }"
//   unit.arguments; // input 0, input 1, output 0
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_CODEGEN_KERNELUNIT_H
#define PAGODA_CODEGEN_KERNELUNIT_H

#include "pagoda/Base/Status.h"
#include "pagoda/Kernels/KernelFamily.h"

#include <string>
#include <vector>

namespace pagoda {

namespace exec {
class KernelOp;
} // namespace exec

struct KernelArgument {
  enum class Kind {
    /// Operand `index` of the launch's inputs or outputs.
    Input,
    Output,
    /// Pools of the layer that input `index` stands for.
    KeyPool,
    ValuePool,
    /// A field of the batch.
    Field,
  };
  Kind kind;
  unsigned index = 0;
  BatchField field = BatchField::Position;
};

struct KernelUnit {
  std::string name;
  /// Header of the template, as `#include` names it.
  std::string header;
  /// Everything behind the include: a namespace of the kernel's own.
  std::string text;
  std::vector<KernelArgument> arguments;
};

/// Errors: Internal where the contract does not have the form of the family,
/// which pagoda-select-kernels rules out.
StatusOr<KernelUnit> printKernel(exec::KernelOp kernel);

} // namespace pagoda

#endif // PAGODA_CODEGEN_KERNELUNIT_H
