//===- ModelText.h - A model's side of text ---------------------*- C++ -*-===//
//
// What Generation needs to know of a tokenizer, and no more: how ids become
// text in a stream, and which ids end an answer. Whoever loads a model makes
// one from its tokenizer.
//
//   ModelText text;
//   text.makeDecoder = [&] { return std::make_unique<MyDecoder>(tokenizer); };
//   text.eosIds = {2};
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_GENERATION_MODELTEXT_H
#define PAGODA_RUNTIME_GENERATION_MODELTEXT_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pagoda::rt {

/// Decodes one stream of ids. Everything that push() and flush() return,
/// joined, is the text of all ids; no single string cuts a character.
class TextDecoder {
public:
  virtual ~TextDecoder() = default;
  /// The text that is certain with this id, possibly empty.
  virtual std::string push(int32_t id) = 0;
  /// The end of the stream: the text of what is left.
  virtual std::string flush() = 0;
};

struct ModelText {
  /// Called once for every choice, by any thread that starts a request.
  std::function<std::unique_ptr<TextDecoder>()> makeDecoder;
  /// Ids that end an answer, unless a request ignores them.
  std::vector<int32_t> eosIds;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_GENERATION_MODELTEXT_H
