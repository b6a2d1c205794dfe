//===- StreamDecoder.h - Text while it is being generated -------*- C++ -*-===//
//
// Decodes ids as they come, for streams. No character is ever split: bytes
// that only begin one wait for the rest. All that push() and flush() return,
// joined, is what decode() gives for all the ids.
//
//   StreamDecoder stream(tokenizer);
//   for (TokenId id : generated)
//     send(stream.push(id));
//   send(stream.flush());
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_TOKENIZER_STREAMDECODER_H
#define PAGODA_RUNTIME_TOKENIZER_STREAMDECODER_H

#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

namespace pagoda::rt {

class StreamDecoder {
public:
  explicit StreamDecoder(Tokenizer tokenizer, bool skipSpecialTokens = false)
      : tokenizer(std::move(tokenizer)), skipSpecialTokens(skipSpecialTokens) {}

  /// The text that is certain now, possibly empty.
  std::string push(TokenId id);
  /// What remains; the decoder is then as new.
  std::string flush();

private:
  Tokenizer tokenizer;
  bool skipSpecialTokens;
  /// The beginning of a character.
  std::string pending;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_TOKENIZER_STREAMDECODER_H
