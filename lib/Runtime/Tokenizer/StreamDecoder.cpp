#include "pagoda/Runtime/Tokenizer/StreamDecoder.h"

#include "EncodeRun.h"
#include "Utf8.h"

namespace pagoda::rt {

std::string StreamDecoder::push(TokenId id) {
  if (skipSpecialTokens && tokenizer.isSpecial(id))
    return {};
  tokenizer.impl->decoder->append(static_cast<uint32_t>(id), pending);
  std::string text;
  size_t waiting = appendReplacingBroken(pending, text);
  pending.erase(0, pending.size() - waiting);
  return text;
}

std::string StreamDecoder::flush() {
  std::string text;
  if (!pending.empty())
    text = "\xef\xbf\xbd";
  pending.clear();
  return text;
}

} // namespace pagoda::rt
