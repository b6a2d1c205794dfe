//===- GgufReader.h - The tokenizer of a GGUF file --------------*- C++ -*-===//
//
// Reads `tokenizer.ggml.*` into a builder.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_GGUFREADER_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_GGUFREADER_H

#include "TokenizerBuilder.h"
#include "pagoda/Runtime/Tokenizer/GgufTokenizer.h"

namespace pagoda::rt {

StatusOr<TokenizerBuilder> readGguf(const GgufTokenizerFields &fields);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_GGUFREADER_H
