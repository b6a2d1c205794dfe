//===- ChatTemplate.h - Conversations as prompts ----------------*- C++ -*-===//
//
// Runs the Jinja templates that models bring along, as `transformers` does.
// For Generation, which encodes the result: the prompt knows which of its
// parts came from the conversation, so that a control token that a user spells
// stays text.
//
//   PAGODA_ASSIGN_OR_RETURN(ChatTemplate chat,
//                           ChatTemplate::parse(*tokenizer.chatTemplate()));
//   PAGODA_ASSIGN_OR_RETURN(RenderedChat prompt,
//                           chat.render(request.messages,
//                                       {.addGenerationPrompt = true}));
//   PAGODA_ASSIGN_OR_RETURN(auto ids,
//                           tokenizer.encodePieces(prompt.pieces(), …));
//
// Immutable and cheap to copy; threads may share one.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_CHAT_CHATTEMPLATE_H
#define PAGODA_RUNTIME_CHAT_CHATTEMPLATE_H

#include "pagoda/Base/Status.h"
#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Tokenizer/TextPiece.h"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt {

namespace chat {
struct Program;
}

struct ChatOptions {
  /// Let the prompt end where the assistant's answer begins.
  bool addGenerationPrompt = false;
  /// An array of tools, as the API has them; none if absent.
  std::optional<JsonValue> tools = std::nullopt;
  /// What `bos_token` and `eos_token` stand for; undefined if absent.
  std::optional<std::string_view> bosToken = std::nullopt;
  std::optional<std::string_view> eosToken = std::nullopt;
  /// An object of further names for the template (`documents`,
  /// `enable_thinking`, …). They count as coming from outside, and override
  /// the names above.
  std::optional<JsonValue> extra = std::nullopt;
  /// What strftime_now() tells, in local time; the time of the call if absent.
  std::optional<std::time_t> now = std::nullopt;

  /// A template that exceeds these ends with ResourceExhausted.
  uint64_t maxSteps = 10'000'000;
  uint64_t maxMemoryBytes = size_t(256) << 20;
  size_t maxOutputBytes = size_t(32) << 20;
};

/// A prompt. Strings of the messages, of the tools and of `extra` are marked
/// as coming from outside wherever they end up; all else is the template's.
class RenderedChat {
public:
  struct Range {
    size_t begin, end;
    bool operator==(const Range &) const = default;
  };

  RenderedChat(std::string text, std::vector<Range> untrusted)
      : bytes(std::move(text)), ranges(std::move(untrusted)) {}

  const std::string &text() const { return bytes; }
  /// The parts that came from outside: ascending and apart from each other.
  const std::vector<Range> &untrusted() const { return ranges; }
  /// The text in parts, for Tokenizer::encodePieces(). They refer to this
  /// object.
  std::vector<TextPiece> pieces() const &;
  std::vector<TextPiece> pieces() && = delete;

private:
  std::string bytes;
  std::vector<Range> ranges;
};

class ChatTemplate {
public:
  /// Errors name the line: InvalidArgument for a template that is wrong,
  /// Unsupported for what Jinja has and this does not.
  static StatusOr<ChatTemplate> parse(std::string_view source);

  /// `messages` is an array of objects, as the API has them. Errors:
  /// InvalidArgument for a conversation that the template refuses or does not
  /// get on with, ResourceExhausted beyond the limits.
  StatusOr<RenderedChat> render(JsonValue messages,
                                const ChatOptions &options = {}) const;

private:
  explicit ChatTemplate(std::shared_ptr<const chat::Program> program)
      : program(std::move(program)) {}

  std::shared_ptr<const chat::Program> program;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_CHAT_CHATTEMPLATE_H
