//===- Rendering.h - Rendering in one line ----------------------*- C++ -*-===//

#ifndef PAGODA_TEST_UNIT_RUNTIME_CHAT_RENDERING_H
#define PAGODA_TEST_UNIT_RUNTIME_CHAT_RENDERING_H

#include "pagoda/Runtime/Chat/ChatTemplate.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pagoda::rt::test {

using Json = nlohmann::ordered_json;

inline StatusOr<RenderedChat> tryRender(std::string_view source,
                                        const Json &extra = Json::object(),
                                        const Json &messages = Json::array(),
                                        ChatOptions options = {}) {
  PAGODA_ASSIGN_OR_RETURN(ChatTemplate chat, ChatTemplate::parse(source));
  JsonDocument conversation = JsonDocument::fromValue(messages, "messages");
  JsonDocument names = JsonDocument::fromValue(extra, "extra");
  options.extra = names.root();
  return chat.render(conversation.root(), options);
}

/// The text, or the error.
inline std::string render(std::string_view source,
                          const Json &extra = Json::object(),
                          const Json &messages = Json::array(),
                          ChatOptions options = {}) {
  auto prompt = tryRender(source, extra, messages, options);
  return prompt.ok() ? prompt->text() : prompt.status().message();
}

/// The text with what came from outside in «these».
inline std::string marked(std::string_view source, const Json &extra,
                          ChatOptions options = {}) {
  auto prompt = tryRender(source, extra, Json::array(), options);
  if (!prompt.ok())
    return prompt.status().message();
  std::string text;
  for (const TextPiece &piece : prompt->pieces())
    text += piece.trusted ? std::string(piece.text)
                          : "«" + std::string(piece.text) + "»";
  return text;
}

inline Json message(const char *role, const char *content) {
  return {{"role", role}, {"content", content}};
}

} // namespace pagoda::rt::test

#endif // PAGODA_TEST_UNIT_RUNTIME_CHAT_RENDERING_H
