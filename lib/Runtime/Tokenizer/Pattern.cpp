#include "Pattern.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace pagoda::rt {

namespace {

/// Translating a pattern to machine code takes some 100 us, as long as
/// interpreting it over a few kilobytes, of one text or of many.
constexpr size_t jitFromBytes = 2048;

/// Backtracking that a sane pattern never comes near, over the whole subject.
constexpr uint32_t maxSteps = 10'000'000;
constexpr uint32_t maxHeapKilobytes = 64 * 1024;

} // namespace

struct Pattern::State {
  ~State() {
    pcre2_code_free(code);
    pcre2_code_free(machineCode.load());
  }

  std::once_flag compiled, translated;
  Status status;
  pcre2_code *code = nullptr;
  /// A copy, because others may be matching with the original while it is
  /// translated. Null until then.
  std::atomic<pcre2_code *> machineCode = nullptr;
  std::atomic<size_t> bytesSeen = 0;
};

Pattern::Pattern(std::string expression)
    : text(std::move(expression)), state(std::make_unique<State>()) {}
Pattern::~Pattern() = default;

Status Pattern::compile() const {
  std::call_once(state->compiled, [&] {
    int error = 0;
    PCRE2_SIZE offset = 0;
    state->code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                      PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error,
                      &offset, nullptr);
    if (state->code)
      return;
    PCRE2_UCHAR message[128] = "";
    pcre2_get_error_message(error, message, std::size(message));
    state->status = corruptData("pattern '", text, "', offset ", offset, ": ",
                                reinterpret_cast<const char *>(message));
  });
  return state->status;
}

Status Pattern::check() const { return compile(); }

struct Matcher::Buffers {
  ~Buffers() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
  pcre2_match_data *data = nullptr;
  pcre2_match_context *context = nullptr;
};

Matcher::Matcher(const Pattern &pattern)
    : pattern(&pattern), buffers(std::make_unique<Buffers>()) {}
Matcher::Matcher(Matcher &&) noexcept = default;
Matcher::~Matcher() = default;

Status Matcher::prepare(size_t bytes) {
  PAGODA_RETURN_IF_ERROR(pattern->compile());
  Pattern::State &state = *pattern->state;
  if (state.bytesSeen.fetch_add(bytes, std::memory_order_relaxed) + bytes >=
      jitFromBytes)
    std::call_once(state.translated, [&] {
      // Fails where no memory may become executable; interpreting is then all
      // there is.
      pcre2_code *copy = pcre2_code_copy(state.code);
      if (copy && pcre2_jit_compile(copy, PCRE2_JIT_COMPLETE) == 0)
        state.machineCode.store(copy, std::memory_order_release);
      else
        pcre2_code_free(copy);
    });
  if (!buffers->data) {
    buffers->data = pcre2_match_data_create(1, nullptr);
    buffers->context = pcre2_match_context_create(nullptr);
    if (!buffers->data || !buffers->context)
      return resourceExhausted("no memory for a pattern's match");
    pcre2_set_match_limit(buffers->context, maxSteps);
    pcre2_set_depth_limit(buffers->context, maxSteps);
    pcre2_set_heap_limit(buffers->context, maxHeapKilobytes);
  }
  return Status();
}

StatusOr<std::optional<Matcher::Match>> Matcher::find(std::string_view text,
                                                      size_t from) {
  const Pattern::State &state = *pattern->state;
  auto *subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  // The short way into the machine code skips checks of the arguments that
  // hold here.
  const pcre2_code *machineCode =
      state.machineCode.load(std::memory_order_acquire);
  int count = machineCode ? pcre2_jit_match(machineCode, subject, text.size(),
                                            from, PCRE2_NO_UTF_CHECK,
                                            buffers->data, buffers->context)
                          : PCRE2_ERROR_JIT_STACKLIMIT;
  if (count == PCRE2_ERROR_JIT_STACKLIMIT)
    count = pcre2_match(state.code, subject, text.size(), from,
                        PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, buffers->data,
                        buffers->context);
  if (count == PCRE2_ERROR_NOMATCH)
    return std::optional<Match>();
  // With room for one pair only, a match that has groups reports 0.
  if (count < 0) {
    PCRE2_UCHAR message[128] = "";
    pcre2_get_error_message(count, message, std::size(message));
    return resourceExhausted("pattern '", pattern->expression(), "' at byte ",
                             from, " of a text of ", text.size(), ": ",
                             reinterpret_cast<const char *>(message));
  }
  const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(buffers->data);
  // \K can move the start behind the end or before `from`.
  if (ends[0] < from || ends[1] < ends[0] || ends[1] > text.size())
    return corruptData("pattern '", pattern->expression(),
                       "' moves the start of its match");
  return std::optional<Match>(Match{ends[0], ends[1]});
}

} // namespace pagoda::rt
