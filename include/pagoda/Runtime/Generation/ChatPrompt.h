//===- ChatPrompt.h - From a conversation to token ids ----------*- C++ -*-===//
//
// Renders a conversation with the model's own chat template and encodes it.
// What the conversation says stays text: control tokens come from the template
// alone. The prompt begins with exactly one begin token where template or
// tokenizer ask for one.
//
//   PAGODA_ASSIGN_OR_RETURN(std::vector<int32_t> prompt,
//                           chatPrompt(tokenizer, messages));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_GENERATION_CHATPROMPT_H
#define PAGODA_RUNTIME_GENERATION_CHATPROMPT_H

#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <cstdint>
#include <vector>

namespace pagoda::rt {

/// `messages` is an array of {"role", "content"} objects. Errors: NotFound if
/// the model has no chat template; those of the template and the tokenizer.
StatusOr<std::vector<int32_t>> chatPrompt(const Tokenizer &tokenizer,
                                          JsonValue messages);

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_GENERATION_CHATPROMPT_H
