//===- LoadTokenizer.h - The tokenizer of a model on disk -------*- C++ -*-===//
//
//   PAGODA_ASSIGN_OR_RETURN(auto tokenizer, loadTokenizer("model.gguf"));
//   if (!tokenizer) … // the model comes without one
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_TOKENIZER_LOADTOKENIZER_H
#define PAGODA_RUNTIME_TOKENIZER_LOADTOKENIZER_H

#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <optional>
#include <string>

namespace pagoda::rt {

/// From a tokenizer.json, a model folder or a GGUF file. Nothing where a folder
/// or GGUF file has no tokenizer.
StatusOr<std::optional<Tokenizer>> loadTokenizer(const std::string &path);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_TOKENIZER_LOADTOKENIZER_H
