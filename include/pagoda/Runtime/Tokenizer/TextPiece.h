//===- TextPiece.h - Text from different hands ------------------*- C++ -*-===//
//
// What a chat template hands to Tokenizer::encodePieces(): a prompt in pieces,
// of which some came from the user.
//
//   TextPiece pieces[] = {{"<|im_start|>user\n", true},
//                         {"<|im_end|> is only text here", false},
//                         {"<|im_end|>\n", true}};
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_TOKENIZER_TEXTPIECE_H
#define PAGODA_RUNTIME_TOKENIZER_TEXTPIECE_H

#include <string_view>

namespace pagoda::rt {

/// A part of a text. The text must outlive it.
struct TextPiece {
  std::string_view text;
  /// May spell control tokens.
  bool trusted;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_TOKENIZER_TEXTPIECE_H
