// tokenize-lines TOKENIZER.JSON
//
// For test/long/compare_tokenizers.py: each line of the input is an object with
// "text", "special" (add special tokens) and "parse" (find control tokens);
// each line of the output has "ids", and their text as "decoded" and "skipped"
// (without special tokens), or "error".

#include "pagoda/Base/MappedFile.h"
#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Tokenizer/StreamDecoder.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <iostream>
#include <nlohmann/json.hpp>

using namespace pagoda;
using namespace pagoda::rt;

static nlohmann::ordered_json answer(const Tokenizer &tokenizer,
                                     std::string_view line) {
  auto request = JsonDocument::parse(line, "input");
  if (!request.ok())
    return {{"error", request.status().message()}};
  JsonValue root = request->root();
  auto text = root.getString("text");
  auto special = root.getBoolOr("special", false);
  auto parse = root.getBoolOr("parse", true);
  if (!text.ok() || !special.ok() || !parse.ok())
    return {{"error", "bad request"}};
  auto ids = tokenizer.encode(*text, {*special, *parse});
  if (!ids.ok())
    return {{"error", ids.status().message()}};
  std::string decoded = tokenizer.decode(*ids), streamed;
  StreamDecoder stream(tokenizer);
  for (TokenId id : *ids)
    streamed += stream.push(id);
  if (streamed + stream.flush() != decoded)
    return {{"error", "the stream differs from decode()"}};
  return {{"ids", *ids},
          {"decoded", decoded},
          {"skipped", tokenizer.decode(*ids, true)}};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: tokenize-lines TOKENIZER.JSON < LINES\n";
    return 2;
  }
  auto tokenizer = Tokenizer::fromJsonFile(argv[1]);
  if (!tokenizer.ok()) {
    std::cerr << tokenizer.status().message() << "\n";
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(*tokenizer, line).dump() << "\n";
}
