#include "pagoda/Runtime/Chat/ChatTemplate.h"

#include "Interpreter.h"
#include "Printing.h"

#include <utf8proc.h>

namespace pagoda::rt {

using namespace chat;

namespace {

/// The largest template of a known model has some 20 KB.
constexpr size_t maxTemplateBytes = size_t(1) << 20;

bool isUtf8(std::string_view text) {
  auto *at = reinterpret_cast<const utf8proc_uint8_t *>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t point;
    utf8proc_ssize_t bytes = utf8proc_iterate(at, left, &point);
    if (bytes <= 0)
      return false;
    at += bytes;
    left -= bytes;
  }
  return true;
}

/// The values that a conversation gives to names of the template.
Status define(Interpreter &interpreter, RenderContext &context,
              JsonValue messages, const ChatOptions &options) {
  PAGODA_ASSIGN_OR_RETURN(Value list, valueOf(context, messages, false));
  interpreter.define("messages", list);
  Value tools = Value::none();
  if (options.tools) {
    PAGODA_ASSIGN_OR_RETURN(tools, valueOf(context, *options.tools, false));
  }
  interpreter.define("tools", tools);
  interpreter.define("documents", Value::none());
  interpreter.define("add_generation_prompt",
                     Value::boolean(options.addGenerationPrompt));
  for (auto &[name, token] : {std::pair("bos_token", options.bosToken),
                              std::pair("eos_token", options.eosToken)})
    if (token) {
      PAGODA_ASSIGN_OR_RETURN(Value text,
                              context.trustedString(std::string(*token)));
      interpreter.define(name, text);
    }
  if (!options.extra)
    return Status();
  if (!options.extra->isObject())
    return options.extra->error("must be an object of names for the template");
  for (size_t i = 0; i < options.extra->size(); ++i) {
    PAGODA_ASSIGN_OR_RETURN(Value value,
                            valueOf(context, (*options.extra)[i], false));
    interpreter.define(options.extra->keyAt(i), value);
  }
  return Status();
}

} // namespace

StatusOr<ChatTemplate> ChatTemplate::parse(std::string_view source) {
  if (source.size() > maxTemplateBytes)
    return resourceExhausted("the chat template has ", source.size(),
                             " bytes; ", maxTemplateBytes, " are allowed");
  if (!isUtf8(source))
    return invalidArgument("the chat template is not UTF-8");
  PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<const Program> program,
                          parseTemplate(source));
  return ChatTemplate(std::shared_ptr<const Program>(std::move(program)));
}

StatusOr<RenderedChat> ChatTemplate::render(JsonValue messages,
                                            const ChatOptions &options) const {
  if (!messages.isArray())
    return messages.error("must be an array of messages");
  // Texts that were made and forgotten count less than what stays.
  RenderContext context{
      .arena = {},
      .budget = Budget(options.maxSteps, 4 * options.maxMemoryBytes),
      .maxArenaBytes = options.maxMemoryBytes};
  std::time_t now = options.now ? *options.now : std::time(nullptr);
  ::localtime_r(&now, &context.now);
  Interpreter interpreter(*program, context, options.maxOutputBytes);
  PAGODA_RETURN_IF_ERROR(define(interpreter, context, messages, options));
  PAGODA_ASSIGN_OR_RETURN(Text text, interpreter.run());
  std::vector<RenderedChat::Range> untrusted;
  for (const Text::Span &span : text.untrusted)
    untrusted.push_back({span.begin, span.end});
  return RenderedChat(std::move(text.bytes), std::move(untrusted));
}

std::vector<TextPiece> RenderedChat::pieces() const & {
  std::vector<TextPiece> pieces;
  size_t at = 0;
  auto add = [&](size_t begin, size_t end, bool trusted) {
    if (begin < end)
      pieces.push_back(
          {std::string_view(bytes).substr(begin, end - begin), trusted});
  };
  for (const Range &range : ranges) {
    add(at, range.begin, true);
    add(range.begin, range.end, false);
    at = range.end;
  }
  add(at, bytes.size(), true);
  return pieces;
}

} // namespace pagoda::rt
