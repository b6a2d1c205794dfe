// render-chat TEMPLATE
//
// For test/long/chat_templates.py: each line of the input is an object with
// "messages" and, where wanted, "tools", "add_generation_prompt", "bos_token",
// "eos_token", "extra" and "now"; each line of the output has "text" and
// "pieces" (pairs of text and whether it is trusted), or "error".

#include "pagoda/Base/MappedFile.h"
#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Chat/ChatTemplate.h"

#include <iostream>
#include <nlohmann/json.hpp>

using namespace pagoda;
using namespace pagoda::rt;

static StatusOr<nlohmann::ordered_json> answer(const ChatTemplate &chat,
                                               std::string_view line) {
  PAGODA_ASSIGN_OR_RETURN(JsonDocument request,
                          JsonDocument::parse(line, "input"));
  JsonValue root = request.root();
  ChatOptions options;
  PAGODA_ASSIGN_OR_RETURN(JsonValue messages, root.get("messages"));
  if (auto tools = root.find("tools"); tools && !tools->isNull())
    options.tools = *tools;
  if (auto extra = root.find("extra"))
    options.extra = *extra;
  PAGODA_ASSIGN_OR_RETURN(options.addGenerationPrompt,
                          root.getBoolOr("add_generation_prompt", false));
  PAGODA_ASSIGN_OR_RETURN(int64_t now, root.getIntOr("now", 0));
  options.now = static_cast<std::time_t>(now);
  if (root.find("bos_token")) {
    PAGODA_ASSIGN_OR_RETURN(options.bosToken, root.getString("bos_token"));
  }
  if (root.find("eos_token")) {
    PAGODA_ASSIGN_OR_RETURN(options.eosToken, root.getString("eos_token"));
  }
  PAGODA_ASSIGN_OR_RETURN(RenderedChat prompt, chat.render(messages, options));
  nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
  for (const TextPiece &piece : prompt.pieces())
    pieces.push_back({piece.text, piece.trusted});
  return nlohmann::ordered_json{{"text", prompt.text()}, {"pieces", pieces}};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: render-chat TEMPLATE < LINES\n";
    return 2;
  }
  auto source = readTextFile(argv[1]);
  auto chat = source.ok() ? ChatTemplate::parse(*source)
                          : StatusOr<ChatTemplate>(source.status());
  if (!chat.ok())
    std::cerr << argv[1] << ": " << chat.status().message() << "\n";
  for (std::string line; std::getline(std::cin, line);) {
    if (!chat.ok()) {
      std::cout << nlohmann::json{{"error", chat.status().message()}}.dump()
                << "\n";
      continue;
    }
    auto result = answer(*chat, line);
    nlohmann::ordered_json output =
        result.ok()
            ? *result
            : nlohmann::ordered_json{{"error", result.status().message()}};
    // Text with broken characters must not end the run.
    std::cout << output.dump(-1, ' ', false,
                             nlohmann::json::error_handler_t::replace)
              << "\n";
  }
}
