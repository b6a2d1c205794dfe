#include "pagoda/Runtime/Generation/ChatPrompt.h"

#include "pagoda/Runtime/Chat/ChatTemplate.h"

namespace pagoda::rt {

StatusOr<std::vector<int32_t>> chatPrompt(const Tokenizer &tokenizer,
                                          JsonValue messages) {
  auto source = tokenizer.chatTemplate();
  if (!source)
    return notFound("the model has no chat template; without --chat the text "
                    "is continued as it is");
  PAGODA_ASSIGN_OR_RETURN(
      ChatTemplate chat,
      ChatTemplate::parse(*source).withContext("the model's chat template"));
  ChatOptions options;
  options.addGenerationPrompt = true;
  std::optional<TokenId> begin = tokenizer.beginId();
  std::optional<TokenId> end = tokenizer.endId();
  std::string beginText = begin ? tokenizer.tokenBytes(*begin) : "";
  std::string endText = end ? tokenizer.tokenBytes(*end) : "";
  if (begin)
    options.bosToken = beginText;
  if (end)
    options.eosToken = endText;
  PAGODA_ASSIGN_OR_RETURN(RenderedChat rendered,
                          chat.render(messages, options));
  PAGODA_ASSIGN_OR_RETURN(
      std::vector<TokenId> ids,
      tokenizer.encodePieces(rendered.pieces(), {.addSpecialTokens = false}));
  // A template that spells the begin token has put it there; where it does
  // not, the tokenizer's own rule counts.
  PAGODA_ASSIGN_OR_RETURN(std::vector<TokenId> frame, tokenizer.encode(""));
  if (begin && !frame.empty() && frame.front() == *begin &&
      (ids.empty() || ids.front() != *begin))
    ids.insert(ids.begin(), *begin);
  return ids;
}

} // namespace pagoda::rt
