//===- WeightFiles.h - Raw bytes of tensors, by name ------------*- C++ -*-===//
//
// Opens the files that `llm.source`s name, each once, and hands out the bytes
// of their tensors. For the interpreter; it shares the readers of lib/Files
// with the rest of Pagoda and nothing above them. Shared by all versions of a
// module that are executed.
//
//   WeightFiles files("models");
//   PAGODA_ASSIGN_OR_RETURN(RawTensor norm,
//                           files.tensor("llama", "model.norm.weight"));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_INTERPRETER_WEIGHTFILES_H
#define PAGODA_REFERENCE_INTERPRETER_WEIGHTFILES_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace pagoda::reference {

struct RawTensor {
  ElementType type = DType::F32;
  Shape shape;
  std::span<const std::byte> bytes;
};

class WeightFiles {
public:
  /// Relative paths start at `folder`.
  explicit WeightFiles(std::string folder);
  ~WeightFiles();

  StatusOr<RawTensor> tensor(const std::string &path, const std::string &name);

private:
  class File;
  std::string folder;
  std::map<std::string, std::unique_ptr<File>> files;
};

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_INTERPRETER_WEIGHTFILES_H
