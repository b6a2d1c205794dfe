//===- JsonReader.h - tokenizer.json ----------------------------*- C++ -*-===//
//
// Reads the tokenizer.json of Hugging Face's `tokenizers`, and what
// tokenizer_config.json beside it adds, into a builder. Stages that Pagoda
// does not have are refused by name.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_JSONREADER_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_JSONREADER_H

#include "TokenizerBuilder.h"
#include "pagoda/Files/Json.h"

namespace pagoda::rt {

StatusOr<TokenizerBuilder> readTokenizerJson(JsonValue root);

/// Which tokens begin and end texts, and the chat templates. `root` is
/// tokenizer_config.json.
Status readTokenizerConfig(JsonValue root, TokenizerBuilder &builder);

/// Normalizers, pre-tokenizers, post-processor and decoder.
Status readStages(JsonValue root, TokenizerBuilder &builder);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_JSONREADER_H
